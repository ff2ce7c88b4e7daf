"""A production start with an unsafe setting is refused, and says which."""

import base64
import contextlib
import hashlib
import logging
import os
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django
from cryptography.fernet import Fernet
from django.conf import settings
from django.core import checks
from django.core.exceptions import ImproperlyConfigured
from django.db import connections
from django.http.request import validate_host

log = logging.getLogger(__name__)

SHORTEST_SECRET_KEY = 50
FEWEST_DIFFERENT_CHARACTERS = 5
EXAMPLE = "change-me"
PROLIFIC_API = "https://api.prolific.com"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
HOW_TO_MAKE_A_KEY = 'python -c "import secrets; print(secrets.token_urlsafe(48))"'


def local_secret_key(folder: Path) -> str:
    """Return the key of this data folder, drawn when it is first needed."""
    path = folder / "secret-key"
    if not path.exists():
        draft = folder / f"secret-key.{os.getpid()}"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        # The first of two that start together wins: link() is atomic and never replaces.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text()


def local_panel_keys(secret_key: str, production: bool) -> list[str]:
    """The key for panels' tokens, where nothing but this machine is at stake."""
    if production:
        return []
    digest = hashlib.sha256(f"rankme.panel_calls:{secret_key}".encode()).digest()
    return [base64.urlsafe_b64encode(digest).decode()]


def refuse_unsafe_panel(keys: list[str], address: str, *, production: bool) -> None:
    """Tokens go to the panel alone, or from a local site to a practice panel on its machine."""
    for key in keys:
        try:
            Fernet(key)
        except ValueError:
            raise ImproperlyConfigured(
                "PANEL_KEYS has something else than keys. Create one: python -c "
                '"from cryptography.fernet import Fernet; print(Fernet.generate_key().decode())"'
            ) from None
    is_practice = urlsplit(address).hostname in LOOPBACK
    if address != PROLIFIC_API and (production or not is_practice):
        raise ImproperlyConfigured(
            f"PROLIFIC_API is {address}. A production site calls {PROLIFIC_API}; a local one can "
            "also call a practice panel on its own machine."
        )


def refuse_unkept_second_factors(keys: list[str]) -> None:
    """Secrets of second factors are stored encrypted, like those of panels."""
    if not keys:
        raise ImproperlyConfigured(
            "SECOND_FACTOR_REQUIRED needs PANEL_KEYS, with which the secrets of second factors are "
            "stored. docs/deployment.md says how to create a key."
        )


def refuse_unsafe_settings(
    *,
    secret_key: str,
    fallbacks: list[str],
    debug: bool,
    allowed_hosts: list[str],
    site_url: str,
    addresses: dict[str, str],
) -> None:
    """Raise one error that names every unsafe setting, so that all can be fixed at once."""
    problems = [
        *secret_key_problems("SECRET_KEY", secret_key),
        *(each for key in fallbacks for each in secret_key_problems("SECRET_KEY_FALLBACKS", key)),
        *debug_problems(debug),
        *host_problems(allowed_hosts),
        *site_url_problems(site_url, allowed_hosts),
        *(each for name, url in addresses.items() for each in address_problems(name, url)),
    ]
    if problems:
        raise ImproperlyConfigured(
            "This is a production start (ENVIRONMENT=production), and it is not safe:\n- "
            + "\n- ".join(problems)
        )


def secret_key_problems(name: str, key: str) -> list[str]:
    if not key:
        return [f"{name} is missing. Create one: {HOW_TO_MAKE_A_KEY}"]
    if key.startswith((EXAMPLE, "django-insecure-")):
        return [f"{name} is a published example. Create your own: {HOW_TO_MAKE_A_KEY}"]
    if len(key) < SHORTEST_SECRET_KEY or len(set(key)) < FEWEST_DIFFERENT_CHARACTERS:
        return [f"{name} can be guessed. Create a longer one: {HOW_TO_MAKE_A_KEY}"]
    return []


def address_problems(name: str, url: str) -> list[str]:
    """Look for the password of an example in an address."""
    password = urlsplit(url).password or ""
    return [f"{name} has the password of an example."] if password.startswith(EXAMPLE) else []


def debug_problems(debug: bool) -> list[str]:
    return ["DEBUG is on: errors would show settings and data to strangers."] if debug else []


def host_problems(allowed_hosts: list[str]) -> list[str]:
    if not allowed_hosts:
        return ["ALLOWED_HOSTS is missing. Name the host, for example eval.example.org"]
    open_to_all = [host for host in allowed_hosts if host in {"*", "."}]
    return ["ALLOWED_HOSTS holds *: any host name would be accepted."] if open_to_all else []


def site_url_problems(site_url: str, allowed_hosts: list[str]) -> list[str]:
    """Panels send paid raters to this address: it must be the one that the site answers to."""
    if not site_url:
        return ["SITE_URL is missing. Name the public address, such as https://eval.example.org"]
    address = urlsplit(site_url)
    if address.scheme != "https" or not address.hostname:
        return [f"SITE_URL is {site_url}. Raters need an address that begins with https://"]
    if not validate_host(address.hostname, allowed_hosts):
        return [f"SITE_URL names the host {address.hostname}, which ALLOWED_HOSTS does not."]
    return []


def refuse_confused_roles(site: dict[str, Any], owner: dict[str, Any] | None) -> None:
    """Two addresses of the database are of one database and of two roles."""
    if owner is None:
        return
    if owner["NAME"] != site["NAME"]:
        raise ImproperlyConfigured("DATABASE_URL and DATABASE_OWNER_URL name two databases.")
    if owner["USER"] == site["USER"]:
        raise ImproperlyConfigured(
            "DATABASE_URL and DATABASE_OWNER_URL name the same role. The site needs its own role, "
            "such as rankme_site: `manage.py migrate` creates it."
        )


def refuse_unsafe_site(*, only: Sequence[str] | None = None) -> None:
    """Run all checks, the database's too, before a server or a worker takes its first task.

    `only` names tags of checks: those of the code load every page and form.
    """
    django.setup()
    found = checks.run_checks(tags=only, databases=list(connections))
    connections.close_all()
    found = [each for each in found if not each.is_silenced()]
    errors = [str(each) for each in found if each.level >= checks.ERROR]
    if settings.PRODUCTION and settings.DATABASE_OWNER:
        errors.append(
            "DATABASE_OWNER_URL is set. Only `manage.py migrate` needs it: a server or worker that "
            "knows the owner's password could change the record."
        )
    for each in found:
        if each.level == checks.WARNING:
            log.warning("%s", each)
    if errors:
        raise ImproperlyConfigured("This start is refused:\n- " + "\n- ".join(errors))
