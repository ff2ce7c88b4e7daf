"""Raters at work, for tests: what a browser would send, and a whole sitting at once."""

import json
from typing import Any
from uuid import uuid4

from django.db import connection

from rankme.actions.sitting import assignments, judgements, participation
from rankme.actions.sitting.presentations import PAGES
from rankme.models import Assignment, Complaint, Participant, TrialOutput
from rankme.protocols.exchange.sent_screen import SentScreen, read_sent
from tests.campaigns import answers_for


def payload_for(
    assignment: Assignment, trial: int = 0, screen: int = 0, *, value: float = 50, **changes: Any
) -> dict[str, Any]:
    """One answered screen, as the browser sends it, under a fresh key."""
    campaign = assignment.campaign
    return {
        "version": 1,
        "key": str(uuid4()),
        "assignment": assignment.pk,
        "trial": trial,
        "screen": screen,
        "answers": answers_for(campaign, assignment, trial, screen, value),
    } | changes


def pages_of(batch: int) -> list[Any]:
    """The pages of a batch, as they are drawn from."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {PAGES.format(batch='%s')}", [batch])
        return list(json.loads(cursor.fetchone()[0]))


def outputs_in_order(presentation: list[list[Any]]) -> dict[int, list[int]]:
    """The output ids of each trial in the order that this presentation shows them."""
    rows = TrialOutput.objects.filter(trial_id__in=[trial for trial, _ in presentation])
    planned: dict[int, dict[int, int]] = {}
    for trial, position, output in rows.values_list("trial_id", "position", "output_id"):
        planned.setdefault(trial, {})[position] = output
    return {trial: [planned[trial][place] for place in places] for trial, places in presentation}


def claim(rater: Participant) -> Assignment:
    """A batch for this rater, where there must be one."""
    found = assignments.claim_batch(rater)
    assert isinstance(found, Assignment), found
    return found


def answer(
    assignment: Assignment, trial: int = 0, screen: int = 0, **changes: Any
) -> judgements.Receipt:
    payload = payload_for(assignment, trial, screen, **changes)
    return store(assignment.participant, payload)


def store(rater: Participant, payload: dict[str, Any]) -> judgements.Receipt:
    """Send a payload straight to the action, as if the page had read it."""
    sent = read_sent(json.dumps(payload).encode())
    assert isinstance(sent, SentScreen)
    return judgements.record_submission(rater, sent)


def answer_all(assignment: Assignment, **changes: Any) -> None:
    screens = len(judgements.frozen_definition(assignment.campaign).definition.screens)
    for trial in range(len(assignment.presentation)):
        for screen in range(screens):
            answer(assignment, trial, screen, **changes)


def sit(rater: Participant) -> Assignment:
    """Claim, answer every screen and finish."""
    assignment = claim(rater)
    answer_all(assignment)
    return finish(assignment)


def finish(assignment: Assignment) -> Assignment:
    """End the sitting that a rater works on, and with the last one the visit."""
    participation.finish_work(assignment.participant)
    return Assignment.objects.get(pk=assignment.pk)


def run_out(assignment: Assignment) -> None:
    """Let the lease end in the past, as if the rater had gone long ago."""
    Assignment.objects.filter(pk=assignment.pk).update(leased_until="2001-01-01T00:00:00Z")


def complaint_of(held: Assignment) -> Complaint:
    """What a rater reported about the first page of a batch."""
    return Complaint.objects.create(
        key=uuid4(),
        campaign=held.campaign,
        participant=held.participant,
        assignment=held,
        trial_id=held.presentation[0][0],
        screen=0,
        text="The text is cut off.",
    )
