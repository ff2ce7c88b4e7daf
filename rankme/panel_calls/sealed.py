"""Secrets of panels and webhooks: stored encrypted, with a key that only the environment has."""

from __future__ import annotations

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.translation import gettext as _

from rankme.errors import RefusedAction


def _box() -> MultiFernet:
    """The first key encrypts; the others still open what was encrypted before."""
    keys: list[str] = settings.PANEL_KEYS
    if not keys:
        raise RefusedAction(
            _(
                "This site has no key with which it could store a secret. Its administrator sets "
                "PANEL_KEYS."
            )
        )
    return MultiFernet([Fernet(key) for key in keys])


def seal(secret: str) -> str:
    return _box().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """The secret again; refused when it was stored under a key that is gone."""
    try:
        return _box().decrypt(sealed.encode()).decode()
    except InvalidToken as error:
        raise RefusedAction(
            _("The secret was stored with another key. Enter or make it again.")
        ) from error
