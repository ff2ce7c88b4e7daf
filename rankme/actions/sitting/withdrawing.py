"""Raters who withdraw: from now on, or also what they gave."""

from __future__ import annotations

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.models import Participant

from .exclusions import exclude_at_own_wish
from .participation import give_back


@transaction.atomic
def withdraw(participant: Participant, *, with_answers: bool = False) -> Participant:
    """End a rater's part at their own wish; doing it twice changes nothing.

    The batch that they hold goes to somebody else. With their answers, these are left out of all
    coming analyses as well: nothing is deleted, because published reports contain them already.
    """
    campaign = participant.campaign
    participant = give_back(participant)
    participant.campaign = campaign
    ended = Participant.objects.filter(pk=participant.pk, withdrawn_at=None)
    if ended.update(withdrawn_at=Now()):
        note(campaign, None, gettext_noop("rater withdrew"), rater=participant.label)
    if with_answers and exclude_at_own_wish(participant):
        note(campaign, None, gettext_noop("rater withdrew answers"), rater=participant.label)
    participant.refresh_from_db(fields=["state", "outcome", "completion_code", "withdrawn_at"])
    return participant
