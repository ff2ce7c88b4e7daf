"""What teams object to in their results, and what hosts answer."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.errors import RefusedAction
from rankme.models import Dispute, SharedTask, SystemUpload, Team, TeamMember, Track

from .events import note
from .rules import rules_as_refusals

MOST_DISPUTES = 20


def disputes_of(task: SharedTask) -> QuerySet[Dispute]:
    """What the teams of a task object to, newest first."""
    return Dispute.objects.filter(team__task=task).select_related("team", "track")


@transaction.atomic
def make_dispute(track: Track, text: str, *, by: TeamMember) -> Dispute:
    """Object to the team's results in a track. The text can never be changed.

    Raises
    ------
    RefusedAction : there are no results yet, nothing of the team was judged, it is too late, or the
        team has objected often
    """
    team = Team.objects.select_for_update(no_key=True).get(pk=by.team_id)
    # Before the names, the answer would tell whether a code belongs to the team.
    if team.task.unsealed_at is None:
        raise RefusedAction(_("The task is not unsealed: there are no results yet."))
    if not text.strip():
        raise RefusedAction(_("Write what you object to."))
    if not SystemUpload.objects.filter(team=team, track=track, code__isnull=False).exists():
        raise RefusedAction(_("No system of your team was judged in this track."))
    if team.disputes.count() >= MOST_DISPUTES:
        raise RefusedAction(_("Your team has objected often. Write to the hosts."))
    with rules_as_refusals():
        made = Dispute.objects.create(team=team, track=track, member=by, text=text.strip())
    note(team.task, gettext_noop("results disputed"), by=by, dispute=made.pk)
    return made


@transaction.atomic
def answer_dispute(dispute: Dispute, text: str, *, by: User) -> Dispute:
    """Answer a team once; the answer stays."""
    if not text.strip():
        raise RefusedAction(_("Write the answer."))
    with rules_as_refusals():
        Dispute.objects.filter(pk=dispute.pk).update(
            answer=text.strip(), answered_by=by, answered_at=Now()
        )
    note(dispute.team.task, gettext_noop("dispute answered"), by=by, dispute=dispute.pk)
    dispute.refresh_from_db()
    return dispute
