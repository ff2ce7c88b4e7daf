"""Raters who meet checks: one who follows them, and one who does not care."""

from typing import Any

from rankme.models import CheckTrial
from tests.sittings import answer

CHECKS = [
    {
        "name": "look",
        "kind": "instructed",
        "criterion": "fluency",
        "per_batch": 3,
        "options": {"text": "Move this to {value}.", "value": 20, "tolerance": 3},
    },
    {
        "name": "spoiled",
        "kind": "corruption",
        "criterion": "fluency",
        "per_batch": 5,
        "options": {"apart": 2},
    },
    {"name": "again", "kind": "repeat", "criterion": "fluency", "per_batch": 4},
    {"name": "time", "kind": "time", "options": {"least_active_seconds": 5}},
]
FIGURE = {
    "name": "moving",
    "kind": "figure",
    "options": {
        "question": "Which of these is an animal?",
        "choices": ["A horse", "A spoon"],
        "answer": "A horse",
    },
}
RULE = "instructed.failed >= 2 or spoiled.paired_p > .05 or repeat.icc < .3"


def work(assignment, *, careful: bool, upto: int | None = None) -> list[Any]:
    """Answer the pages in order; a careful rater follows checks, a careless one says 60 and 61.

    The careless one says them to spoiled texts in turn, so that these never seem worse by chance.
    """
    checks = {check.trial_id: check for check in CheckTrial.objects.all()}
    receipts, spoiled = [], 0
    for place, (trial, _) in enumerate(assignment.presentation[:upto]):
        check = checks.get(trial)
        value = float(60 + place % 2)
        if check is not None and check.kind == "corruption":
            spoiled += 1
            value = float(60 + spoiled % 2)
        if careful:
            value = 40.0 + trial % 17
            if check is not None and check.kind == "instructed":
                value = 22.0
            elif check is not None and check.kind == "corruption":
                value = 5.0
            elif check is not None:
                value = 41.0 + check.source_id % 17
        times = {"spent_ms": 9_000, "active_ms": 4_000 if place < 3 else 8_000}
        receipts.append(answer(assignment, place, value=value, times=times))
    return receipts
