"""Lasting links under which raters see their work in several campaigns, without an account.

A page is a secret whose hash its personal links have in common. It ends when no link has it.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.actions.link_secrets import hash_of, new_secret
from rankme.errors import RefusedAction
from rankme.models import Campaign, Invitation, Role


@transaction.atomic
def make_work_page(
    invitation: Invitation, *, by: User, within: QuerySet[Campaign] | None = None
) -> str:
    """Give a rater a page of all her work, which begins with this link; returns its secret.

    A new page takes the place of the one that she had, in all campaigns.

    Parameters
    ----------
    within : campaigns that may be changed; by default those that the account owns or edits

    Raises
    ------
    RefusedAction : she has a page that shows another campaign, which the secret would open
    """
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    secret = new_secret()
    same = _with_page(locked.work_page) if locked.work_page else Invitation.objects.none()
    if same.exclude(campaign__in=_changeable(by, within)).exists():
        raise RefusedAction(
            _(
                "This page also shows work in a campaign that you may not edit, and a new link "
                "would open it. Ask somebody who edits both to make the link."
            )
        )
    same.update(work_page=hash_of(secret))
    Invitation.objects.filter(pk=locked.pk).update(work_page=hash_of(secret))
    note(locked.campaign, by, gettext_noop("page of a rater’s work made"), link=locked.pk)
    return secret


@transaction.atomic
def revoke_work_page(invitation: Invitation, *, by: User) -> None:
    """End the page, in all campaigns. Her personal links go on."""
    locked = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if locked.work_page:
        _with_page(locked.work_page).update(work_page="")
        note(locked.campaign, by, gettext_noop("page of a rater’s work revoked"), link=locked.pk)


def join_work_pages(
    invitations: Sequence[Invitation], *, by: User, within: QuerySet[Campaign] | None = None
) -> int:
    """Add new links to the pages that raters of the same name have, in campaigns of the account.

    `within` narrows these campaigns further.

    Raises
    ------
    RefusedAction : two raters with a page have this name, so nobody can tell whose the link is
    """
    campaigns = _changeable(by, within)
    joined = []
    for invitation in invitations:
        pages = pages_of_name(invitation.name, campaigns) if invitation.name else set()
        if len(pages) > 1:
            raise RefusedAction(
                _(
                    "Several raters called %(name)s have a page of all their work. Make this link "
                    "without the tick, and send it yourself."
                )
                % {"name": invitation.name}
            )
        for page in pages:
            invitation.work_page = page
            joined.append(invitation)
    Invitation.objects.bulk_update(joined, ["work_page"], batch_size=500)
    return len(joined)


def pages_of_name(name: str, campaigns: QuerySet[Campaign]) -> set[str]:
    """The pages of raters of this name, in these campaigns."""
    named = Invitation.objects.filter(campaign__in=campaigns, name=name).exclude(work_page="")
    return set(named.values_list("work_page", flat=True))


def links_of_page(secret: str) -> QuerySet[Invitation]:
    """The personal links of a page, in launched campaigns; none where there is no such page."""
    return (
        _with_page(hash_of(secret))
        .filter(campaign__launched_at__isnull=False, campaign__is_archive=False)
        .select_related("campaign")
        .order_by("-pk")
    )


def _changeable(by: User, within: QuerySet[Campaign] | None) -> QuerySet[Campaign]:
    if within is not None:
        return within
    return Campaign.objects.open_to(by, [Role.OWNER, Role.EDITOR])


def _with_page(page: str) -> QuerySet[Invitation]:
    return Invitation.objects.filter(work_page=page)
