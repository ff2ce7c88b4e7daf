"""Ending sessions of an account, and forgetting which there were."""

from __future__ import annotations

from allauth.usersessions.models import UserSession
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.translation import gettext_noop

from rankme.actions.audit import note

ENDED = gettext_noop("sessions ended")


@transaction.atomic
def end_sessions(user: User, *, but: str, number: int | None = None) -> int:
    """End the person's session with this number, or all; never the one with the key `but`."""
    chosen = UserSession.objects.filter(user=user).exclude(session_key=but)
    if number is not None:
        chosen = chosen.filter(pk=number)
    ending = list(chosen)
    for session in ending:
        session.end()
    if ending:
        note(None, user, ENDED, sessions=len(ending))
    return len(ending)


def forget_ended_sessions() -> int:
    """Delete the browsers and addresses of sessions that are over."""
    still_there = Session.objects.values("session_key")
    return int(UserSession.objects.exclude(session_key__in=still_there).delete()[0])
