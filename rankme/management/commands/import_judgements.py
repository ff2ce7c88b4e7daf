"""Make an archived campaign of judgements that were collected elsewhere."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError

from rankme.actions.imports.judgement_imports import import_judgements
from rankme.errors import RankmeError
from rankme.importing import JUDGEMENT_READERS, ImportRefused, InvalidColumns
from rankme.management.proposals import (
    add_reading_arguments,
    described,
    files_of,
    judgement_proposal,
    reading_of,
)
from rankme.protocols.files import definition_from_yaml


class Command(BaseCommand):
    help = "Create an archive from judgements: tables, RankME ratings, or marked errors."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, help="files, or a folder of files")
        parser.add_argument("--owner", default="", help="user name of the organiser")
        parser.add_argument("--title", default="", help="default: the first file's name")
        parser.add_argument("--format", default="", choices=["", *JUDGEMENT_READERS])
        parser.add_argument(
            "--definition", type=Path, help="campaign file that describes the collection"
        )
        add_reading_arguments(
            parser,
            columns='what the columns are, as JSON: {"tables": [{"columns": {"rater": "who", '
            '"item": "id", "system": "model"}, '
            '"value_columns": {"q1": {"criterion": "fluency"}}}]}',
        )
        parser.add_argument(
            "--keep-rater-names",
            action="store_true",
            help="publish the names of raters as they are; default: keyed labels",
        )

    def handle(
        self,
        *,
        paths: list[Path],
        owner: str,
        title: str,
        format: str,
        definition: Path | None,
        columns: str,
        keep_rater_names: bool,
        **options: Any,
    ) -> None:
        users = get_user_model().objects
        try:
            reading = reading_of(columns)
            files = [file for path in paths for file in files_of(path)]
            if options["dry_run"]:
                found = judgement_proposal(files, format, reading)
                self.stdout.write(described(found, as_json=options["json"]))
                return
            if not owner:
                raise CommandError("Name the organiser with --owner.")
            campaign = import_judgements(
                users.get_by_natural_key(owner),
                files,
                title=title or paths[0].stem,
                format=format,
                definition=definition_from_yaml(definition.read_text()) if definition else None,
                reading=reading,
                keep_rater_names=keep_rater_names,
            )
        except users.model.DoesNotExist as error:
            raise CommandError(f"There is no user {owner}.") from error
        except json.JSONDecodeError as error:
            raise CommandError(f"--columns is not JSON: {error}.") from error
        except (RankmeError, ImportRefused, InvalidColumns, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{campaign.code}  {campaign.title}")
