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
    """Why the text is not a dialogue, for people; empty if it is one."""
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
    """What is said in each turn; nothing where the text is not a dialogue."""
    if problem_with_dialogue(text):
        return []
    return [turn["content"] for turn in strict_json.parse(text)]


def text_checks(definition: Definition) -> dict[str, TextCheck]:
    """What the texts of items and systems must be, by their column in an upload."""
    columns = {"input": "input", "outputs": "output"}
    return {
        column: problem_with_dialogue
        for block, column in columns.items()
        if any(screen.shows_dialogue(block) for screen in definition.screens)
    }


def dialogue_problems(definition: Definition) -> Iterator[Finding]:
    """What cannot be combined with dialogues, and examples that are not dialogues."""
    checks = text_checks(definition)
    if "input" in checks and definition.input_kind != "text":
        yield ("input_kind",), "an input that is a dialogue is a text: set input_kind to text"
    for number, screen in enumerate(definition.screens):
        marking = [name for name in screen.ask if _marks(definition, name)]
        if marking and screen.shows_dialogue("outputs"):
            words = f"“{marking[0]}” marks places in plain texts, not in dialogues"
            yield ("screens", number, "show"), words
    for number, trial in enumerate(definition.practice):
        for column, texts in (("input", [trial.input]), ("output", trial.outputs)):
            found = [words for text in texts if (words := checks.get(column, _nothing)(text))]
            if found:
                place = "outputs" if column == "output" else column
                yield ("practice", number, place), found[0]


def _nothing(text: str) -> str:
    return ""


def _marks(definition: Definition, name: str) -> bool:
    return any(each.name == name and each.tool.marks_outputs for each in definition.criteria)
