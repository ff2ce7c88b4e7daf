"""Teams of a shared task: registered, decided about, with members who come by secret links."""

from __future__ import annotations

import re
import unicodedata

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import rate_limits
from rankme.actions.link_secrets import hash_of, new_secret
from rankme.errors import RefusedAction
from rankme.models import SharedTask, SystemCode, Team, TeamInvitation, TeamMember, TeamSystem
from rankme.queries.shared_task.system_names import earlier_codes

from .events import note
from .rules import rules_as_refusals
from .tasks import locked, refuse_if_sealed

MOST_TEAMS, MOST_MEMBERS, MOST_SYSTEMS, MOST_INVITATIONS = 500, 50, 50, 500
OWN_NAMES = ("hosts", "rehearsal")
LATEX = re.compile(r"[\\{}$#%^~&_]")
Kind, State = Team.Kind, Team.State
Registration = SharedTask.Registration


def problem_with_name(name: str) -> str:
    """Say why a publication name cannot be printed by every LaTeX, or return an empty text."""
    if found := LATEX.search(name):
        return _("“%(sign)s” means something in LaTeX. Write the name without it.") % {
            "sign": found[0]
        }
    for sign in name:
        if not sign.isascii() and not unicodedata.name(sign, "").startswith("LATIN "):
            return _("“%(sign)s” cannot be printed by every LaTeX. Use Latin letters.") % {
                "sign": sign
            }
    return "" if name.isprintable() else _("Write the name without control characters.")


@transaction.atomic
def register_team(
    task: SharedTask,
    *,
    name: str,
    publication_name: str,
    captain: str,
    email: str = "",
    institution: str = "",
    accepts_terms: bool = False,
    invitation: str = "",
) -> tuple[TeamMember, str]:
    """Register a team; returns its captain with the secret of the link, which is shown once.

    A team that waits for approval uploads at once, so that it need not come twice.

    Parameters
    ----------
    invitation : the secret of a link from the hosts, with which a team takes part without approval
    """
    task = locked(task)
    invited = _open_invitation(task, invitation) if invitation else None
    _refuse_registration(task, invited, accepts_terms=accepts_terms)
    if problem := problem_with_name(publication_name):
        raise RefusedAction(problem)
    if name.casefold() in OWN_NAMES:
        raise RefusedAction(_("This short name is kept for the hosts. Choose another one."))
    is_in = invited is not None or task.registration == Registration.OPEN
    with rules_as_refusals():
        team = task.teams.create(
            name=name,
            publication_name=publication_name,
            institution=institution,
            state=State.APPROVED if is_in else State.WAITING,
            accepted_terms_at=Now() if task.terms else None,
        )
    if invited is not None:
        TeamInvitation.objects.filter(pk=invited.pk).update(team=team)
    member, secret = _new_member(team, captain, email, is_captain=True)
    note(task, gettext_noop("team registered"), by=member, name=name)
    return member, secret


def refuse_many_registrations(task: SharedTask, *, address: str) -> None:
    """Bound how many teams come from one address of the network."""
    if not rate_limits.take(rate_limits.NEW_RATERS, task.pk, address):
        raise RefusedAction(_("Many teams register now. Try again in a minute."))


def _refuse_registration(
    task: SharedTask, invited: TeamInvitation | None, *, accepts_terms: bool
) -> None:
    refuse_if_sealed(task)
    if not SharedTask.objects.filter(pk=task.pk, closes_at__gt=Now()).exists():
        raise RefusedAction(_("The task is closed, so no team can register any more."))
    if task.registration == Registration.CLOSED and invited is None:
        raise RefusedAction(_("Only invited teams take part. Ask the hosts for a link."))
    if task.terms and not accepts_terms:
        raise RefusedAction(_("Accept the terms of the task to take part."))
    if task.teams.count() >= MOST_TEAMS:
        raise RefusedAction(_("The task has as many teams as it can have. Write to the hosts."))


@transaction.atomic
def open_own_team(task: SharedTask, kind: str, *, by: User) -> tuple[TeamMember, str]:
    """Give a host a link into the team for baselines or for rehearsals, made when first needed.

    The rehearsal team appears in no list, count, table or file.
    """
    task = locked(task)
    name = "Hosts" if kind == Kind.HOSTS else "Rehearsal"
    team = task.teams.filter(kind=kind).first()
    if team is None:
        with rules_as_refusals():
            team = task.teams.create(
                kind=kind, name=name, publication_name=name, state=State.APPROVED
            )
    return replace_captain(team, name=by.get_username(), by=by)


