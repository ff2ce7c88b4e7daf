"""Ask a panel everything that changes nothing, before the first study is paid for."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rankme.actions.panel.checking import check_account
from rankme.errors import RankmeError
from rankme.models import PanelAccount

NEXT = (
    "Next: take part in a test study of the panel's own, before anybody is paid. “Before the first "
    "study” in docs/crowds.md says how."
)


class Command(BaseCommand):
    help = (
        "Make every call to a panel's API that only asks, with the token of one of the site's"
        " accounts, and say of each whether the answer is as expected. The token is never shown."
        " The exit code is 1 if anything is not."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("account", help="the account's name, or its number")

    def handle(self, *, account: str, **options: Any) -> None:
        wrong = 0
        try:
            for verdict in check_account(_found(account)):
                wrong += not verdict.is_good
                mark = "ok   " if verdict.is_good else "WRONG"
                self.stdout.write(f"{mark}  {verdict.call}: {verdict.what}")
                if verdict.remedy:
                    self.stdout.write(f"       {verdict.remedy}")
        except RankmeError as error:
            raise CommandError(str(error)) from error
        if wrong:
            raise CommandError(f"{wrong} of the panel's answers cannot be used as they are.")
        self.stdout.write(f"Everything is as expected.\n{NEXT}")


def _found(account: str) -> PanelAccount:
    """The account with this number, or else the only one with this name."""
    every = PanelAccount.objects.real().select_related("owner").order_by("pk")
    named = [each for each in every if account in (str(each.pk), each.name)]
    if len(named) == 1:
        return named[0]
    known = "\n".join(f"  {each.pk}  {each.name} ({each.owner.username})" for each in every)
    raise CommandError(f"Name one of these accounts by its number:\n{known or '  (none)'}")
