"""A cohort that is stored at once has the rows of one that was stored screen by screen."""

from typing import Any

import pytest
from django.db import transaction

from rankme.models import Assignment, Campaign, Judgement, Participant, Submission
from tests.experiments.cohorts import SCREENS_BY_ACTIONS, launched, number_from_one, rate

pytestmark = pytest.mark.django_db
# Flags are left out: they say that the actions saw several screens within a second.
SUBMISSION = ("key", "assignment", "version", "trial", "screen", "revision", "late", "surplus")
SUBMISSION += ("payload", "payload_sha256", "chain_sha256")
JUDGEMENT = ("submission__key", "criterion", "output", "position", "value", "text", "time_ms")
JUDGEMENT += ("cannot_judge",)


TIMES = ("completion_code", "_at", "_until")
DRAWN = ("label",)  # at random
PLACES = 3  # what is free in each campaign: the first rater comes as always, the others at once


def rows_of(campaign: Campaign) -> list[Any]:
    """What is stored of raters and their work, in its order; of times, whether there is one."""
    people = [campaign.participants, campaign.assignments, campaign.slots]
    submissions = Submission.objects.filter(assignment__campaign=campaign).order_by("pk")
    judgements = Judgement.objects.filter(submission__assignment__campaign=campaign).order_by("pk")
    return [
        *(_without_times(row) for rows in people for row in rows.order_by("pk").values()),
        *submissions.values_list(*SUBMISSION),
        *judgements.values_list(*JUDGEMENT),
    ]


def _without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: bool(value) if name.endswith((*TIMES, *DRAWN)) else value
        for name, value in row.items()
    }


def rated(campaign: Campaign, *, at_once: bool) -> list[Any]:
    number_from_one(Participant, Assignment)
    assert rate(campaign, at_once=at_once) == PLACES
    return rows_of(campaign)


@pytest.mark.parametrize(
    "name", ["e2e-quality", "rotowire-facts", "tuna08-identification", "document-esa"]
)
def test_both_ways_store_the_same_rows(name):
    campaign = launched(name, full=False)
    free = campaign.slots.order_by("copy", "batch_id").values("pk")[:PLACES]
    campaign.slots.exclude(pk__in=free).update(state="done")
    with transaction.atomic():
        expected = rated(campaign, at_once=False)
        transaction.set_rollback(True)
    assert rated(campaign, at_once=True) == expected
    assert Submission.objects.count() > PLACES * SCREENS_BY_ACTIONS
