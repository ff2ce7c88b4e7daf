"""Campaign files at the command line: load one, export one."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from analysis.errors import TableError
from analysis.report.bundle import read_bundle
from rankme.actions.campaign import campaigns, deleting, replicas
from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.actions.campaign.planned_work import planned_work
from rankme.errors import RankmeError
from rankme.management.loading import campaign_of, take_material
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_yaml, definition_to_yaml, preset, preset_names


class Command(BaseCommand):
    help = (
        "Creates a campaign from a file, another campaign or a bundle, prints its file, or deletes "
        "what was launched."
    )

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
        repeat = verbs.add_parser("replicate", help="repeat the study of a bundle as a draft")
        repeat.add_argument("file", type=Path, help="a report's bundle, or an open data set")
        repeat.add_argument("--owner", help="the account that owns the draft")
        repeat.add_argument("--title", default="", help="the title of the draft")
        delete = verbs.add_parser("delete", help="delete a launched campaign, after a wait")
        delete.add_argument("code")
        delete.add_argument("--title", required=True, help="its title, so that it is not another")
        keep = verbs.add_parser("keep", help="cancel a deletion that has not begun")
        keep.add_argument("code")
        export = verbs.add_parser("export", help="print the file that creates this campaign again")
        export.add_argument("code")

    def handle(self, *, verb: str, **options: Any) -> None:
        verbs: dict[str, Callable[..., None]] = {
            "load": self._load,
            "copy": self._copy,
            "replicate": self._replicate,
            "export": self._export,
            "delete": self._delete,
            "keep": self._keep,
        }
        try:
            verbs[verb](**options)
        except RankmeError as refusal:
            raise CommandError(str(refusal)) from refusal

    def _export(self, *, code: str, **options: Any) -> None:
        text = definition_to_yaml(campaigns.definition_of(campaign_of(code)))
        self.stdout.write(text, ending="")

    def _delete(self, *, code: str, title: str, **options: Any) -> None:
        deletion = deleting.ask_to_delete(campaign_of(code), title=title, by=None)
        due = f"{deletion.due_at:%Y-%m-%d %H:%M %Z}"
        self.stdout.write(f"{code} will be deleted on {due}. To keep it: campaign keep {code}")

    def _keep(self, *, code: str, **options: Any) -> None:
        deleting.keep_campaign(campaign_of(code), by=None)
        self.stdout.write(f"{code} is kept.")

    def _copy(
        self, *, code: str, owner: str | None, title: str, material: bool, **options: Any
    ) -> None:
        copy = duplicate_campaign(
            campaign_of(code), by=_owner(owner), title=title, with_material=material
        )
        self._tell(copy, launched=False)

    def _replicate(self, *, file: Path, owner: str | None, title: str, **options: Any) -> None:
        try:
            found = read_bundle(file)
        except TableError as error:
            raise CommandError(str(error)) from error
        user = _owner(owner)
        copy = replicas.replicate(found, by=user, title=title)
        with tempfile.TemporaryDirectory() as folder:
            paths = replicas.write_material(found, Path(folder))
            if paths:
                try:
                    take_material(copy, as_upload(Path(folder), paths), by=user)
                except (RankmeError, CommandError):
                    campaigns.delete_draft(copy, by=user)
                    raise
        self._tell(copy, launched=False)
        if not paths:
            self.stdout.write("The bundle has no inputs and outputs: upload them on its page.")
            return
        work = planned_work(copy)
        cost = work.estimate
        self.stdout.write(
            f"Plan:     {cost.sittings} batches, {work.judgements} judgements, "
            f"{cost.minutes_per_batch:.0f} minutes each, {cost.cost:.2f} {cost.currency}"
        )

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


def as_upload(folder: Path, paths: list[Path]) -> list[Path]:
    """A table alone as it is; with files that it names, both in one zip."""
    if len(paths) == 1:
        return paths
    packed = shutil.make_archive(str(folder.with_suffix(".material")), "zip", folder)
    return [Path(packed)]


def _address(name: str, campaign: Campaign) -> str:
    return settings.SITE_URL + reverse(f"rankme:{name}", args=[campaign.code])


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
