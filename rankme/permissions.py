"""Who may see a campaign: its owner and the members whom the owner invited; nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models.functions import Now
from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _

from rankme.models import Campaign

if TYPE_CHECKING:
    from rest_framework.request import Request


def get_campaign(request: HttpRequest | Request, code: str) -> Campaign:
    """The campaign with this code; Http404 for everybody to whom it is not open.

    Works for requests of Django and of REST framework alike. A stranger learns no more than that
    there is nothing here (404, not 403).
    """
    campaign = get_object_or_404(Campaign.objects.open_to(request.user), code=code)
    if campaign.owner_id != request.user.pk:
        campaign.memberships.filter(user=request.user.pk, opened_at=None).update(opened_at=Now())
    return campaign


def get_own_campaign(request: HttpRequest | Request, code: str) -> Campaign:
    """The same for what only the owner may do; a member, who knows the campaign, gets a 403."""
    campaign = get_campaign(request, code)
    if campaign.owner_id != request.user.pk:
        raise PermissionDenied(_("Only the owner of this campaign can do that."))
    return campaign


def user_of(request: HttpRequest | Request) -> User:
    """The account that a request comes from; a view that forgot to ask for a login fails here."""
    if not isinstance(request.user, User):
        raise PermissionDenied(_("Log in first."))
    return request.user
