"""The sections of the campaign form, and the settings that are folded away in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

from rankme.panel_links.outcomes import Outcome


@dataclass(frozen=True)
class SectionOutline:
    anchor: str
    title: Any
    hint: Any
    fields: tuple[str, ...]


SECTIONS = (
    SectionOutline(
        "general", _("Campaign"), "", ("title", "description", "language", "input_kind")
    ),
    SectionOutline(
        "criteria",
        _("Questions"),
        _("One criterion per question, with the instrument that raters answer it with."),
        ("criteria",),
    ),
    SectionOutline(
        "screens",
        _("Screens"),
        _(
            "Each trial has these screens, in this order. Every "
            "criterion is asked on exactly one screen."
        ),
        ("screens", "standard", "problem_button"),
    ),
    SectionOutline(
        "design",
        _("Design"),
        _("Who judges what. The launch page shows the resulting plan before you commit to it."),
        ("design", "raters_per_trial", "seed"),
    ),
    SectionOutline(
        "texts",
        _("Consent and instructions"),
        "",
        ("texts", "input_language", "languages", "words"),
    ),
    SectionOutline(
        "entry",
        _("Entry questions"),
        _("Asked before the work begins. Raters whose answer is not accepted cannot take part."),
        ("entry_questions",),
    ),
    SectionOutline(
        "end",
        _("Questions at the end"),
        _("Asked after the last batch. Raters can leave without answering, and get their code."),
        ("end_questions",),
    ),
    SectionOutline(
        "practice",
        _("Practice"),
        _("Trials that you write yourself. They look like any other trial and are never counted."),
        ("practice", "practice_feedback", "practice_tries", "practice_gate"),
    ),
    SectionOutline(
        "checks",
        _("Checks and rules"),
        _(
            "Pages whose correct answer is known are mixed into each batch, look like all others, "
            "and never count as judgements. Rules say what follows; without a rule nothing does."
        ),
        ("checks", "rules"),
    ),
    SectionOutline("breaks", _("Breaks"), "", ("breaks",)),
    SectionOutline(
        "crowd",
        _("Raters, codes and pay"),
        _("How raters get here, what they are paid, and where they go when they finish."),
        ("crowd",),
    ),
    SectionOutline(
        "analysis",
        _("Analysis"),
        _("What reports claim, and the options with which analyses begin."),
        ("hypotheses", "generality", "primary", "equivalence", "looks", "analysis"),
    ),
)

# Settings that most campaigns leave alone; they are under "More settings".
QUIET = {
    "CriterionSpec.about",
    "CriterionSpec.required",
    "CriterionSpec.cannot_judge",
    "CriterionSpec.cannot_judge_reasons",
    "BlockSpec.title",
    "BlockSpec.text",
    "BlockSpec.format",
    "BlockSpec.judged_turn",
    "BlockSpec.markdown_turns",
    "BlockSpec.layout",
    "BlockSpec.difference",
    "BlockSpec.shuffle",
    "BlockSpec.files",
    "BlockSpec.play_to_end",
    "BlockSpec.pictorial",
    "BlockSpec.pictorial_share",
    "ScreenSpec.scope",
    "ScreenSpec.timed",
    "ScreenSpec.comment",
    "ScreenSpec.layout",
    "DesignSpec.stratify_by",
    "DesignSpec.shuffle_trials",
    "DesignSpec.unassisted_share",
    "Crowd.devices",
    "Crowd.id_parameter",
    "Crowd.session_parameter",
    "Crowd.lease_minutes",
    "Crowd.least_seconds_per_screen",
    "Crowd.too_fast",
    "Crowd.wait_least_seconds",
    "Crowd.pay_by_outcome",
    "Crowd.return_urls",
    "Crowd.keep_identities_days",
    "Crowd.keep_judgements_years",
    "Crowd.traces",
    "Crowd.hidden_text",
    "Crowd.no_ai",
    "Crowd.copying",
    "Crowd.pause_after_raters",
    "Crowd.flagged_share",
    "Crowd.pauses_itself",
    "Crowd.texts_are",
    *(f"CompletionCodes.{outcome}" for outcome in Outcome if outcome != Outcome.COMPLETED),
    "PracticeTrial.context",
    "PracticeTrial.reference",
    "EntryQuestion.most",
    "EntryQuestion.required",
    "EntryQuestion.show_if",
    "EndQuestion.required",
    "EndQuestion.show_if",
}
