"""Makes the demonstration: an organiser, and running campaigns of our own material."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse

import rankme
from rankme.actions.accounts.organisers import make_organiser, reset_password
from rankme.actions.campaign import campaigns
from rankme.demonstration.material import MATERIAL
from rankme.management.loading import take_material
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_yaml, preset, preset_names

FOLDER = Path(rankme.__file__).parent / "demonstration"
DEMONSTRATIONS = ("restaurants", "sentences")
ORGANISER = "organiser"


class Command(BaseCommand):
    help = "Creates the demonstration campaigns and their organiser; what already exists stays."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reset-password", action="store_true", help="set a new password for the organiser"
        )
        parser.add_argument(
            "--all",
            dest="every_preset",
            action="store_true",
            help="also a campaign of every preset",
        )

    def handle(self, *, reset_password: bool, every_preset: bool, **options: Any) -> None:
        user, password = organiser(renew=reset_password)
        self.stdout.write(f"Organiser: {settings.SITE_URL}{reverse('account_login')}")
        self.stdout.write(f"Name:      {user.get_username()}")
        self.stdout.write(f"Password:  {password}")
        made = [demonstration(name, user) for name in DEMONSTRATIONS]
        if every_preset:
            made += [demonstration_of_preset(name, user) for name in preset_names()]
        for campaign in made:
            link = settings.SITE_URL + reverse("rankme:enter", args=[campaign.code])
            self.stdout.write(f"Raters:    {link}   ({campaign.title})")


def organiser(*, renew: bool) -> tuple[Any, str]:
    """The demonstration's organiser, and a sentence about the password."""
    user = get_user_model().objects.filter(username=ORGANISER).first()
    if user is None:
        user, password = make_organiser(ORGANISER, is_superuser=True)
        return user, f"{password}   (shown only once)"
    if renew:
        return user, f"{reset_password(user)}   (shown only once)"
    return user, "unchanged; `manage.py demo --reset-password` sets a new one"


def demonstration(name: str, owner: User) -> Campaign:
    """A demonstration with its own campaign file."""
    folder = FOLDER / name
    definition = definition_from_yaml((folder / "campaign.yaml").read_text(encoding="utf-8"))
    return launched(definition, [folder / "outputs.csv", folder / "items.csv"], owner)


def demonstration_of_preset(name: str, owner: User) -> Campaign:
    """A preset as it is shipped, with a little material of our own."""
    definition = preset(name)
    titled = definition.model_copy(update={"title": f"Preset: {definition.title}"})
    return launched(titled, list(MATERIAL[name].paths), owner)


def launched(definition: Definition, files: list[Path], owner: User) -> Campaign:
    """The campaign of this title with these files; one that was left half made is completed."""
    standing = Campaign.objects.filter(owner=owner, title=definition.title)
    campaign = standing.order_by("created_at").first()
    if campaign is None:
        campaign = campaigns.create_campaign(owner, definition)
    if campaign.is_draft and not campaign.items.exists():
        take_material(campaign, files, by=owner)
    if campaign.is_draft:
        campaign = campaigns.launch_campaign(campaign, by=owner)
    return campaign
