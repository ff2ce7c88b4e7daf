"""A production start with an unsafe setting is refused, and says which."""

import contextlib
import os
import secrets
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

SHORTEST_SECRET_KEY = 50
FEWEST_DIFFERENT_CHARACTERS = 5
EXAMPLE_SECRET_KEY = "change-me"
HOW_TO_MAKE_A_KEY = 'python -c "import secrets; print(secrets.token_urlsafe(48))"'


def local_secret_key(folder: Path) -> str:
    """Give the key of this data folder, drawn when it is first asked for."""
    path = folder / "secret-key"
    if not path.exists():
        draft = folder / f"secret-key.{os.getpid()}"
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(48))
        # The first of two that start together wins: link() never replaces, and is never half done.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        draft.unlink()
    return path.read_text()


def refuse_unsafe_settings(
    secret_key: str, debug: bool, allowed_hosts: list[str], fallbacks: list[str]
) -> None:
    """Raise one error that names every unsafe setting, so that one look mends them all."""
    problems = [
        *secret_key_problems("SECRET_KEY", secret_key),
        *(each for key in fallbacks for each in secret_key_problems("SECRET_KEY_FALLBACKS", key)),
        *debug_problems(debug),
        *host_problems(allowed_hosts),
    ]
    if problems:
        raise ImproperlyConfigured(
            "This is a production start (ENVIRONMENT=production), and it is not safe:\n- "
            + "\n- ".join(problems)
        )


def secret_key_problems(name: str, key: str) -> list[str]:
    if not key:
        return [f"{name} is missing. Make one: {HOW_TO_MAKE_A_KEY}"]
    if key.startswith((EXAMPLE_SECRET_KEY, "django-insecure-")):
        return [f"{name} is a published example. Make your own: {HOW_TO_MAKE_A_KEY}"]
    if len(key) < SHORTEST_SECRET_KEY or len(set(key)) < FEWEST_DIFFERENT_CHARACTERS:
        return [f"{name} can be guessed. Make a longer one: {HOW_TO_MAKE_A_KEY}"]
    return []


def debug_problems(debug: bool) -> list[str]:
    return ["DEBUG is on: errors would show settings and data to strangers."] if debug else []


def host_problems(allowed_hosts: list[str]) -> list[str]:
    if not allowed_hosts:
        return ["ALLOWED_HOSTS is missing. Name the host, for instance eval.example.org"]
    open_to_all = [host for host in allowed_hosts if host in {"*", "."}]
    return ["ALLOWED_HOSTS holds *: any host name would be taken."] if open_to_all else []


def refuse_unsafe_site() -> None:
    """Run all checks, the database's too, before a server or a worker takes its first task."""
    import django
    from django.core import checks
    from django.db import connections

    django.setup()
    found = checks.run_checks(databases=list(connections))
    connections.close_all()
    errors = [str(each) for each in found if each.level >= checks.ERROR and not each.is_silenced()]
    if errors:
        raise ImproperlyConfigured("This start is refused:\n- " + "\n- ".join(errors))
