"""Studies at a panel: draft, cost, publish, pause, more places, stop."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, PanelAccount, PanelStudy
from rankme.models.campaigns import new_code
from rankme.panel_calls.calls import AnswerLost, PanelAway, PanelError, PanelRefused
from rankme.panel_calls.prolific import Prolific, StudyThere
from rankme.queries.definitions import frozen_definition
from rankme.queries.panel_books import has_panel
from rankme.queries.panel_places import wants_people

from .accounts import one_at_a_time, panel_of, project_of
from .bounds import MINOR_UNITS
from .study_documents import screened_out_pay, screened_out_slots, study_document

State = PanelStudy.State
# The panel said no, or was not reached.
NothingDone = (PanelRefused, PanelAway)
# Cut by a trigger to what the places cost beyond the ceiling.
LARGEST_EXCESS = 2**31 - 1
BLOCKLIST, ALLOWLIST = "participant_group_blocklist", "participant_group_allowlist"


@dataclass(frozen=True)
class StudyPlan:
    """An organiser's decisions about a study. Money is in minor units of the account."""

    name: str
    description: str
    places: int
    reward: int
    minutes: int
    longest_minutes: int
    ceiling: int
    devices: list[str]
    filters: list[dict[str, Any]] = field(default_factory=list)
    is_secure: bool = False
    approval: str = PanelStudy.Approval.AFTER_CHECKS
    tops_up: bool = False
    pays_shares: bool = False

    @classmethod
    def of(cls, decided: Mapping[str, Any], filters: list[dict[str, Any]]) -> StudyPlan:
        """Take the plan from a checked request, which may also say other things."""
        own = {each.name: decided[each.name] for each in fields(cls) if each.name != "filters"}
        return cls(**own, filters=filters)


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
    project_of(account)
    study = _new_row(campaign, account, plan)
    try:
        there = panel_of(account).create_study(study_document(study))
    except AnswerLost:
        note(campaign, by, gettext_noop("study asked for, answer lost"), study=study.key)
        return find_new(study)
    except PanelError:
        study.delete()
        raise
    note(campaign, by, gettext_noop("study drafted"), study=study.key)
    return take_state(study, there)


def change_draft(study: PanelStudy, plan: StudyPlan, *, by: User) -> PanelStudy:
    """Change a study that is not published, at the panel and here.

    Only the account's owner changes the ceiling.
    """
    with _places_are_changed_here(study):
        if study.state != State.UNPUBLISHED:
            raise RefusedAction(_("Only a draft can be changed."))
        if plan.ceiling != study.ceiling:
            change_ceiling(study, plan.ceiling, by=by)
        wanted = _columns_of_plan(plan, study.codes)
        for name, value in wanted.items():
            setattr(study, name, value)
        panel = panel_of(study.account)
        panel.change_study(study.external_id, study_document(study))
        with transaction.atomic():
            PanelStudy.objects.filter(pk=study.pk).update(**wanted)
            note(study.campaign, by, gettext_noop("study changed"), study=study.key)
    study.refresh_from_db()
    return study


def _columns_of_plan(plan: StudyPlan, codes: dict[str, str]) -> dict[str, Any]:
    """Columns of a study as it was planned; a code for shares that it has stays."""
    columns = {part.name: getattr(plan, part.name) for part in fields(plan)}
    pays_shares = columns.pop("pays_shares")
    own = codes or {"share": new_code(8).upper()}
    return columns | {"codes": own if pays_shares else {}}


