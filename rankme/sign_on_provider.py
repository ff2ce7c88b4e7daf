"""The OpenID Connect provider at which people can sign in, as the settings name it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _


def app_settings() -> dict[str, Any] | None:
    """What the operator said about the provider; None where there is none."""
    apps = settings.SOCIALACCOUNT_PROVIDERS.get("openid_connect", {}).get("APPS", [])
    return apps[0] if apps else None


def provider_name() -> str:
    """What the provider is called on pages; "" where there is none."""
    app = app_settings()
    return "" if app is None else app["name"] or _("single sign-on")
