"""The texts that raters read, as the part of a campaign file that says them in other words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from rankme.actions.campaign import campaigns
from rankme.errors import InvalidDefinition
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_yaml, preset, preset_names
from rankme.queries.words import current_words, missing_texts, needed_texts, words_file


class Command(BaseCommand):
    help = (
        "Prints the texts that raters of a campaign read as YAML: add it to the campaign file "
        "and write your own."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "campaign", nargs="?", help="a campaign's code, a campaign file or the name of a preset"
        )
        parser.add_argument(
            "--missing",
            action="store_true",
            help="only what has no translation in the campaign's language",
        )
        parser.add_argument(
            "--template", metavar="LANG", help="the texts in this language; empty where unknown"
        )

    def handle(
        self, *, campaign: str | None, missing: bool, template: str | None, **options: Any
    ) -> None:
        definition = _definition(campaign) if campaign else None
        if definition is None and (missing or not template):
            raise CommandError("Name a campaign, or a language: words --template LANG")
        if definition is not None and template:
            definition = definition.model_copy(
                update={
                    "language": template,
                    "words": definition.words if template == definition.language else {},
                }
            )
        language = definition.language if definition else template or ""
        texts = None
        if definition is not None and missing:
            texts = missing_texts(definition)
            count = len(needed_texts(definition))
            self.stderr.write(f"{len(texts)} of {count} texts are missing in “{language}”.")
        words = current_words(language, definition, texts=texts)
        self.stdout.write(words_file(language, words), ending="")


def _definition(name: str) -> Definition:
    """The definition of a stored campaign, of a preset or of a file."""
    found = Campaign.objects.filter(code=name).first()
    try:
        if found is not None:
            return campaigns.definition_of(found)
        if name in preset_names():
            return preset(name)
        return definition_from_yaml(Path(name).read_text(encoding="utf-8-sig"))
    except InvalidDefinition as error:
        raise CommandError(str(error)) from error
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"There is no campaign {name}, and no such file: {error}") from error
