"""Who is in a campaign: invited by a link, given another role, removed; and whose it is."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import models, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.accounts.organisers import make_account
from rankme.actions.audit import note
from rankme.actions.link_secrets import hash_of, new_secret
from rankme.errors import RefusedAction
from rankme.models import Campaign, MemberInvitation, Membership, Role

MOST_DAYS, MOST_OPEN = 90, 200
USUAL_DAYS = 14


@transaction.atomic
def invite_member(
    campaign: Campaign, *, role: str, by: User, days: int = USUAL_DAYS
) -> tuple[MemberInvitation, str]:
    """Make a link for one account; returns it with its secret, which is shown once."""
    campaign = _locked(campaign)
    if open_invitations(campaign).count() >= MOST_OPEN:
        raise RefusedAction(_("There are many open invitations. Revoke some of them first."))
    secret = new_secret()
    made = MemberInvitation.objects.create(
        campaign=campaign,
        hash=hash_of(secret),
        role=role,
        made_by=by,
        ends_at=timezone.now() + timedelta(days=days),
    )
    note(campaign, by, gettext_noop("member invited"), invitation=made.pk, role=role)
    return made, secret


@transaction.atomic
def revoke_invitation(invitation: MemberInvitation, *, by: User) -> None:
    """End a link that nobody has used."""
    unused = open_invitations(invitation.campaign).filter(pk=invitation.pk)
    if unused.update(revoked_at=Now()):
        verb = gettext_noop("member invitation revoked")
        note(invitation.campaign, by, verb, invitation=invitation.pk)


def open_invitations(campaign: Campaign) -> models.QuerySet[MemberInvitation]:
    return campaign.member_invitations.filter(accepted_at=None, revoked_at=None, ends_at__gt=Now())


def invitation_of(secret: str) -> MemberInvitation:
    """Find what a link invites to, or say why it no longer does."""
    rows = MemberInvitation.objects.select_related("campaign", "made_by")
    found = rows.filter(hash=hash_of(secret)).first()
    if found is None:
        raise RefusedAction(_("There is no such invitation. Copy the whole link."))
    if found.accepted_at is not None:
        raise RefusedAction(_("Somebody has used this link: it works once. Ask for another one."))
    if found.revoked_at is not None:
        raise RefusedAction(_("This invitation was revoked. Ask for another one."))
    if found.ends_at <= timezone.now():
        raise RefusedAction(_("This invitation has ended. Ask for another one."))
    return found


@transaction.atomic
def accept_invitation(secret: str, *, by: User) -> Membership:
    """Make the account a member, once; one that is in the campaign already keeps its link."""
    invitation = invitation_of(secret)
    campaign = _locked(invitation.campaign)
    invitation = invitation_of(secret)  # as it is now that nobody else can use it
    if by.pk == campaign.owner_id or campaign.memberships.filter(user=by).exists():
        raise RefusedAction(_("You are in this campaign already. The link is still unused."))
    MemberInvitation.objects.filter(pk=invitation.pk).update(accepted_at=Now())
    return _join(campaign, by, role=invitation.role, by=by)


@transaction.atomic
def join_with_new_account(secret: str, *, name: str, password: str) -> Membership:
    """Make an account for the person with the link, and let it in."""
    return accept_invitation(secret, by=make_account(name, password))


@transaction.atomic
def add_member(
    campaign: Campaign, account: User, *, by: User, role: str = Role.EDITOR
) -> Membership:
    """Make an account a member without a link, as commands do."""
    return _join(_locked(campaign), account, role=role, by=by)


def _join(campaign: Campaign, account: User, *, role: str, by: User) -> Membership:
    name = account.get_username()
    note(campaign, by, gettext_noop("member joined"), user=name, role=role)
    return campaign.memberships.create(
        username=name, user=account, role=role, opened_at=timezone.now()
    )


@transaction.atomic
def change_role(membership: Membership, *, role: str, by: User) -> Membership:
    if membership.role != role:
        before, membership.role = membership.role, role
        membership.save(update_fields=["role"])
        changed = {"user": membership.username, "from": before, "to": role}
        note(membership.campaign, by, gettext_noop("member’s role changed"), **changed)
    return membership


@transaction.atomic
def remove_member(membership: Membership, *, by: User) -> None:
    membership.delete()
    note(membership.campaign, by, gettext_noop("member removed"), user=membership.username)


@transaction.atomic
def leave(campaign: Campaign, *, by: User) -> None:
    """Leave a campaign that belongs to somebody else."""
    campaign = _locked(campaign)
    if campaign.owner_id == by.pk:
        raise RefusedAction(_("A campaign has an owner: hand it over before you leave."))
    campaign.memberships.filter(user=by).delete()
    note(campaign, by, gettext_noop("member left"), user=by.get_username())


@transaction.atomic
def hand_over(membership: Membership, *, by: User) -> Campaign:
    """Make a member the owner; who owned the campaign stays in it as an editor."""
    campaign = _locked(membership.campaign)
    heir = membership.user
    if campaign.owner_id != by.pk or heir is None or not heir.is_active:
        raise RefusedAction(_("Only the owner hands a campaign over, to the account of a member."))
    membership.delete()
    campaign.owner = heir
    campaign.save(update_fields=["owner"])
    note(campaign, by, gettext_noop("campaign handed over"), to=heir.get_username())
    campaign.memberships.create(
        username=by.get_username(), user=by, role=Role.EDITOR, opened_at=timezone.now()
    )
    return campaign


def _locked(campaign: Campaign) -> Campaign:
    """The campaign, in which nobody else comes or goes meanwhile."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
