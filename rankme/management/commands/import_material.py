"""Check files of system outputs, show the preview, and take them into a draft."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rankme.actions import materials
from rankme.errors import RankmeError
from rankme.importing import READERS
from rankme.management.loading import work_off
from rankme.models import Campaign


class Command(BaseCommand):
    help = "Check files of system outputs; with --take, import them as the draft's material."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's code")
        parser.add_argument("paths", nargs="+", type=Path, help="files, or a folder of files")
        parser.add_argument("--format", default="", choices=["", *READERS], help="default: guessed")
        parser.add_argument("--take", action="store_true", help="import the material right away")

    def handle(
        self, *, campaign: str, paths: list[Path], format: str, take: bool, **options: Any
    ) -> None:
        try:
            target = Campaign.objects.get(code=campaign)
            uploads = [file for path in paths for file in files_of(path)]
            row = materials.start_import(target, uploads, format=format, by=target.owner)
            work_off(row)
            self.stdout.write(summary(row.preview))
            if take:
                materials.take_import(row, by=target.owner)
                work_off(row)
        except Campaign.DoesNotExist as error:
            raise CommandError(f"There is no campaign {campaign}.") from error
        except (RankmeError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            "Taken in." if take else "Nothing was imported. Add --take to import the files."
        )


def files_of(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    return sorted(file for file in path.iterdir() if file.is_file() and file.name[0] != ".")


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