@transaction.atomic
def decide(team: Team, *, approve: bool, by: User) -> Team:
    """Approve a team or refuse it; a decision can be changed until the seal."""
    refuse_if_sealed(locked(team.task))
    state = State.APPROVED if approve else State.REFUSED
    deciding = Team.objects.filter(
        pk=team.pk, kind=Kind.TEAM, state__in=[State.WAITING, State.APPROVED, State.REFUSED]
    )
    if not deciding.exclude(state=state).update(state=state, decided_at=Now()):
        raise RefusedAction(_("There is nothing to decide about this team."))
    verb = gettext_noop("team approved") if approve else gettext_noop("team refused")
    note(team.task, verb, by=by, name=team.name)
    team.refresh_from_db()
    return team


@transaction.atomic
def withdraw_team(team: Team, *, by: User | TeamMember) -> Team:
    """End a team's part, and withdraw all that it has uploaded. It cannot be undone."""
    task = locked(team.task)
    if task.unsealed_at is not None:
        raise RefusedAction(_("The names are known: nothing can be withdrawn any more."))
    _refuse_if_no_captain(by, team)
    taking_part = Team.objects.filter(pk=team.pk).exclude(state=State.WITHDRAWN)
    if not taking_part.update(state=State.WITHDRAWN, decided_at=Now()):
        raise RefusedAction(_("This team has withdrawn already."))
    with rules_as_refusals():
        team.uploads.filter(withdrawn_at=None).update(withdrawn_at=Now())
    note(task, gettext_noop("team withdrawn"), by=by, name=team.name)
    team.refresh_from_db()
    return team


@transaction.atomic
def change_team(
    team: Team, *, publication_name: str, institution: str, citation: str, by: TeamMember
) -> Team:
    """Change how the paper names and cites the team; its short name stays."""
    refuse_if_sealed(locked(team.task))
    _refuse_if_no_captain(by, team)
    if problem := problem_with_name(publication_name):
        raise RefusedAction(problem)
    given = {
        "publication_name": publication_name,
        "institution": institution,
        "citation": citation,
    }
    changed = {
        name: {"from": getattr(team, name), "to": value}
        for name, value in given.items()
        if getattr(team, name) != value
    }
    if changed:
        Team.objects.filter(pk=team.pk).update(**given)
        note(team.task, gettext_noop("team changed its facts"), by=by, changed=changed)
        team.refresh_from_db()
    return team


# --- Members ---------------------------------------------------------------------------------


def member_of(secret: str) -> TeamMember:
    """Find who comes with a link or a token."""
    rows = TeamMember.objects.select_related("team__task")
    found = rows.filter(hash=hash_of(secret), removed_at=None).first()
    if found is None:
        raise RefusedAction(
            _("This link does not work. Copy the whole link, or ask your captain for a new one.")
        )
    return found


@transaction.atomic
def add_member(team: Team, *, name: str, email: str = "", by: TeamMember) -> tuple[TeamMember, str]:
    """Make a link for one more person; its secret is shown once."""
    _lock_team(team)
    _refuse_if_no_captain(by, team)
    if team.members.filter(removed_at=None).count() >= MOST_MEMBERS:
        raise RefusedAction(_("Your team has many members. Remove one of them first."))
    member, secret = _new_member(team, name, email)
    note(team.task, gettext_noop("team member added"), by=by, added=member.pk)
    return member, secret


@transaction.atomic
def remove_member(member: TeamMember, *, by: User | TeamMember) -> None:
    """End a member's link, as captain or host; what the member uploaded stays."""
    _refuse_if_no_captain(by, member.team)
    if member.is_captain:
        raise RefusedAction(_("A team needs a captain. The hosts can name another one."))
    if TeamMember.objects.filter(pk=member.pk, removed_at=None).update(removed_at=Now()):
        note(member.team.task, gettext_noop("team member removed"), by=by, removed=member.pk)


@transaction.atomic
def replace_captain(team: Team, *, name: str, by: User) -> tuple[TeamMember, str]:
    """Make a host's new link for a team whose captain is gone; the old link ends.

    While codes hide names, it would show a host what a team has uploaded.
    """
    _lock_team(team)
    if team.kind != Kind.REHEARSAL and team.task.is_sealed:
        raise RefusedAction(_("The task is sealed. Make the link once the names are known."))
    team.members.filter(is_captain=True, removed_at=None).update(removed_at=Now())
    with rules_as_refusals():
        member, secret = _new_member(team, name, "", is_captain=True)
    note(team.task, gettext_noop("new captain"), by=by, name=team.name, captain=member.pk)
    return member, secret


