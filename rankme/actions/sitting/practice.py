"""Tries at practice examples: counted here, because a browser must not decide who may work."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from rankme.models import Participant
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.definition import Definition

from .participation import end_work


@dataclass(frozen=True)
class Try:
    """The result of one try; `passed` is None where the example expects nothing."""

    passed: bool | None
    may_try_again: bool = False
    tries_left: int = 0
    ends_the_work: bool = False


def try_example(
    participant: Participant, definition: Definition, number: int, *, passed: bool, digest: str
) -> Try:
    """Count a try at an example. The same answers sent again are the same try, so that a page that
    was reloaded costs nothing. A second browser cannot end the visit of the rater whose ID it has.
    """
    if not definition.practice[number].expect:
        return Try(None)
    with transaction.atomic():
        rater = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        record = rater.practice.get(str(number), {"tries": 0, "last": "", "passed": False})
        if record["last"] != digest:
            record = {"tries": record["tries"] + 1, "last": digest, "passed": record["passed"]}
        record["passed"] = record["passed"] or passed
        rater.practice[str(number)] = record
        rater.save(update_fields=["practice"])
    tries_left = max(0, definition.practice_tries - record["tries"])
    is_lost = definition.practice_gate and not record["passed"] and not tries_left
    if is_lost and not participant.is_second_browser:
        end_work(participant, Outcome.SCREENED_OUT)
        return Try(passed, ends_the_work=True)
    return Try(passed, may_try_again=not passed and tries_left > 0, tries_left=tries_left)


def is_past_the_gate(participant: Participant, definition: Definition) -> bool:
    """Whether the rater may work: with a gate, only those who passed every example."""
    if not definition.practice_gate:
        return True
    return all(
        participant.practice.get(str(number), {}).get("passed", False)
        for number, trial in enumerate(definition.practice)
        if trial.expect
    )
