"""The command `rankme` of an installed package, and `manage.py` of a checkout."""

from __future__ import annotations

import contextlib
import os
import sys
from importlib import metadata

USAGE = """rankme: people judge generated text, and you get a ranking.

  rankme run            the whole site on this machine, with a demonstration
  rankme manage …       commands of the site: `rankme manage help` lists them
  rankme --version

The variables in docs/deployment.md set where data lives and where the site listens."""
NEED_NO_SERVER = {"help", "--help", "--version", "version", "collectstatic", "compilemessages"}


def main() -> int:
    """Run what the command line says; return the exit code."""
    command, *rest = sys.argv[1:] or ["--help"]
    if command == "run" and not rest:
        from evalsite import run

        return run.main()
    if command == "manage":
        manage([f"{sys.argv[0]} manage", *rest])
        return 0
    if command == "--version":
        print(metadata.version("rankme"))
        return 0
    print(USAGE, file=sys.stdout if command in ("-h", "--help") else sys.stderr)
    return 0 if command in ("-h", "--help") else 2


def manage(arguments: list[str]) -> None:
    """Run a management command; without DATABASE_URL the embedded PostgreSQL is started for it."""
    os.environ.setdefault("ENVIRONMENT", "local")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    with _servers_for(arguments[1:2]):
        try:
            execute_from_command_line(arguments)
        except ImproperlyConfigured as refusal:  # its sentences, without forty lines of our code
            sys.exit(str(refusal))


def _servers_for(command: list[str]) -> contextlib.AbstractContextManager[object]:
    if not command or set(command) & NEED_NO_SERVER or os.environ.get("DATABASE_URL"):
        return contextlib.nullcontext()
    from evalsite.embedded import Servers, data_folder

    return Servers(data_folder()).running()
