"""What organisers themselves say about their study for the paper."""

from __future__ import annotations

from collections.abc import Mapping

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.exporting.paper.study import confirmed_answers
from rankme.models import Campaign

CONFIRMED = gettext_noop("answers for the paper confirmed")


@transaction.atomic
def confirm_answers(campaign: Campaign, answers: Mapping[str, str], *, by: User) -> int:
    """Store what changed as an event of the campaign's history, and return how many.

    An empty text takes an answer back. Earlier ones stay in the history.
    """
    # Of two members who save at once, the second sees what the first one stored.
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    known = confirmed_answers(campaign)
    changed = {name: text for name, text in answers.items() if known.get(name, "") != text}
    if changed:
        note(campaign, by, CONFIRMED, **changed)
    return len(changed)
