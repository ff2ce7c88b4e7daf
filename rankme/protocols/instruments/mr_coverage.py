"""The meaning representation, attribute by attribute, against the text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from random import Random
from typing import Any

from django.utils.translation import gettext
from pydantic import Field

from analysis.translatable import gettext_noop as _
from rankme.protocols.item_input import slots

from .base import (
    Comparison,
    Instrument,
    Options,
    Refused,
    Shown,
    Subject,
    Value,
    on_the_scale,
    whole_number,
)
from .choices import BAD_NUMBER, COUNTER_KEYS

ADDED, MISSING = 1, 2
ANSWERS = ("mentioned", "missing", "wrong")


class MrCoverageOptions(Options):
    most_added: int = Field(20, title=_("Most added"))


class MrCoverage(Instrument[MrCoverageOptions]):
    """Raters go through the facts of the input one by one.

    The number is that of the E2E coverage check: 0 OK, 1 A, 2 M, 3 A+M. A wrong value adds one fact
    and misses another. `q_slot_error_rate` is (missing + wrong + added) / attributes, as in Wen et
    al. (2015) and Dušek, Novikova & Rieser (2020).
    """

    name = "mr_coverage"
    title = _("Every attribute is mentioned, missing or wrong; additional facts are counted.")
    has_ends = False
    kind = "category"
    heds_response = "7"
    is_objective = True
    words = {
        "mentioned": _("mentioned"),
        "missing": _("missing"),
        "wrong": _("wrong"),
        "missing_attributes": _("Please answer for every fact."),
        "missing_added": _("Please enter how many additional facts the text contains; 0 if none."),
        "bad_number": BAD_NUMBER,
    }
    keys = (("← →", _("choose an answer")), *COUNTER_KEYS)
    stylesheets = ("counter", "mr_coverage")
    Options = MrCoverageOptions
    derives = {"slot_error_rate": "scale"}
    derived_titles = {"slot_error_rate": _("Slot error rate")}
    repeats_the_input = True

    def clean(self, answer: Any, options: MrCoverageOptions, subject: Subject) -> Value:
        found, added = self._read(answer, options, subject)
        number = 0
        if added or "wrong" in found:
            number += ADDED
        if "missing" in found or "wrong" in found:
            number += MISSING
        return Value(number, json.dumps({"attributes": found, "added": added}))

    def derive(self, answer: Any, options: MrCoverageOptions, subject: Subject) -> dict[str, Value]:
        found, added = self._read(answer, options, subject)
        errors = added + sum(answer != "mentioned" for answer in found)
        return {"slot_error_rate": Value(errors / len(found))}

    def _read(
        self, answer: Any, options: MrCoverageOptions, subject: Subject
    ) -> tuple[list[str], int]:
        expected = len(slots(subject.item_input))
        if not isinstance(answer, dict) or set(answer) != {"attributes", "added"}:
            raise Refused("Answer for every attribute.")
        found = answer["attributes"]
        if not isinstance(found, list) or len(found) != expected or not expected:
            raise Refused("Answer for every attribute.")
        if any(answer not in ANSWERS for answer in found):
            raise Refused("Each attribute is mentioned, missing or wrong.")
        added = whole_number(answer["added"])
        if not 0 <= added <= options.most_added:
            raise Refused(BAD_NUMBER, least=0, most=options.most_added)
        return found, added

    def labels(self, options: MrCoverageOptions) -> dict[float, str]:
        return {0.0: "ok", 1.0: "added", 2.0: "missing", 3.0: "added+missing"}

    def said(self, number: float | None, text: str, options: MrCoverageOptions) -> str:
        if number is None or not text:
            return super().said(number, text, options)
        answer = json.loads(text)
        counts = Counter(answer["attributes"])
        parts = [f"{gettext(answer)}: {counts[answer]}" for answer in ANSWERS if counts[answer]]
        return ", ".join([*parts, *_said_added(answer)])

    def problems_with_expected(
        self, expected: Any, options: MrCoverageOptions, subject: Subject
    ) -> Iterator[str]:
        try:
            self._read(expected, options, subject)
        except Refused as refusal:
            yield f"write attributes, one answer for each, and added: {refusal}"

    def compare(
        self,
        expected: Any,
        number: float | None,
        text: str,
        options: MrCoverageOptions,
        subject: Subject,
    ) -> Comparison:
        answer = json.loads(text) if text else None
        return Comparison(
            given=_said_by_fact(answer, subject) if answer else "–",
            expected=_said_by_fact(expected, subject),
            fits=answer == expected,
        )

    def simulate(
        self, impression: float, options: Shown, trial: Shown, rng: Random
    ) -> dict[str, Any]:
        chance = 0.1 + 0.3 * (1 - on_the_scale(impression))
        found = [
            rng.choice(["missing", "wrong"]) if rng.random() < chance else "mentioned"
            for _pair in trial["input"]["pairs"]
        ]
        return {"attributes": found, "added": int(rng.random() < chance)}


def _said_added(answer: Mapping[str, Any]) -> list[str]:
    label = gettext("added")
    return [f"{label}: {answer['added']}"] if answer["added"] else []


def _said_by_fact(answer: Mapping[str, Any], subject: Subject) -> str:
    facts = zip(slots(subject.item_input), answer["attributes"], strict=True)
    parts = [f"{name}: {gettext(found)}" for (name, _value), found in facts]
    return ", ".join([*parts, *_said_added(answer)])
