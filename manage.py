#!/usr/bin/env python
"""The command line of the site; without DATABASE_URL it brings its own PostgreSQL along."""

import contextlib
import os
import sys

NEED_NO_SERVER = {"help", "--help", "--version", "version", "collectstatic", "compilemessages"}


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    os.environ.setdefault("ENVIRONMENT", "local")
    from django.core.management import execute_from_command_line

    with servers_for(sys.argv[1:2]):
        execute_from_command_line(sys.argv)


def servers_for(command: list[str]) -> contextlib.AbstractContextManager:
    if not command or set(command) & NEED_NO_SERVER or os.environ.get("DATABASE_URL"):
        return contextlib.nullcontext()
    from evalsite.embedded import Servers, data_folder

    return Servers(data_folder()).running()


if __name__ == "__main__":
    main()
