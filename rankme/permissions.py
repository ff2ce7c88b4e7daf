"""Who may do what in a campaign: one table of roles, which pages, scripts and keys obey.

Each page (`campaign_page`) and each operation of the API (`operation`) names the permission that it
needs; `get_campaign` then opens the campaign of the address to those alone whose role has it. What
a page shows in addition (names of systems, identities) asks `may`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models.functions import Now
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rankme.models import ApiKey, Campaign, PanelStudy, Role

if TYPE_CHECKING:
    from rest_framework.request import Request


class Permission(models.TextChoices):
    SEE = "see", gettext_lazy("see the campaign, its definition and its progress")
    EDIT = "edit", gettext_lazy("define, launch, change, publish, pay, exclude raters")
    WATCH = "watch", gettext_lazy("see raters by label, their quality and what they report")
    ATTEND = "attend", gettext_lazy("release batches, deal with reported problems")
    READ = "read", gettext_lazy("read items, outputs and raters’ answers")
    SETTLE = "settle", gettext_lazy("settle disagreements")
    REPORTS = "reports", gettext_lazy("read reports")
    FILES = "files", gettext_lazy("see and download material, judgements and metrics by system")
    ANALYSE = "analyse", gettext_lazy("request analyses, upload and compute metrics")
    SYSTEMS = "systems", gettext_lazy("see names of systems instead of codes")
    IDENTITIES = (
        "identities",
        gettext_lazy("see names of links, payments, raters’ answers about themselves"),
    )
    PANEL_IDS = "panel_ids", gettext_lazy("see panels’ ids of people")
    HISTORY = "history", gettext_lazy("see the history")
    OWN = "own", gettext_lazy("manage members and webhooks, delete the campaign")


P = Permission
CHANGES = frozenset({P.EDIT, P.ATTEND, P.SETTLE, P.ANALYSE, P.OWN})

# docs/members.md prints this table, and a test compares the two.
ROLES: dict[Role, frozenset[Permission]] = {
    Role.OWNER: frozenset(P),
    Role.EDITOR: frozenset(P) - {P.PANEL_IDS, P.OWN},
    Role.MONITOR: frozenset({P.SEE, P.WATCH, P.ATTEND, P.READ}),
    Role.ANALYST: frozenset({P.SEE, P.WATCH, P.READ, P.REPORTS, P.FILES, P.ANALYSE, P.SYSTEMS}),
    Role.CURATOR: frozenset({P.SEE, P.READ, P.SETTLE}),
    Role.AUDITOR: frozenset(P) - CHANGES,
    Role.VIEWER: frozenset({P.SEE, P.REPORTS, P.SYSTEMS}),
}


def declare(
    request: HttpRequest | Request, needs: Permission | None, *, in_campaign: bool = True
) -> None:
    """Note what the page or operation that answers this request needs.

    A key whose role has no such permission is refused at once. What changes more than one campaign
    also needs a key for all of them.
    """
    _django(request).needs = needs
    if (key := key_of(request)) is None or needs is None:
        return
    if needs not in ROLES[Role(key.role)]:
        raise PermissionDenied(
            _("This key has the role “%(role)s”, which does not allow that.")
            % {"role": key.get_role_display()}
        )
    if not in_campaign and needs in CHANGES and not key.in_all_campaigns:
        raise PermissionDenied(_("This key is for some campaigns alone."))


def key_of(request: HttpRequest | Request) -> ApiKey | None:
    """The key with which a script came; None for people, and scripts in their browsers."""
    key = getattr(request, "auth", None)
    return key if isinstance(key, ApiKey) else None


def get_campaign(request: HttpRequest | Request, code: str) -> Campaign:
    """The campaign with this code, for those whose role has the declared permission.

    Works for requests of Django and of REST framework alike. A stranger learns no more than that
    there is nothing here (404, not 403); a member, who knows the campaign, gets a 403.
    """
    campaign = get_object_or_404(open_campaigns(request), code=code)
    user = user_of(request)
    rights = rights_in(campaign, user)
    if key := key_of(request):
        rights &= ROLES[Role(key.role)]
    _django(request).rights = rights
    require(request, _django(request).needs)
    if campaign.owner_id != user.pk:
        campaign.memberships.filter(user=user, opened_at=None).update(opened_at=Now())
    return campaign


def open_campaigns(
    request: HttpRequest | Request, permission: Permission = Permission.SEE
) -> models.QuerySet[Campaign]:
    """The campaigns in which the account of this request has the permission, and its key is for."""
    found = Campaign.objects.open_to(request.user, roles_with(permission))
    key = key_of(request)
    return found if key is None or key.in_all_campaigns else found.filter(api_keys=key)


def roles_with(permission: Permission) -> list[Role]:
    """The roles that have the permission."""
    return [role for role, rights in ROLES.items() if permission in rights]


def rights_in(campaign: Campaign, user: User) -> frozenset[Permission]:
    """What this account may do in this campaign."""
    role = role_in(campaign, user)
    return ROLES[role] if role else frozenset()


def role_in(campaign: Campaign, user: User) -> Role | None:
    if campaign.owner_id == user.pk:
        return Role.OWNER
    role = campaign.memberships.filter(user=user).values_list("role", flat=True).first()
    return Role(role) if role else None


def may(request: HttpRequest | Request, permission: Permission) -> bool:
    """Whether the role in the campaign of this request has the permission, too."""
    return permission in _django(request).rights


def may_see_people(request: HttpRequest | Request, study: PanelStudy) -> bool:
    """Whether the panel's ids of people are shown: also to the owner of the panel account."""
    return may(request, Permission.PANEL_IDS) or study.account.owner_id == request.user.pk


def require(request: HttpRequest | Request, permission: Permission) -> None:
    """Refuse what this role may not have, on a page that it may open."""
    if not may(request, permission):
        raise PermissionDenied(_("Your role in this campaign does not allow that."))


def user_of(request: HttpRequest | Request) -> User:
    """The account that a request comes from; a view that forgot to ask for a login fails here."""
    if not isinstance(request.user, User):
        raise PermissionDenied(_("Log in first."))
    return request.user


def _django(request: HttpRequest | Request) -> Any:
    """The request of Django, which REST framework wraps: it carries what was declared."""
    return getattr(request, "_request", request)
