"""Studies at a panel: draft, cost, publish, pause, more places, stop."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, PanelAccount, PanelStudy
from rankme.models.campaigns import new_code
from rankme.panels.calls import AnswerLost, PanelError
from rankme.panels.prolific import Prolific, StudyThere
from rankme.queries.definitions import frozen_definition
from rankme.queries.panel_books import has_panel

from .accounts import panel_of
from .documents import screened_out_pay, screened_out_slots, study_document

State = PanelStudy.State
BLOCKLIST, ALLOWLIST = "participant_group_blocklist", "participant_group_allowlist"


@dataclass(frozen=True)
class StudyPlan:
    """What an organiser decides about a study. Money is in minor units of the account."""

    name: str
    description: str
    places: int
    reward: int
    minutes: int
    longest_minutes: int
    ceiling: int
    devices: list[str]
    filters: list[dict[str, Any]] = field(default_factory=list)
    is_secure: bool = True
    approval: str = PanelStudy.Approval.AFTER_CHECKS
    tops_up: bool = False
    pays_shares: bool = False


def draft_study(
    campaign: Campaign, account: PanelAccount, plan: StudyPlan, *, by: User
) -> PanelStudy:
    """Create the study at the panel, unpublished. Nothing costs money yet.

    The row is there before the panel is asked. When the answer is lost, the study is found by the
    row's own name (`find_new`).
    """
    if account.owner_id != by.pk:
        raise RefusedAction(_("Only its owner can lend an account to a campaign."))
    if not has_panel(campaign):
        raise RefusedAction(_("The site runs no studies at this campaign's panel."))
    if campaign.is_draft or campaign.is_over:
        raise RefusedAction(_("Launch the campaign first. A closed campaign cannot have a study."))
    study = _new_row(campaign, account, plan)
    try:
        there = panel_of(account, tries=2).create_study(study_document(study))
    except AnswerLost:
        note(campaign, by, gettext_noop("study asked for, answer lost"), study=study.key)
        return find_new(study)
    except PanelError:
        study.delete()
        raise
    note(campaign, by, gettext_noop("study drafted"), study=study.key)
    return take_state(study, there)


def _new_row(campaign: Campaign, account: PanelAccount, plan: StudyPlan) -> PanelStudy:
    try:
        with transaction.atomic():
            return PanelStudy.objects.create(
                campaign=campaign,
                account=account,
                currency=account.currency,
                name=plan.name,
                description=plan.description,
                places=plan.places,
                reward=plan.reward,
                minutes=plan.minutes,
                longest_minutes=plan.longest_minutes,
                ceiling=plan.ceiling,
                devices=plan.devices,
                filters=plan.filters,
                is_secure=plan.is_secure,
                approval=plan.approval,
                tops_up=plan.tops_up,
                codes={"share": new_code(8).upper()} if plan.pays_shares else {},
            )
    except IntegrityError as error:
        raise RefusedAction(_("This campaign already has a study.")) from error


def find_new(study: PanelStudy) -> PanelStudy:
    """After a lost answer: the panel's study with our name for it, if there is one."""
    try:
        there = panel_of(study.account).find_study(f"rankme {study.key}")
    except PanelError:
        return study
    return take_state(study, there) if there else study


def take_state(study: PanelStudy, there: StudyThere) -> PanelStudy:
    """Store what the panel says about a study."""
    PanelStudy.objects.filter(pk=study.pk).update(
        external_id=there.id, state=there.status, places=there.places, problem=""
    )
    study.refresh_from_db()
    return study


def delete_study(study: PanelStudy, *, by: User) -> None:
    """Forget a draft, at the panel and here."""
    if study.is_published:
        raise RefusedAction(_("Only a study that is not published can be deleted."))
    if study.external_id:
        panel_of(study.account).delete_study(study.external_id)
    note(study.campaign, by, gettext_noop("study deleted"), study=study.key)
    study.delete()


# Cost --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """What a study costs, what is in the wallet, and what an hour of work earns."""

    total: int
    available: int
    per_hour: int
    least_per_hour: int

    @property
    def is_affordable(self) -> bool:
        return self.total <= self.available

    @property
    def is_fair(self) -> bool:
        return self.per_hour >= self.least_per_hour


def cost_of(study: PanelStudy) -> Cost:
    panel, account = panel_of(study.account, tries=2), study.account
    return Cost(
        total=_places_cost(panel, study, study.places),
        available=panel.balance(account.workspace),
        per_hour=study.reward * 60 // study.minutes,
        least_per_hour=panel.least_per_hour(account.workspace, account.currency),
    )


def _places_cost(panel: Prolific, study: PanelStudy, places: int) -> int:
    """So many places, and what is set aside for people who are screened out."""
    cost = panel.cost(study.reward, places)
    pay = screened_out_pay(frozen_definition(study.campaign).definition.crowd)
    return cost + (panel.cost(pay, screened_out_slots(study.places)) if pay else 0)


