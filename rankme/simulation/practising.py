"""Learning from practice: simulated raters follow the feedback on their next try."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_origin

from rankme.protocols.exchange.marks import Mark
from rankme.protocols.instruments import INSTRUMENTS, Refused, Subject

from .answers import Taste, answers_to

MOST_IDEAS = 500
RANGE = "–"  # between the ends of what was expected, as the page writes it

Answers = list[dict[str, Any]]


@dataclass(frozen=True)
class Mood(Taste):
    """A rater on whom every text makes the same impression."""

    mood: float = 0

    def impression(self, text: str) -> float:
        return self.mood


def corrected(
    screens: Sequence[Mapping[str, Any]],
    trial: Mapping[str, Any],
    told: Sequence[Mapping[str, Any]],
    rng: random.Random,
) -> list[Answers]:
    """Answers to all screens that fit what the feedback expected, if some come to mind.

    `told` are the rows of the feedback: the text, the question, and what was expected.
    """
    ideas: list[Answers] = []
    for _ in range(MOST_IDEAS):
        mood = Mood(rng, {}, 0, rng.uniform(-3, 4))
        ideas = [answers_to(screen, trial, mood) for screen in screens]
        for answers in ideas:
            _copy_expected_marks(answers, told)
        if all(
            _fits(answer, question, trial, told)
            for screen, answers in zip(screens, ideas, strict=True)
            for question in screen["ask"]
            for answer in answers
            if answer["criterion"] == question["criterion"]
        ):
            break
    return ideas


def _copy_expected_marks(answers: Answers, told: Sequence[Mapping[str, Any]]) -> None:
    """Mark what the feedback has shown."""
    shown = {(row["criterion"], row["position"]): row["expected_marks"] for row in told}
    for answer in answers:
        marks = shown.get((answer["criterion"], answer["place"]))
        if marks is not None:
            names = Mark.__annotations__.keys()
            made = [{name: mark[name] for name in names & set(mark)} for mark in marks]
            answer["value"] |= {"marks": made, "events": []}


def _fits(
    answer: Mapping[str, Any],
    question: Mapping[str, Any],
    trial: Mapping[str, Any],
    told: Sequence[Mapping[str, Any]],
) -> bool:
    """Whether the numbers of an answer are in the ranges that the feedback has for its text."""
    place = answer["place"]
    text = "" if place is None else trial["outputs"][place]
    expected = [row["expected"] for row in told if row["text"] == text]
    try:
        numbers = list(numbers_in(answer, question, text))
    except Refused:
        return False
    return all(_is_in(number, words) for number, words in zip(numbers, expected, strict=False))


def numbers_in(
    answer: Mapping[str, Any], question: Mapping[str, Any], text: str
) -> Iterator[float | None]:
    """The number of an answer, and those that follow from it."""
    tool = INSTRUMENTS[question["instrument"]]
    given = question["options"]
    # A mapping is sent as pairs, because a browser forgets its order.
    mappings = {
        name for name, field in tool.Options.model_fields.items() if _is_mapping(field.annotation)
    }
    settings = tool.Options(
        **{name: dict(value) if name in mappings else value for name, value in given.items()}
    )
    subject = Subject("", "", {}, answer["time_ms"], text)
    yield tool.clean(answer["value"], settings, subject).number
    for found in tool.derive(answer["value"], settings, subject).values():
        yield found.number


def _is_mapping(annotation: Any) -> bool:
    return get_origin(annotation) is dict


def _is_in(number: float | None, expected: str) -> bool:
    ends = expected.split(RANGE)
    try:
        low, high = float(ends[0]), float(ends[-1])
    except ValueError:
        return True  # nothing was expected, or a name
    return number is not None and (low <= number <= high or math.isclose(number, low))