def _new_member(
    team: Team, name: str, email: str, *, is_captain: bool = False
) -> tuple[TeamMember, str]:
    secret = new_secret()
    member = team.members.create(
        name=name, email=email, hash=hash_of(secret), is_captain=is_captain
    )
    return member, secret


def _lock_team(team: Team) -> None:
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def _refuse_if_no_captain(by: User | TeamMember, team: Team) -> None:
    if isinstance(by, TeamMember) and (not by.is_captain or by.team_id != team.pk):
        raise RefusedAction(_("Only the captain of the team can do this."))


def make_link(task: SharedTask, kind: str, *, by: User) -> str:
    """The path of a new link: into the hosts' own team of a kind, or for an invited team."""
    if kind in (Kind.HOSTS, Kind.REHEARSAL):
        _member, secret = open_own_team(task, kind, by=by)
        return reverse("rankme:team-enter", args=[secret])
    _invitation, secret = invite_team(task, by=by)
    return reverse("rankme:task-call", args=[task.code]) + f"?invitation={secret}"


def make_captains_link(team: Team, *, by: User) -> str:
    """The path of a new captain's link; the captain's old one ends."""
    _member, secret = replace_captain(team, name=team.name, by=by)
    return reverse("rankme:team-enter", args=[secret])


# --- Invitations -----------------------------------------------------------------------------


@transaction.atomic
def invite_team(task: SharedTask, *, note_text: str = "", by: User) -> tuple[TeamInvitation, str]:
    """Make a link with which one team registers; its secret is shown once."""
    task = locked(task)
    refuse_if_sealed(task)
    if open_invitations(task).count() >= MOST_INVITATIONS:
        raise RefusedAction(_("There are many open invitations. Revoke some of them first."))
    secret = new_secret()
    made = task.team_invitations.create(hash=hash_of(secret), note=note_text)
    note(task, gettext_noop("team invited"), by=by, invitation=made.pk)
    return made, secret


def open_invitations(task: SharedTask) -> QuerySet[TeamInvitation]:
    """The invitations that a team can still use."""
    return task.team_invitations.filter(team=None, revoked_at=None)


@transaction.atomic
def revoke_team_invitation(invitation: TeamInvitation, *, by: User) -> None:
    """End the link of an invitation that no team has used."""
    if open_invitations(invitation.task).filter(pk=invitation.pk).update(revoked_at=Now()):
        verb = gettext_noop("team invitation revoked")
        note(invitation.task, verb, by=by, invitation=invitation.pk)


def _open_invitation(task: SharedTask, secret: str) -> TeamInvitation:
    found = task.team_invitations.filter(hash=hash_of(secret)).first()
    if found is None or found.revoked_at is not None:
        raise RefusedAction(_("This invitation does not work. Ask the hosts for another link."))
    if found.team_id is not None:
        raise RefusedAction(_("A team has used this invitation. Ask the hosts for another link."))
    return found


# --- Systems ---------------------------------------------------------------------------------


@transaction.atomic
def announce_system(
    team: Team,
    *,
    name: str,
    description: str = "",
    is_constrained: bool = True,
    judged_before: str = "",
    by: TeamMember,
) -> TeamSystem:
    """Name a system before its outputs come; until the term, that reserves a place.

    Parameters
    ----------
    judged_before : of a baseline, the code under which people judged it the year before, as in
        `address_of_code`

    Raises
    ------
    RefusedAction : the name is taken, the task is sealed, or there is no such code
    """
    _lock_team(team)
    refuse_if_sealed(team.task)
    earlier = _earlier_code(team, judged_before) if judged_before else None
    if team.systems.count() >= MOST_SYSTEMS:
        raise RefusedAction(_("Your team has many systems. Use one of them."))
    with rules_as_refusals():
        system = team.systems.create(
            name=name,
            description=description,
            is_constrained=is_constrained,
            judged_before=earlier,
        )
    note(team.task, gettext_noop("system announced"), by=by, system=system.pk)
    return system


def _earlier_code(team: Team, address: str) -> SystemCode:
    campaign, _slash, code = address.partition("/")
    found = earlier_codes(team).filter(track__campaign__code=campaign, code=code).first()
    if found is None:
        raise RefusedAction(
            _("There is no such system in the task of the year before, or its names are unknown.")
        )
    if team.systems.filter(judged_before=found).exists():  # the team is locked
        raise RefusedAction(_("Another of your systems is this one. Choose another code."))
    return found
