"""A sitting that is stored at once has the rows of one that was stored screen by screen."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction

from rankme.actions import assignments
from rankme.models import Assignment, Judgement, Submission
from tests.experiments.cohorts import Person, entered, launched, sent_by, truth_of
from tests.experiments.sittings_at_once import store_at_once
from tests.sittings import claim, store

pytestmark = pytest.mark.django_db
# Flags are left out: they say that the actions saw several screens within a second.
SUBMISSION = ("key", "assignment", "version", "trial", "screen", "revision", "late", "surplus")
SUBMISSION += ("payload", "payload_sha256", "chain_sha256")
JUDGEMENT = ("submission__key", "criterion", "output", "position", "value", "text", "time_ms")
JUDGEMENT += ("cannot_judge",)


def rows_of(sitting: Assignment) -> list[tuple[Any, ...]]:
    """What is stored of a sitting, in its order."""
    submissions = Submission.objects.filter(assignment=sitting).order_by("pk")
    judgements = Judgement.objects.filter(submission__assignment=sitting).order_by("pk")
    return [*submissions.values_list(*SUBMISSION), *judgements.values_list(*JUDGEMENT)]


def finished(sitting: Assignment) -> list[tuple[Any, ...]]:
    assignments.finish_batch(sitting)
    return rows_of(sitting)


@pytest.mark.parametrize(
    ("name", "singly"),
    [
        ("e2e-quality", 0),
        ("rotowire-facts", 0),
        ("rotowire-facts", 3),
        ("tuna08-identification", 0),
    ],
)
def test_both_ways_store_the_same_rows(name, singly):
    campaign = launched(name, full=False)
    sitting = claim(entered(campaign, 0))
    payloads = sent_by(Person(5, 0, truth_of(campaign)), sitting)
    with transaction.atomic():
        for payload in payloads:
            store(sitting.participant, payload)
        expected = finished(sitting)
        transaction.set_rollback(True)
    sitting.refresh_from_db()
    for payload in payloads[:singly]:
        store(sitting.participant, payload)
    store_at_once(sitting, payloads[singly:])
    assert finished(sitting) == expected
    assert len(expected) > 2 * len(payloads) > 4
