"""What raters of a campaign see, page by page, as text: for assistants and scripts."""

from __future__ import annotations

from typing import Any

from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.screens import BLOCKS, BlockSpec, ScreenSpec


def outline(definition: Definition) -> dict[str, Any]:
    """List the pages of a rater's way in their order, with their texts and questions."""
    criteria = {criterion.name: criterion for criterion in definition.criteria}
    return {
        "title": definition.title,
        "language": definition.language,
        "consent": definition.texts.consent,
        "statements": definition.texts.statements,
        "entry_questions": [question.question for question in definition.entry_questions],
        "instructions": definition.texts.instructions,
        "practice_trials": len(definition.practice),
        "screens": [_screen(screen, criteria) for screen in definition.screens],
        "checks": [f"{check.name}: {check.kind}" for check in definition.checks],
        "end_questions": [question.question for question in definition.end_questions],
        "thanks": definition.texts.thanks,
    }


def _screen(screen: ScreenSpec, criteria: dict[str, CriterionSpec]) -> dict[str, Any]:
    return {
        "title": screen.title,
        "shows": [_block(block) for block in screen.show],
        "asks": [_question(criteria[name]) for name in screen.ask],
    }


def _block(block: BlockSpec) -> str:
    what = block.text if block.block == "text" else BLOCKS[block.block]
    return f"{block.title}: {what}" if block.title else what


def _question(criterion: CriterionSpec) -> dict[str, Any]:
    return {
        "criterion": criterion.name,
        "question": criterion.question,
        "instrument": criterion.tool.title,
        "about": criterion.about,
        "low": criterion.low,
        "high": criterion.high,
        "options": criterion.options,
        "can_say_cannot_judge": criterion.cannot_judge,
    }
