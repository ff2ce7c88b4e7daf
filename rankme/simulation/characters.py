"""Kinds of simulated raters: one who reads, those who do not or only sometimes, and attackers."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rankme.protocols.instruments import Refused

from .answers import Taste, answers_to
from .practising import Mood, numbers_in

SLIP = 0.03  # of the pages with one right answer, also by readers
IDEAS = 200

Answers = list[dict[str, Any]]
# By criterion and text: the least and the largest right answer.
Asked = Mapping[tuple[str, str], tuple[float, float]]


@dataclass(frozen=True)
class Knowledge:
    """The facts that readers understand and programs do not.

    `quality` is that of texts whose damage a reader sees; `asked` are the answers that
    texts ask for; `fields` are the right choices in forms, by the field's name.
    """

    quality: Mapping[str, float] = field(default_factory=dict)
    asked: Asked = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Character:
    """A kind of rater: the share of pages that are read, and the habit on the rest.

    `seconds` is the median time that their browsers report for a screen, `hands` are those whose
    traces they send where a campaign keeps some. If one session is sent again and again
    (`replays`), all raters of the kind have the same dice.
    """

    awake: float
    habit: str
    seconds: float
    hands: str = "person"
    replays: bool = False


CHARACTERS: Mapping[str, Character] = {
    "careful": Character(1.0, "uniform", 20.0),
    "half-asleep": Character(0.5, "uniform", 9.0),
    "uniform": Character(0.0, "uniform", 4.0),
    "middle": Character(0.0, "middle", 2.0),
    "first": Character(0.0, "first", 2.0),
    "copy": Character(0.0, "copy", 2.0),
    "script": Character(0.0, "uniform", 1.5, hands="script"),
    "clicker": Character(0.0, "uniform", 8.0, hands="clicker"),
    "paster": Character(1.0, "uniform", 20.0, hands="paster"),
    "replay": Character(1.0, "uniform", 20.0, replays=True),
}
ATTACKERS = ("script", "clicker", "paster", "replay")


@dataclass(frozen=True)
class Anywhere(Taste):
    """A rater who answers anywhere on the scale."""

    def impression(self, text: str) -> float:
        share = self.rng.uniform(0.001, 0.999)
        return math.log(share / (1 - share)) / 1.2


def unread(habit: str, rng: random.Random, first_mood: float) -> Taste:
    """Blank the texts of a page for a rater who does not read it."""
    if habit == "uniform":
        return Anywhere(rng, {}, 0)
    moods = {"middle": 0.0, "first": -9.0, "copy": first_mood}
    return Mood(rng, {}, 0, moods[habit])


def obeying(
    answers: Answers,
    screen: Mapping[str, Any],
    trial: Mapping[str, Any],
    asked: Asked,
    rng: random.Random,
) -> Answers:
    """The answers, with those that a text of the page asks for, except for a slip."""
    found = list(answers)
    for number, answer in enumerate(answers):
        place = answer["place"]
        texts = trial.get("outputs") or []
        shown = texts if place is None else texts[place : place + 1]
        criterion = answer["criterion"]
        wanted = [asked[criterion, text] for text in shown if (criterion, text) in asked]
        if not wanted or rng.random() < SLIP:
            continue
        question = next(one for one in screen["ask"] if one["criterion"] == criterion)
        for idea in range(IDEAS + 1):
            mood = Mood(rng, {}, 0, 12 * idea / IDEAS - 6)
            other = answers_to(screen, trial, mood)[number]
            if _is_in(wanted[0], other, question, shown[0]):
                found[number] = {**answer, "value": other["value"]}
                break
    return found


def _is_in(
    bounds: tuple[float, float], answer: dict[str, Any], question: Mapping[str, Any], text: str
) -> bool:
    """Whether the number of an answer is in these bounds."""
    try:
        number = next(iter(numbers_in(answer, question, text))) if "value" in answer else None
    except Refused:
        return False
    return number is not None and bounds[0] <= number <= bounds[1]
