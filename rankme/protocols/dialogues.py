"""Dialogues: turns with roles, in the form that language models read and write.

`[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Good morning."}]`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rankme.untrusted import strict_json
from rankme.untrusted.strict_json import InvalidJson

from .definition import Definition
from .problem_words import Finding

MOST_TURNS = 500
LONGEST_ROLE = 60
DEEPEST = 8  # more than any form in which models speak
NAMES = {"role", "content"}

TextCheck = Callable[[str], str]


def problem_with_dialogue(text: str) -> str:
    """Say why the text is not a dialogue; empty if it is one."""
    try:
        turns = strict_json.parse(text, deepest=DEEPEST)
    except InvalidJson as refused:
        return f"This is not a dialogue: {refused}"
    if not isinstance(turns, list):
        return "A dialogue is a list of turns, each with a role and a content."
    if not turns:
        return "The dialogue has no turns."
    if len(turns) > MOST_TURNS:
        return f"The dialogue has {len(turns):,} turns; at most {MOST_TURNS} are shown."
    problems = (_problem_with_turn(turn) for turn in turns)
    found = ((number, words) for number, words in enumerate(problems, start=1) if words)
    number, words = next(found, (0, ""))
    return f"Turn {number}: {words}" if words else ""


def _problem_with_turn(turn: Any) -> str:
    if not isinstance(turn, dict):
        return "it must be an object with a role and a content."
    for name in ("role", "content"):
        if not isinstance(turn.get(name), str):
            return f"its {name} must be a text."
        if not turn[name].strip():
            return f"its {name} is empty."
    if len(turn["role"]) > LONGEST_ROLE:
        return f"its role is longer than {LONGEST_ROLE} characters."
    if unknown := sorted(set(turn) - NAMES):
        return f"“{unknown[0][:LONGEST_ROLE]}” is not shown: a turn has a role and a content."
    return ""


def contents_of_turns(text: str) -> list[str]:
    """Return the contents of the turns; empty if the text is not a dialogue."""
    if problem_with_dialogue(text):
        return []
    return [turn["content"] for turn in strict_json.parse(text)]


def text_checks(definition: Definition) -> dict[str, TextCheck]:
    """Return a check for each column of an upload whose texts must be dialogues."""
    columns = {"input": "input", "outputs": "output"}
    return {
        column: problem_with_dialogue
        for block, column in columns.items()
        if any(screen.shows_dialogue(block) for screen in definition.screens)
    }


def dialogue_problems(definition: Definition) -> Iterator[Finding]:
    """Find what cannot be combined with dialogues, and examples that are not dialogues."""
    checks = text_checks(definition)
    if "input" in checks and definition.input_kind != "text":
        yield ("input_kind",), "an input that is a dialogue is a text: set input_kind to text"
    for number, screen in enumerate(definition.screens):
        marking = [
            criterion.name
            for criterion in definition.criteria
            if criterion.name in screen.ask and criterion.tool.marks_outputs
        ]
        if marking and screen.shows_dialogue("outputs"):
            words = f"“{marking[0]}” marks places in plain texts, not in dialogues"
            yield ("screens", number, "show"), words
    for number, trial in enumerate(definition.practice):
        for column, texts in (("input", [trial.input]), ("output", trial.outputs)):
            check = checks.get(column)
            words = next(filter(None, map(check, texts)), "") if check else ""
            if words:
                yield ("practice", number, "outputs" if column == "output" else column), words
