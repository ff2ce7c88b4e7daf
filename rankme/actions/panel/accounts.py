"""Accounts at panels: their tokens are checked once, encrypted, and never shown again."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.models import User
from django.core.cache import cache
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.signature import VERSION
from rankme.actions.audit import note
from rankme.errors import RankmeError, RefusedAction
from rankme.models import PanelAccount, PanelStudy
from rankme.panel_calls.calls import Calls
from rankme.panel_calls.prolific import Prolific
from rankme.panel_calls.sealed import seal, unseal
from rankme.panel_links.prolific import PROLIFIC

HOOKS_EVERY_SECONDS = 24 * 3600


def calls_with(token: str) -> Calls:
    """The panel's API under a token."""
    headers = {"Referer": f"{settings.SITE_URL}/?rankme={VERSION}"}
    if token:
        headers["Authorization"] = f"Token {token}"
    return Calls(settings.PROLIFIC_API, headers)


def panel_of(account: PanelAccount) -> Prolific:
    return Prolific(calls_with(unseal(account.token_sealed)))


def add_account(
    *, owner: User, name: str, token: str, workspace: str = "", project: str = ""
) -> PanelAccount:
    """Store an account whose token the panel accepts.

    Without a workspace it gets the only one; somebody with several has to name one. Its studies go
    into the project that is named, or into the workspace's first.
    """
    sealed = seal(token)
    panel = Prolific(calls_with(token))
    panel.user()
    workspaces = panel.workspaces()
    if workspace and workspace not in workspaces:
        raise RefusedAction(_("This token has no such workspace."))
    if not workspaces or (len(workspaces) > 1 and not workspace):
        known = ", ".join(f"{title} ({pk})" for pk, title in workspaces.items())
        raise RefusedAction(_("Name one of these workspaces: %(known)s") % {"known": known})
    workspace = workspace or next(iter(workspaces))
    project, currency = _project(panel, workspace, project), panel.currency(workspace)
    try:
        with transaction.atomic():
            account = PanelAccount.objects.create(
                owner=owner,
                name=name,
                token_sealed=sealed,
                workspace=workspace,
                project=project,
                currency=currency,
            )
            note(None, owner, gettext_noop("panel account added"), account=account.pk)
    except IntegrityError as error:
        raise RefusedAction(_("You already have an account with this name.")) from error
    return account


def _project(panel: Prolific, workspace: str, wanted: str) -> str:
    """The project for studies: without one the panel takes the user's first, perhaps of another
    workspace with another wallet."""
    projects = panel.projects(workspace)
    if wanted in projects:
        return wanted
    if wanted or not projects:
        known = ", ".join(f"{title} ({pk})" for pk, title in projects.items()) or "–"
        raise RefusedAction(_("This workspace has these projects: %(known)s") % {"known": known})
    return next(iter(projects))


def project_of(account: PanelAccount) -> str:
    """The account's project; accounts of earlier versions get their workspace's first."""
    if not account.project:
        account.project = _project(panel_of(account), account.workspace, "")
        PanelAccount.objects.filter(pk=account.pk).update(project=account.project)
    return account.project


@transaction.atomic
def replace_token(account: PanelAccount, token: str) -> None:
    """Store another token; the old one is gone."""
    Prolific(calls_with(token)).balance(account.workspace)
    PanelAccount.objects.filter(pk=account.pk).update(token_sealed=seal(token))
    note(None, account.owner, gettext_noop("panel token replaced"), account=account.pk)


@transaction.atomic
def remove_account(account: PanelAccount) -> None:
    if account.studies.exists():
        raise RefusedAction(
            _(
                "This account has studies, and their payments are kept under it, so it "
                "cannot be removed."
            )
        )
    note(None, account.owner, gettext_noop("panel account removed"), account=account.pk)
    account.delete()


def connect_webhooks(account: PanelAccount) -> None:
    """Have the panel call this site when something changes. Asking again changes nothing."""
    panel = panel_of(account)
    secret = panel.hook_secret(account.workspace)
    PanelAccount.objects.filter(pk=account.pk).update(hook_secret_sealed=seal(secret))
    panel.subscribe(account.workspace, address_of_hook(account))
    PanelAccount.objects.filter(pk=account.pk).update(hooked_at=Now())


def notice_lost_webhooks() -> None:
    """Once a day for each account: see whether the panel still calls this site.

    It stops after many calls in vain. Nothing is connected again without a person: `hooked_at` says
    that it is not connected, and the page with the accounts that it was.
    """
    for account in PanelAccount.objects.filter(panel=PROLIFIC.name).exclude(hooked_at=None):
        key = f"panel-webhooks-{account.pk}"
        if not cache.add(key, True, HOOKS_EVERY_SECONDS):
            continue
        try:
            missing = panel_of(account).missing_hooks(account.workspace, address_of_hook(account))
        except RankmeError:
            cache.delete(key)
            continue
        if missing:
            PanelAccount.objects.filter(pk=account.pk).update(hooked_at=None)
            note(None, account.owner, gettext_noop("webhooks lost"), account=account.pk)


def address_of_hook(account: PanelAccount) -> str:
    """Build the address at which the panel calls this site."""
    return f"{settings.SITE_URL}{reverse('panel-hook', args=[account.code])}"


@contextlib.contextmanager
def one_at_a_time(owner: PanelAccount | PanelStudy) -> Iterator[bool]:
    """Lock the payments of an account, or the places of a study: True for one process at a time.

    A lock of the database's session, because rows are committed while it is held. A crash releases
    it, and the process that has it can take it again.
    """
    key = (owner._meta.db_table, owner.pk)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(hashtext(%s), %s)", key)
        is_ours: bool = cursor.fetchone()[0]
    try:
        yield is_ours
    finally:
        if is_ours:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", key)
