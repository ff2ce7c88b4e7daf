"""Campaign files at the command line: load one, export one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.errors import RankmeError
from rankme.management.loading import take_material
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_yaml, definition_to_yaml, preset, preset_names


class Command(BaseCommand):
    help = "Creates a campaign from a file or from another campaign, or prints a campaign's file."

    def add_arguments(self, parser: CommandParser) -> None:
        verbs = parser.add_subparsers(dest="verb", required=True)
        load = verbs.add_parser("load", help="create a campaign from a file or a preset")
        load.add_argument("file", help=f"a campaign file, or one of: {', '.join(preset_names())}")
        load.add_argument("--owner", help="the account that owns it; needed when there are several")
        load.add_argument("--title", help="replaces the title in the file")
        load.add_argument("--material", nargs="+", type=Path, default=[], metavar="PATH")
        load.add_argument("--launch", action="store_true")
        copy = verbs.add_parser("copy", help="duplicate a campaign as a draft")
        copy.add_argument("code")
        copy.add_argument("--owner", help="the account that owns the copy")
        copy.add_argument("--title", default="", help="the title of the copy")
        copy.add_argument("--material", action="store_true", help="copy items and outputs, too")
        export = verbs.add_parser("export", help="print the file that creates this campaign again")
        export.add_argument("code")

    def handle(self, *, verb: str, **options: Any) -> None:
        verbs: dict[str, Callable[..., None]] = {
            "load": self._load,
            "copy": self._copy,
            "export": self._export,
        }
        try:
            verbs[verb](**options)
        except RankmeError as refusal:
            raise CommandError(str(refusal)) from refusal

    def _export(self, *, code: str, **options: Any) -> None:
        text = definition_to_yaml(campaigns.definition_of(_campaign(code)))
        self.stdout.write(text, ending="")

    def _copy(
        self, *, code: str, owner: str | None, title: str, material: bool, **options: Any
    ) -> None:
        copy = duplicate_campaign(
            _campaign(code), by=_owner(owner), title=title, with_material=material
        )
        self._tell(copy, launched=False)

    def _load(
        self,
        *,
        file: str,
        owner: str | None,
        title: str | None,
        material: list[Path],
        launch: bool,
        **options: Any,
    ) -> None:
        user = _owner(owner)
        definition = _definition(file)
        if title:
            definition = definition.model_copy(update={"title": title})
        campaign = campaigns.create_campaign(user, definition)
        try:
            if material:
                take_material(campaign, material, by=user)
            if launch:
                campaigns.launch_campaign(campaign, by=user)
        except (RankmeError, CommandError):
            campaigns.delete_draft(campaign, by=user)
            raise
        self._tell(campaign, launched=launch)

    def _tell(self, campaign: Campaign, *, launched: bool) -> None:
        self.stdout.write(f"Code:     {campaign.code}")
        self.stdout.write(f"Campaign: {_address('campaign', campaign)}")
        if launched:
            self.stdout.write(f"Raters:   {_address('enter', campaign)}")


def _address(name: str, campaign: Campaign) -> str:
    return settings.SITE_URL + reverse(f"rankme:{name}", args=[campaign.code])


def _campaign(code: str) -> Campaign:
    campaign = Campaign.objects.filter(code=code).first()
    if campaign is None:
        raise CommandError(f"There is no campaign {code}.")
    return campaign


def _owner(name: str | None) -> User:
    users = User.objects.filter(is_active=True)
    if name:
        users = users.filter(username=name)
    found = list(users[:2])
    if len(found) == 1:
        return found[0]
    names = ", ".join(User.objects.values_list("username", flat=True)[:20])
    raise CommandError(f"Name the owner: --owner NAME. There are: {names or 'no accounts yet'}")


def _definition(file: str) -> Definition:
    if file in preset_names():
        return preset(file)
    try:
        return definition_from_yaml(Path(file).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{file} cannot be read: {error}") from error
