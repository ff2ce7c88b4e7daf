"""Moves words of raters out of old payloads, as the owner of the database."""

from __future__ import annotations

import getpass
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from evalsite import roles
from rankme.actions.sitting import moving_words
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.verification import verify_campaign


class Command(BaseCommand):
    help = (
        "Moves comments, and notes of marks, out of submissions of before 2.2.0, so that they are "
        "erased with their raters. Checks the record of each campaign before and after. It may be "
        "stopped at any time: the next call goes on. Run it where DATABASE_OWNER_URL is set."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaigns", nargs="*", metavar="code", help="default: all campaigns")

    def execute(self, *args: Any, **options: Any) -> Any:
        with roles.as_owner(connection):
            return super().execute(*args, **options)

    def handle(self, *, campaigns: list[str], **options: Any) -> None:
        if not _may_write():
            raise CommandError(
                "This role may not write the record again. Set DATABASE_OWNER_URL to the address "
                "of the owner of the tables, as for `manage.py migrate`."
            )
        found = Campaign.objects.exclude(launched_at=None).order_by("pk")
        if campaigns:
            found = found.filter(code__in=campaigns)
            if unknown := set(campaigns) - set(found.values_list("code", flat=True)):
                raise CommandError(f"There is no launched campaign {min(unknown)}.")
        for campaign in found:
            self._move(campaign)

    def _move(self, campaign: Campaign) -> None:
        epoch = moving_words.begin_epoch(campaign)
        if epoch is None:
            self.stdout.write(f"{campaign.code}: no words to move")
            return
        _check(campaign, "before")
        try:
            while moving_words.move_some(epoch):
                self.stdout.write(f"{campaign.code}: {epoch.submissions} submissions", ending="\r")
        except RefusedAction as refusal:
            raise CommandError(f"{campaign.code}: {refusal}") from refusal
        _check(campaign, "after")
        moving_words.renew_anchors(epoch)
        moving_words.finish_epoch(epoch, account=getpass.getuser())
        self.stdout.write(f"{campaign.code}: words of {epoch.submissions} submissions moved")


def _may_write() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('rankme_submission', 'UPDATE')")
        return bool(cursor.fetchone()[0])


def _check(campaign: Campaign, when: str) -> None:
    if fault := verify_campaign(campaign).fault:
        raise CommandError(f"{campaign.code}, {when} words are moved: {fault}")
