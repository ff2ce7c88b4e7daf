"""Create organisers' accounts at the command line, with random passwords that are not stored."""

from __future__ import annotations

import secrets

from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction


@transaction.atomic
def make_organiser(name: str, *, is_superuser: bool = False) -> tuple[User, str]:
    """Make an account; returns it with its password, which is kept only as a hash."""
    users = get_user_model().objects
    if users.filter(username=name).exists():
        raise RefusedAction(_('There is an account "%(name)s" already.') % {"name": name})
    password = secrets.token_urlsafe(16)
    create = users.create_superuser if is_superuser else users.create_user
    user = create(name, password=password)
    note(None, None, gettext_noop("account made"), user=name)
    return user, password


@transaction.atomic
def make_account(name: str, password: str) -> User:
    """Make an account for a person who chose its name and password."""
    if User.objects.filter(username__iexact=name).exists():
        raise RefusedAction(_('There is an account "%(name)s" already.') % {"name": name})
    user = User.objects.create_user(name, password=password)
    note(None, None, gettext_noop("account made"), user=name)
    return user


@transaction.atomic
def reset_password(user: User) -> str:
    """Give an account a new generated password; its sessions end."""
    password = secrets.token_urlsafe(16)
    user.set_password(password)
    user.save(update_fields=["password"])
    note(None, None, gettext_noop("password reset"), user=user.get_username())
    return password


@transaction.atomic
def name_operator(user: User) -> None:
    """Let this account see the page of the site's operation."""
    user.is_staff = True
    user.save(update_fields=["is_staff"])
    note(None, None, gettext_noop("operator named"), user=user.get_username())


@transaction.atomic
def name_mail_address(user: User, address: str) -> None:
    """Say where an account gets its mail, such as the link for a forgotten password."""
    try:
        validate_email(address)
    except ValidationError as error:
        raise RefusedAction(_("This is not a mail address: %s") % address) from error
    if get_user_model().objects.filter(email__iexact=address).exclude(pk=user.pk).exists():
        raise RefusedAction(_("Another account has this mail address already."))
    user.email = address.lower()
    user.save(update_fields=["email"])
    note(None, None, gettext_noop("mail address named"), user=user.get_username())
