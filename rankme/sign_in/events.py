"""Audit events of what people do with their accounts."""

from __future__ import annotations

from typing import Any

from allauth.account.signals import password_changed, user_logged_in
from django.contrib.auth.models import User
from django.contrib.auth.signals import user_logged_out
from django.dispatch import receiver
from django.http import HttpRequest

from rankme.actions.accounts.passwords import CHANGED, LOGGED_OUT, note_login
from rankme.actions.audit import note


@receiver(user_logged_in)
def note_logged_in(request: HttpRequest, user: User, **more: Any) -> None:
    """Note a login when all of its steps are done."""
    note_login(user, address=request.META.get("REMOTE_ADDR", ""))


@receiver(user_logged_out)
def note_logged_out(user: User | None, **more: Any) -> None:
    if user is not None:
        note(None, user, LOGGED_OUT)


@receiver(password_changed)
def note_password_changed(user: User, **more: Any) -> None:
    note(None, user, CHANGED)
