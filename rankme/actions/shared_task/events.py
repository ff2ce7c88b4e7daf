"""Recording the acts of hosts and teams."""

from __future__ import annotations

from django.contrib.auth.models import User

from rankme.models import SharedTask, TaskEvent, TeamMember


def note(
    task: SharedTask, verb: str, *, by: User | TeamMember | None, **detail: object
) -> TaskEvent:
    """Write an event in the caller's transaction.

    Parameters
    ----------
    by : a host's account, or a member of a team, whose team is noted too
    """
    member = by if isinstance(by, TeamMember) else None
    return TaskEvent.objects.create(
        task=task,
        actor=by if isinstance(by, User) else None,
        member=member,
        team=member.team if member else None,
        verb=verb,
        detail=detail,
    )
