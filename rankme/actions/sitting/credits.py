"""Credit for raters of panels such as SONA: reported by this site, once."""

from __future__ import annotations

import logging

from django.db import transaction
from django.db.models.functions import Now

from rankme.actions import jobs
from rankme.models import PanelCredit, Participant
from rankme.panel_calls import credits
from rankme.panel_calls.calls import AnswerLost, PanelAway
from rankme.panel_links import PANELS
from rankme.queries.definitions import frozen_definition

log = logging.getLogger(__name__)
State = PanelCredit.State


def note_credit(participant: Participant) -> None:
    """Note that a rater who has finished is to be reported, in the caller's transaction."""
    if not credit_address(participant):
        return
    PanelCredit.objects.bulk_create([PanelCredit(participant=participant)], ignore_conflicts=True)
    transaction.on_commit(lambda: jobs.send([("rankme.tasks.report_credit", participant.pk)]))


def credit_address(participant: Participant) -> str:
    """The panel's address for this rater; empty where the panel takes no such call."""
    crowd = frozen_definition(participant.campaign).definition.crowd
    panel = PANELS.get(participant.panel)
    if panel is None or panel.credit_address is None or participant.panel != crowd.panel:
        return ""
    return panel.credit_address(crowd.return_url, participant.external_id)


def report_credits(participant_id: int | None = None) -> None:
    """Report everybody who waits. A call whose answer is lost is not repeated: the rater's own
    browser grants the credit on the way back.
    """
    waiting = PanelCredit.objects.filter(state=State.DRAFTED)
    if participant_id is not None:
        waiting = waiting.filter(participant=participant_id)
    for credit in waiting.select_related("participant__campaign"):
        # One process at a time: the first that moves the row makes the call.
        mine = PanelCredit.objects.filter(pk=credit.pk, state=State.DRAFTED)
        if mine.update(state=State.ASKED, asked_at=Now()):
            _report(credit)


def _report(credit: PanelCredit) -> None:
    try:
        granted = credits.report(credit_address(credit.participant))
        state = State.GRANTED if granted else State.REFUSED
    except PanelAway:
        state = State.DRAFTED
    except AnswerLost:
        state = State.LOST
    log.info("credit %s: %s", credit.pk, state)
    PanelCredit.objects.filter(pk=credit.pk).update(state=state)
