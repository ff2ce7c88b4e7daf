"""Leaving raters out of coming analyses, and letting them count again."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Participant, RaterExclusion

from .assignments import settle_slots_of

# Reports quote it, so it is not translated.
WITHDRAWN = "Withdrawn by the rater."


@transaction.atomic
def exclude_rater(participant: Participant, *, reason: str, by: User) -> RaterExclusion:
    """Leave a rater out of coming analyses, and let others judge in their place.

    Nothing is deleted, and it can be withdrawn.
    """
    if not reason.strip():
        raise RefusedAction(_("Say why this rater is excluded: the report will quote it."))
    columns = {"reason": reason.strip()[:500], "decided_by": by}
    exclusion, is_new = _exclude(participant, columns)
    if is_new:
        verb = gettext_noop("rater excluded")
        note(participant.campaign, by, verb, rater=participant.label, reason=reason)
    return exclusion


@transaction.atomic
def exclude_by_rule(participant: Participant, parts: list[str]) -> None:
    """Exclude a rater because of a rule of the campaign.

    A rater whom a person has excluded already stays excluded for that person's reason.
    """
    rule = " or ".join(parts)
    _exclusion, is_new = _exclude(participant, {"reason": rule[:500], "rule": rule})
    if is_new:
        verb = gettext_noop("rater excluded by a rule")
        note(participant.campaign, None, verb, rater=participant.label, rule=parts)


def _exclude(participant: Participant, columns: dict[str, Any]) -> tuple[RaterExclusion, bool]:
    """Store an exclusion, unless there is one; return the one that holds, and whether it is new."""
    exclusion, is_new = RaterExclusion.objects.get_or_create(
        participant=participant,
        withdrawn_at=None,
        defaults={"campaign": participant.campaign, **columns},
    )
    if is_new:
        settle_slots_of(participant)
    return exclusion, is_new


@transaction.atomic
def exclude_at_own_wish(participant: Participant) -> bool:
    """Leave a rater out for good, because the rater withdraws what they gave.

    It takes the place of an exclusion by others, which could be withdrawn. Doing it twice changes
    nothing; the answer is whether anything was changed.
    """
    standing = participant.exclusions.filter(withdrawn_at=None)
    if standing.filter(by_rater=True).exists():
        return False
    standing.update(withdrawn_at=Now())
    RaterExclusion.objects.create(
        campaign=participant.campaign,
        participant=participant,
        reason=WITHDRAWN,
        by_rater=True,
    )
    settle_slots_of(participant)
    return True


@transaction.atomic
def readmit_rater(participant: Participant, *, by: User) -> None:
    """Let a rater count again, except in slots that another rater has finished meanwhile.

    Raises
    ------
    RefusedAction : the rater has withdrawn their answers, which only they could take back
    """
    if participant.exclusions.filter(withdrawn_at=None, by_rater=True).exists():
        raise RefusedAction(
            _("This rater withdrew their answers. Nobody else can include them again.")
        )
    if participant.exclusions.filter(withdrawn_at=None).update(withdrawn_at=Now()):
        settle_slots_of(participant)
        note(participant.campaign, by, gettext_noop("rater readmitted"), rater=participant.label)
