"""Say in words what is wrong with this installation, and what helps."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
from django.conf import settings
from django.core.mail import get_connection
from django.core.management.base import BaseCommand, CommandError

from evalsite.operation.readiness import Trouble
from evalsite.operation.troubles import troubles
from rankme.actions.operators import name_storage, record_backup

SECONDS_FOR_AN_ANSWER = 5


class Command(BaseCommand):
    help = (
        "Check database, static files, disk, storage, clock, backup, mail server, and the site's "
        "public address with its proxy. Prints each problem with its remedy; exits with status 1 "
        "if there is any."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--this-storage",
            action="store_true",
            help="mark the storage that this command sees as the site's own, after a restore",
        )
        parser.add_argument(
            "--backup-made", action="store_true", help="record that a backup was made just now"
        )

    def handle(self, *, this_storage: bool, backup_made: bool, **options: Any) -> None:
        if this_storage:
            name_storage(again=True)
        if backup_made:
            record_backup()
        found = [*troubles(), *mail_server()]
        found += public_address() if settings.PRODUCTION else ()
        for trouble in found:
            self.stdout.write(f"PROBLEM  {trouble.what}\n         {trouble.remedy}")
        if found:
            raise CommandError(f"{len(found)} problems.")
        self.stdout.write("No problems found.")


def mail_server() -> Iterator[Trouble]:
    """Greet the mail server as far as the password; nothing is sent."""
    try:
        with get_connection():
            pass
    except OSError as error:  # also those of SMTP and TLS
        yield Trouble(
            f"{settings.EMAIL_HOST}:{settings.EMAIL_PORT} takes no mail from this site: {error}",
            "Check EMAIL_HOST, EMAIL_PORT (465 where the connection begins with TLS, else mostly "
            "587), EMAIL_HOST_USER and EMAIL_HOST_PASSWORD.",
        )


def public_address() -> Iterator[Trouble]:
    """Visit the site as raters do. Whether they reach it from their networks, only they know."""
    page = f"{settings.SITE_URL}{settings.PATH_PREFIX}/login/"
    try:
        answer = ask(page)
    except httpx.HTTPError as error:
        yield Trouble(
            f"{page} cannot be reached from here: {error}",
            "Check the name in the DNS, the certificate, the firewall, and that the proxy runs.",
        )
        return
    if answer.is_redirect and urlsplit(answer.headers["Location"]).scheme == "https":
        yield Trouble(
            f"{page} leads back to itself: the site does not know that the visitor came by https.",
            "Set BEHIND_TLS_PROXY=true, and let the proxy send X-Forwarded-Proto: https.",
        )
    elif answer.status_code != 200:
        yield Trouble(
            f"{page} answers {answer.status_code}.",
            "Check that the proxy forwards the whole address with its Host, and ALLOWED_HOSTS.",
        )
    elif believes_a_client(page):
        yield Trouble(
            "The proxy hands on a visitor's own X-Forwarded-Proto: plain http is taken for https.",
            "Let the proxy set the header itself, as nginx.conf does.",
        )


def believes_a_client(page: str) -> bool:
    try:
        plain = ask(page.replace("https:", "http:", 1), {"X-Forwarded-Proto": "https"})
    except httpx.HTTPError:
        return False  # nothing listens there, which is as good
    return plain.status_code == 200


def ask(page: str, headers: dict[str, str] | None = None) -> httpx.Response:
    return httpx.get(page, headers=headers, timeout=SECONDS_FOR_AN_ANSWER, trust_env=False)