def _set_aside(study: PanelStudy, cost: int) -> None:
    """Count the cost against the ceiling, before the panel is asked for anything."""
    try:
        with transaction.atomic():
            PanelStudy.objects.filter(pk=study.pk).update(places_cost=cost)
    except IntegrityError as error:
        raise RefusedAction(
            _("This costs %(cost)s, which is more than the ceiling of %(ceiling)s allows.")
            % {
                "cost": amount_in_words(cost, study.currency),
                "ceiling": amount_in_words(study.ceiling, study.currency),
            }
        ) from error


def amount_in_words(minor: int, currency: str) -> str:
    return f"{minor // 100}.{minor % 100:02} {currency}"


# Life --------------------------------------------------------------------------------------


def publish_study(study: PanelStudy, *, by: User) -> PanelStudy:
    """Open the study to people. From here on it costs money, up to its ceiling."""
    if study.state != State.UNPUBLISHED:
        raise RefusedAction(
            _("This study has already been published, or the panel has not created it yet.")
        )
    if not study.campaign.is_running:
        raise RefusedAction(_("The campaign is not running."))
    cost = cost_of(study)
    if not cost.is_affordable:
        raise RefusedAction(
            _("The wallet has %(available)s, and the study costs %(cost)s.")
            % {
                "available": amount_in_words(cost.available, study.currency),
                "cost": amount_in_words(cost.total, study.currency),
            }
        )
    _set_aside(study, cost.total)
    note(study.campaign, by, gettext_noop("study published"), study=study.key, cost=cost.total)
    try:
        return _ask_for(study, "PUBLISH")
    except AnswerLost:
        raise
    except PanelError:
        _set_aside(study, 0)
        raise


def _ask_for(study: PanelStudy, action: str) -> PanelStudy:
    """One transition. Asked again it would be refused, so a lost answer is looked up."""
    panel = panel_of(study.account, tries=2)
    try:
        there = panel.transition(study.external_id, action)
    except AnswerLost:
        there = panel.study(study.external_id)
    return take_state(study, there)


def pause_study(study: PanelStudy, *, by: User | None) -> PanelStudy:
    """Send nobody new; people at work can finish."""
    if study.state != State.ACTIVE:
        raise RefusedAction(_("Only an active study can be paused."))
    study = _ask_for(study, "PAUSE")
    note(study.campaign, by, gettext_noop("study paused"), study=study.key)
    return study


def resume_study(study: PanelStudy, *, by: User | None) -> PanelStudy:
    if study.state != State.PAUSED:
        raise RefusedAction(_("Only a paused study can be resumed."))
    study = _ask_for(study, "START")
    note(study.campaign, by, gettext_noop("study resumed"), study=study.key)
    return study


def stop_study(study: PanelStudy, *, by: User | None) -> PanelStudy:
    """End the study for good. Raters who have finished can still be approved."""
    if study.state not in (State.ACTIVE, State.PAUSED, State.AWAITING_REVIEW):
        raise RefusedAction(_("This study cannot be stopped now."))
    study = _ask_for(study, "STOP")
    note(study.campaign, by, gettext_noop("study stopped"), study=study.key)
    return study


def add_places(study: PanelStudy, more: int, *, by: User | None) -> PanelStudy:
    """Offer more places. Their cost is set aside first, and released if the panel refuses."""
    if more < 1 or study.state not in (State.ACTIVE, State.PAUSED, State.AWAITING_REVIEW):
        raise RefusedAction(_("Places can be added to a published study that is not over."))
    panel, before = panel_of(study.account, tries=2), study.places_cost
    places = study.places + more
    _set_aside(study, _places_cost(panel, study, places))
    try:
        there = panel.set_places(study.external_id, places)
    except AnswerLost:
        there = panel.study(study.external_id)
        if there.places < places:
            _set_aside(study, before)
    except PanelError:
        _set_aside(study, before)
        raise
    note(study.campaign, by, gettext_noop("places added"), study=study.key, places=there.places)
    return take_state(study, there)


@transaction.atomic
def change_ceiling(study: PanelStudy, ceiling: int, *, by: User) -> None:
    """Only the account's owner decides how much can be spent."""
    if study.account.owner_id != by.pk:
        raise RefusedAction(_("Only the owner of the account can change the ceiling."))
    if ceiling < study.committed:
        raise RefusedAction(_("More than this is already spent or promised."))
    PanelStudy.objects.filter(pk=study.pk).update(ceiling=ceiling)
    note(study.campaign, by, gettext_noop("ceiling changed"), study=study.key, ceiling=ceiling)


def follow_campaign(study: PanelStudy) -> PanelStudy:
    """Pause, resume and stop with the campaign. `pauses` says that the pause is the campaign's."""
    campaign = study.campaign
    if campaign.is_over and study.state in (State.ACTIVE, State.PAUSED):
        return stop_study(study, by=None)
    if campaign.state == Campaign.State.PAUSED and study.state == State.ACTIVE:
        PanelStudy.objects.filter(pk=study.pk).update(pauses=True)
        return pause_study(study, by=None)
    if campaign.is_running and study.pauses and study.state == State.PAUSED:
        PanelStudy.objects.filter(pk=study.pk).update(pauses=False)
        return resume_study(study, by=None)
    return study
