"""Changing a launched campaign on the record: each change is a new version with a reason."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.accounts.invitations import (
    refuse_broken_promise,
)
from rankme.actions.audit import note
from rankme.actions.rows.versions import checked_reason, write_version
from rankme.errors import ChangedMeanwhile, InvalidDefinition, RefusedAction
from rankme.models import Campaign, CampaignVersion
from rankme.protocols.changes import what_may_not_change
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_to_document, stored_definition

from .campaigns import locked, refuse_without_code
from .deleting import waiting_deletion

State, Change = Campaign.State, CampaignVersion.Change


def refuse_unless_changeable(campaign: Campaign) -> None:
    """Refuse drafts and archives, which have no versions."""
    if campaign.is_archive:
        raise RefusedAction(_("The judgements of an archive were collected elsewhere."))
    if campaign.is_draft:
        raise RefusedAction(_("A draft has no versions: edit its definition."))


def checked_change(campaign: Campaign, definition: Definition) -> Definition:
    """The definition as a new version would store it.

    Raises
    ------
    InvalidDefinition : it changes what raters have answered; carries every place
    RefusedAction : nothing changes, or the campaign could not pay its raters
    """
    before = stored_definition(campaign.definition)
    seed = before.seed if definition.seed is None else definition.seed
    material = definition.material or before.material
    definition = definition.model_copy(update={"seed": seed, "material": material})
    if problems := what_may_not_change(before, definition):
        raise InvalidDefinition(problems)
    if definition_to_document(definition) == campaign.definition:
        raise RefusedAction(_("This is the same as the current definition: nothing would change."))
    refuse_without_code(definition)
    _refuse_broken_terms(campaign, before, definition)
    if campaign.invitations.exclude(name="").exists():
        refuse_broken_promise(definition.texts.promises)
    if campaign.invitations.exclude(mail="").exists():
        refuse_broken_promise(definition.texts.promises, addresses=True)
    return definition


def _refuse_broken_terms(campaign: Campaign, before: Definition, definition: Definition) -> None:
    """Keep what raters were told before they agreed (those before 2.0.0 were told nothing)."""
    days = before.crowd.keep_identities_days
    told = campaign.participants.filter(consent_version__isnull=False)
    if definition.crowd.traces and not before.crowd.traces and told.exists():
        raise RefusedAction(
            _("Raters agreed before they read about traces. You can only switch traces off.")
        )
    if definition.crowd.texts_are != before.crowd.texts_are and told.exists():
        raise RefusedAction(
            _("Raters agreed to what happens with texts that they write. This cannot change.")
        )
    if definition.crowd.keep_identities_days > days and told.exists():
        raise RefusedAction(
            _(
                "Raters agreed that their identities are erased %(days)s days after the close. You "
                "can only shorten that."
            )
            % {"days": days}
        )


@transaction.atomic
def change_campaign(
    campaign: Campaign, definition: Definition, *, reason: str, by: User, base: int
) -> CampaignVersion:
    """Give a launched campaign a new definition; raters who hold a batch finish it as it began.

    Parameters
    ----------
    base : the number of the version that was edited

    Raises
    ------
    ChangedMeanwhile : the campaign has a newer version
    InvalidDefinition, RefusedAction : see `checked_change`
    """
    reason = checked_reason(reason)
    campaign = lock_for_version(campaign, base)
    definition = checked_change(campaign, definition)
    campaign.title = definition.title
    campaign.definition = definition_to_document(definition)
    if campaign.closed_at and campaign.identities_until:
        days = definition.crowd.keep_identities_days
        campaign.identities_until = campaign.closed_at + timedelta(days=days)
        campaign.save(update_fields=["identities_until"])
    version = write_version(campaign, change=Change.DEFINITION, by=by, reason=reason)
    note_version(version, gettext_noop("definition changed"))
    return version


@transaction.atomic
def reopen_campaign(campaign: Campaign, *, reason: str, by: User, base: int) -> CampaignVersion:
    """Collect again in a closed campaign. What arrived after its end stays flagged as late."""
    reason = checked_reason(reason)
    campaign = lock_for_version(campaign, base)
    if not campaign.is_over:
        raise RefusedAction(_("Only a closed campaign can be reopened."))
    if waiting_deletion(campaign) is not None:
        raise RefusedAction(_("The campaign is to be deleted. Cancel that first."))
    version = write_version(campaign, change=Change.REOPENING, by=by, reason=reason)
    campaign.state = State.RUNNING
    campaign.closed_at = campaign.identities_until = None
    campaign.save(update_fields=["state", "closed_at", "identities_until"])
    note_version(version, gettext_noop("reopened"))
    return version


def lock_for_version(campaign: Campaign, base: int, *, let_raters_work: bool = False) -> Campaign:
    """The campaign, locked, if `base` is still its newest version.

    With `let_raters_work`, raters meanwhile store what refers to it: for changes that take long.
    """
    refuse_unless_changeable(campaign)
    states = (State.RUNNING, State.PAUSED, State.CLOSED, State.PUBLISHED)
    campaign = locked(campaign, *states, no_key=let_raters_work)
    if base != campaign.version:
        raise ChangedMeanwhile(
            _("Version %(newest)s was made by somebody else in the meantime.")
            % {"newest": campaign.version}
        )
    return campaign


def note_version(version: CampaignVersion, verb: str) -> None:
    note(
        version.campaign,
        version.author,
        verb,
        version=version.number,
        reason=version.reason,
        definition_sha256=version.definition_sha256,
    )
