"""How long people stay logged in: so long after the login, and so long without a request."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeAlias

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import SESSION_KEY, logout
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _

GetResponse: TypeAlias = Callable[[HttpRequest], HttpResponseBase]

BEGAN, SEEN = "began", "seen"
# A session is written no oftener than this: pages that watch something ask every few seconds.
NOTED_EVERY = 60


@receiver(user_logged_in)
def note_the_beginning(request: HttpRequest, **more: object) -> None:
    request.session[BEGAN] = request.session[SEEN] = int(time.time())


def end_old_sessions(get_response: GetResponse) -> GetResponse:
    """Log out people who are logged in for too long, or were away for too long."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        # Raters have no session: nothing is read for them.
        if settings.SESSION_COOKIE_NAME in request.COOKIES and SESSION_KEY in request.session:
            end_or_note(request)
        return get_response(request)

    return middleware


def end_or_note(request: HttpRequest) -> None:
    now = int(time.time())
    session = request.session
    began, seen = session.setdefault(BEGAN, now), session.get(SEEN, now)
    if now - began >= settings.SESSION_COOKIE_AGE or now - seen >= settings.SESSION_IDLE_SECONDS:
        logout(request)
        messages.info(request, _("You were logged out to protect your account. Log in again."))
    elif SEEN not in session or now - seen >= NOTED_EVERY:
        session[SEEN] = now
