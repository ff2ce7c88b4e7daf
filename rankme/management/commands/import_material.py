"""Check files of system outputs, show the preview, and take them into a draft."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rankme.actions.campaign.campaigns import definition_of
from rankme.actions.material import materials
from rankme.actions.material.materials import remembered_columns
from rankme.errors import RankmeError
from rankme.importing import AS_PROPOSED, READERS, InvalidColumns, Reading, reading_from
from rankme.management.loading import campaign_of, work_off
from rankme.management.proposals import (
    add_reading_arguments,
    described,
    files_of,
    proposal,
    reading_of,
)
from rankme.models import Campaign
from rankme.protocols.dialogues import text_checks


class Command(BaseCommand):
    help = "Check files of system outputs; with --take, import them as the draft's material."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's code")
        parser.add_argument("paths", nargs="+", type=Path, help="files, or a folder of files")
        parser.add_argument("--format", default="", choices=["", *READERS], help="default: guessed")
        add_reading_arguments(
            parser,
            columns='what the columns of tables are, as JSON: {"tables": [{"layout": "long", '
            '"columns": {"system": "model", "item": "id", "output": "answer"}}]}',
        )
        parser.add_argument("--take", action="store_true", help="import the material right away")

    def handle(
        self, *, campaign: str, paths: list[Path], format: str, columns: str, **options: Any
    ) -> None:
        target = campaign_of(campaign)
        try:
            uploads = [file for path in paths for file in files_of(path)]
            reading = reading_of(columns)
            if options["dry_run"]:
                told = reading if columns else remembered(target)
                checks = text_checks(definition_of(target))
                found = proposal(uploads, format, told, checks)
                self.stdout.write(described(found, as_json=options["json"]))
                return
            self._import(target, uploads, format, reading, take=options["take"])
        except (RankmeError, InvalidColumns, OSError) as error:
            raise CommandError(str(error)) from error
        except json.JSONDecodeError as error:
            raise CommandError(f"--columns is not JSON: {error}.") from error

    def _import(
        self, target: Campaign, uploads: list[Path], format: str, reading: Reading, *, take: bool
    ) -> None:
        given = {"reading": reading.as_document()} if reading != AS_PROPOSED else {}
        row = materials.start_import(target, uploads, format=format, options=given, by=target.owner)
        work_off(row)
        self.stdout.write(summary(row.preview))
        if take:
            materials.take_import(row, by=target.owner)
            work_off(row)
        self.stdout.write(
            "Imported." if take else "Nothing was imported. Add --take to import the files."
        )


def remembered(campaign: Campaign) -> Reading:
    """Column roles of an earlier import to this campaign."""
    return reading_from(remembered_columns(definition_of(campaign)))


def summary(preview: dict[str, Any]) -> str:
    lines = [
        f"{preview['n_outputs']} outputs of {len(preview['systems'])} systems"
        f" for {preview['n_items']} items (format {preview['format']}):"
        f" {preview['missing']} missing, {preview['empty']} empty,"
        f" {preview['identical_outputs']} identical",
        *(
            f"  {system['name']}: {system['outputs']} outputs, {system['missing']} missing"
            for system in preview["systems"]
        ),
        *preview["notes"],
    ]
    return "\n".join(lines)