def _new_row(campaign: Campaign, account: PanelAccount, plan: StudyPlan) -> PanelStudy:
    columns = _columns_of_plan(plan, {})
    try:
        with transaction.atomic():
            return PanelStudy.objects.create(
                campaign=campaign, account=account, currency=account.currency, **columns
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
    study.refresh_from_db()
    is_published = there.status not in (State.NEW, State.UNPUBLISHED)
    is_as_here = (there.places, there.reward) == (study.places, study.reward)
    has_fees = study.places_cost > study.places * study.reward
    if is_published and not (is_as_here and has_fees):
        return _count_places(study, there.id)
    with _one_study_at_a_time():
        PanelStudy.objects.filter(pk=study.pk).update(**_columns_of(there))
    study.refresh_from_db()
    return study


def _columns_of(there: StudyThere) -> dict[str, Any]:
    """Columns of a study as the panel shows it; an answer ends the problem of before."""
    return {
        "external_id": there.id,
        "state": there.status,
        "places": there.places,
        "reward": there.reward,
        "problem": "",
    }


@contextlib.contextmanager
def _one_study_at_a_time() -> Iterator[None]:
    """A transaction that explains why a finished study cannot be taken up again here."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if "one_study_at_a_time" not in str(error):
            raise
        raise RefusedAction(
            _(
                "At the panel this study is active again, but its campaign has another one. Stop "
                "one of them on the panel's own pages."
            )
        ) from error


def _count_places(study: PanelStudy, external_id: str) -> PanelStudy:
    """Count the places that the panel shows, even those beyond the ceiling: they cost money.

    While another process publishes the study or adds places, that process stores them.
    """
    with one_at_a_time(study) as is_ours:
        if not is_ours:
            return study
        panel = panel_of(study.account)
        there = panel.study(external_id)
        cost = _places_cost(panel, study.campaign, places=there.places, reward=there.reward)
        with _one_study_at_a_time():
            PanelStudy.objects.filter(pk=study.pk).update(
                **_columns_of(there), places_cost=cost, excess=LARGEST_EXCESS
            )
    study.refresh_from_db()
    note(
        study.campaign,
        None,
        gettext_noop("places counted"),
        study=study.key,
        places=study.places,
        excess=study.excess,
    )
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
    """The cost of a study, its ceiling, the wallet's balance, and the pay per hour."""

    total: int
    available: int
    per_hour: int
    least_per_hour: int
    ceiling: int

    @property
    def is_within_ceiling(self) -> bool:
        return self.total <= self.ceiling

    @property
    def is_affordable(self) -> bool:
        return self.total <= self.available

    @property
    def is_fair(self) -> bool:
        return self.per_hour >= self.least_per_hour


def cost_of(study: PanelStudy) -> Cost:
    panel, account = panel_of(study.account), study.account
    return Cost(
        total=_places_cost(panel, study.campaign, places=study.places, reward=study.reward),
        available=panel.balance(account.workspace),
        per_hour=study.reward * 60 // study.minutes,
        least_per_hour=panel.least_per_hour(account.workspace, account.currency),
        ceiling=study.ceiling,
    )


def cost_of_places(campaign: Campaign, account: PanelAccount, *, places: int, reward: int) -> int:
    """Compute the cost of this many places, before the study exists."""
    return _places_cost(panel_of(account), campaign, places=places, reward=reward)


def _places_cost(panel: Prolific, campaign: Campaign, *, places: int, reward: int) -> int:
    """Compute the cost of the places plus the screen-out reserve."""
    cost = panel.cost(reward, places)
    pay = screened_out_pay(frozen_definition(campaign).definition.crowd)
    return cost + (panel.cost(pay, screened_out_slots(places)) if pay else 0)


def _set_aside(study: PanelStudy, *, cost: int, places: int) -> None:
    """Count the cost against the ceiling, before the panel is asked for anything."""
    try:
        with transaction.atomic():
            PanelStudy.objects.filter(pk=study.pk).update(places_cost=cost, places=places)
    except IntegrityError as error:
        raise RefusedAction(
            _("This costs %(cost)s, which is more than the ceiling of %(ceiling)s allows.")
            % {
                "cost": amount_in_words(cost, study.currency),
                "ceiling": amount_in_words(study.ceiling, study.currency),
            }
        ) from error


@contextlib.contextmanager
def _places_are_changed_here(study: PanelStudy) -> Iterator[None]:
    """Let one process at a time decide how many places a study has."""
    with one_at_a_time(study) as is_ours:
        if not is_ours:
            raise RefusedAction(_("The study is being changed. Try again in a minute."))
        study.refresh_from_db()
        yield


def in_major_units(minor: int) -> str:
    return f"{minor // MINOR_UNITS}.{minor % MINOR_UNITS:02}"


def amount_in_words(minor: int, currency: str) -> str:
    return f"{in_major_units(minor)} {currency}"


# Life --------------------------------------------------------------------------------------


def publish_study(study: PanelStudy, *, by: User, agreed: int | None = None) -> PanelStudy:
    """Open the study to people. From here on it costs money, up to its ceiling.

    `agreed` is the cost that a person has seen and agreed to.
    """
    with _places_are_changed_here(study):
        if study.state != State.UNPUBLISHED:
            raise RefusedAction(
                _("This study has already been published, or the panel has not created it yet.")
            )
        _refuse_unless_running(study)
        cost = cost_of(study)
        if agreed is not None and cost.total != agreed:
            raise RefusedAction(_("The cost has changed. Look at it again."))
        if not cost.is_affordable:
            raise RefusedAction(
                _("The wallet has %(available)s, and the study costs %(cost)s.")
                % {
                    "available": amount_in_words(cost.available, study.currency),
                    "cost": amount_in_words(cost.total, study.currency),
                }
            )
        _set_aside(study, cost=cost.total, places=study.places)
        note(study.campaign, by, gettext_noop("study published"), study=study.key, cost=cost.total)
        try:
            return _ask_for(study, "PUBLISH")
        except NothingDone:
            _set_aside(study, cost=0, places=study.places)
            raise


def _refuse_unless_running(study: PanelStudy) -> None:
    if not study.campaign.is_running:
        raise RefusedAction(_("The campaign is not running."))


def _ask_for(study: PanelStudy, action: str) -> PanelStudy:
    """Make one transition. Asked again it would be refused, so a lost answer is looked up.

    What was set aside stays so while the answer is unknown.
    """
    panel, before = panel_of(study.account), study.state
    try:
        return take_state(study, panel.transition(study.external_id, action))
    except AnswerLost as lost:
        try:
            there = panel.study(study.external_id)
        except PanelError as error:
            raise lost from error
    study = take_state(study, there)
    if study.state == before:
        raise RefusedAction(
            _("The panel's answer was lost, and it shows the study as it was. Try again.")
        )
    return study


def pause_study(study: PanelStudy, *, by: User | None) -> PanelStudy:
    """Stop new arrivals; people at work can finish. The site ends its own pauses."""
    is_kept = study.state == State.PAUSED and study.pauses and by is not None
    if study.state != State.ACTIVE and not is_kept:
        raise RefusedAction(_("Only an active study can be paused."))
    PanelStudy.objects.filter(pk=study.pk).update(pauses=by is None)
    study = study if is_kept else _ask_for(study, "PAUSE")
    study.refresh_from_db()
    note(study.campaign, by, gettext_noop("study paused"), study=study.key)
    return study


def resume_study(study: PanelStudy, *, by: User | None) -> PanelStudy:
    """Send people again, while the campaign runs and has a batch for them."""
    if study.state != State.PAUSED:
        raise RefusedAction(_("Only a paused study can be resumed."))
    _refuse_unless_running(study)
    if not wants_people(study):
        raise RefusedAction(_("No batch is free for another rater."))
    study = _ask_for(study, "START")
    PanelStudy.objects.filter(pk=study.pk).update(pauses=False)
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
    with _places_are_changed_here(study):
        if more < 1 or study.state not in (State.ACTIVE, State.PAUSED, State.AWAITING_REVIEW):
            raise RefusedAction(_("Places can be added to a published study that is not over."))
        _refuse_unless_running(study)
        panel, places, cost = panel_of(study.account), study.places, study.places_cost
        wanted = places + more
        new_cost = _places_cost(panel, study.campaign, places=wanted, reward=study.reward)
        _set_aside(study, cost=new_cost, places=wanted)
        try:
            there = panel.set_places(study.external_id, wanted)
        except NothingDone:
            _set_aside(study, cost=cost, places=places)
            raise
        except AnswerLost:
            # If this is not answered either, the next visit counts what the panel then shows.
            there = panel.study(study.external_id)
        note(study.campaign, by, gettext_noop("places added"), study=study.key, places=there.places)
        return take_state(study, there)


@transaction.atomic
def change_ceiling(study: PanelStudy, ceiling: int, *, by: User) -> None:
    """Only the account's owner decides how much can be spent."""
    if study.account.owner_id != by.pk:
        raise RefusedAction(_("Only the owner of the account can change the ceiling."))
    too_low = _("More than this is already spent or promised.")
    if ceiling < study.committed:
        raise RefusedAction(too_low)
    try:
        with transaction.atomic():
            PanelStudy.objects.filter(pk=study.pk).update(ceiling=ceiling)
    except IntegrityError as error:
        raise RefusedAction(too_low) from error
    note(study.campaign, by, gettext_noop("ceiling changed"), study=study.key, ceiling=ceiling)
