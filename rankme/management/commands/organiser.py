"""Makes an organiser's account with a generated password."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from rankme.actions.accounts.organisers import (
    make_organiser,
    name_mail_address,
    name_operator,
    reset_password,
)
from rankme.actions.accounts.second_factors import (
    remove_second_factors as forget_second_factors,
)
from rankme.errors import RankmeError


class Command(BaseCommand):
    help = "Creates an account for an organiser and prints its password once."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument(
            "--reset-password", action="store_true", help="set a new password for this account"
        )
        parser.add_argument(
            "--operator",
            action="store_true",
            help="also show the page of the site's operation to this account, new or not",
        )

        parser.add_argument("--mail", default="", help="where this account gets its mail")
        parser.add_argument(
            "--remove-second-factors",
            action="store_true",
            help="let this account log in with its password alone, to add new ones",
        )

    def handle(self, *, name: str, reset_password: bool, **options: Any) -> None:
        known = get_user_model().objects.filter(username=name).first()
        if known and not reset_password and self._change(known, **options):
            return
        password = _new_password(name) if reset_password else _new_account(name)
        self._change(get_user_model().objects.get(username=name), **options)
        self.stdout.write(f"Log in:   {settings.SITE_URL}{reverse('account_login')}")
        self.stdout.write(f"Name:     {name}")
        self.stdout.write(f"Password: {password}   (shown only once)")

    def _change(
        self, user: User, *, operator: bool, mail: str, remove_second_factors: bool, **options: Any
    ) -> bool:
        """Change what is asked for about an account, and say whether that was anything."""
        name = user.get_username()
        if operator:
            name_operator(user)
            self.stdout.write(f"{name} has “Operation” in the menu now.")
        if mail:
            _name_mail_address(user, mail)
            self.stdout.write(f"{name} gets mail at {user.email}.")
        if remove_second_factors:
            removed = forget_second_factors(user)
            self.stdout.write(f"{name} has no second factor any more ({removed} removed).")
        return operator or bool(mail) or remove_second_factors


def _name_mail_address(user: User, address: str) -> None:
    try:
        name_mail_address(user, address)
    except RankmeError as refusal:
        raise CommandError(str(refusal)) from refusal


def _new_account(name: str) -> str:
    try:
        return make_organiser(name)[1]
    except RankmeError as refusal:
        hint = "--reset-password sets a new password."
        raise CommandError(f"{refusal} {hint}") from refusal


def _new_password(name: str) -> str:
    user = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise CommandError(f'There is no account "{name}".')
    return reset_password(user)
