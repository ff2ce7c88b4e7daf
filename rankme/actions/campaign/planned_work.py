"""A draft's plan in figures: what a launch would store, and its cost (`rankme.designs.cost`)."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.utils.translation import gettext as _

from rankme.designs.cost import Estimate, estimate
from rankme.designs.plan import DrawnPlan
from rankme.errors import RefusedAction
from rankme.exporting.paper.preregistration import preregistration
from rankme.exporting.registered import stored_preregistration
from rankme.models import Campaign
from rankme.panel_links import PANELS
from rankme.protocols.crowd import MOST_BATCHES
from rankme.queries.progress import planned_judgements
from rankme.queries.reading import Reading, reading_of

from . import launches, plans
from .campaigns import change_definition, definition_of, definition_version, refuse_without_code

MOST_TRIALS_READ = 200


@dataclass(frozen=True)
class PlannedWork:
    """A drawn plan with its time and cost; `pay_least` is what the panel asks for an hour."""

    drawn: plans.CampaignPlan
    estimate: Estimate
    judgements: int
    screens_per_trial: float
    reading: Reading
    pay_least: float | None

    @property
    def plan(self) -> DrawnPlan:
        return self.drawn.plan

    @property
    def pay_is_low(self) -> bool:
        return self.pay_least is not None and self.estimate.pay_per_hour < self.pay_least

    @property
    def fair_pay(self) -> float:
        """The least pay of a batch that the panel would find fair, rounded up."""
        return math.ceil((self.pay_least or 0) * self.estimate.minutes_per_batch / 60 * 100) / 100


def planned_work(campaign: Campaign) -> PlannedWork:
    """Draw the plan that a launch would store, and store nothing.

    Raises
    ------
    RefusedAction : the campaign cannot be launched as it is, or its plan is too large to wait for
    """
    definition = definition_of(campaign)
    refuse_without_code(definition)
    if launches.is_large(campaign):
        raise RefusedAction(_("This plan is too large to be shown before the launch."))
    drawn = plans.draw_plan(campaign)
    for _batch in plans.draw_checks(campaign, drawn):
        pass  # refused here rather than at the launch
    plan, documents = drawn.plan, drawn.count_documents()
    n_trials = plan.balance.trials_per_batch.mean
    screens_per_trial = definition.screens_in_all(len(plan.items), documents) / len(plan.items)
    cost = estimate(
        plan,
        definition.crowd,
        screens_per_trial=screens_per_trial,
        checks_per_batch=sum(check.pages_in(n_trials) for check in definition.checks),
    )
    judgements = planned_judgements(
        plan.balance.judgements,
        len(plan.items) * plan.raters_per_trial,
        documents * plan.raters_per_trial,
        definition,
    )
    return PlannedWork(
        drawn=drawn,
        estimate=cost,
        judgements=judgements,
        screens_per_trial=screens_per_trial,
        reading=reading_of(_sample_of(drawn), definition),
        pay_least=PANELS[definition.crowd.panel].least_per_hour.get(cost.currency),
    )


def preregistration_of(campaign: Campaign) -> dict[str, Any] | None:
    """The preregistration that the launch of a draft would store, or the stored one.

    Raises
    ------
    RefusedAction : a draft's plan cannot be drawn, or is too large to wait for
    """
    if not campaign.is_draft:
        return stored_preregistration(campaign)
    return preregistration(campaign, asdict(planned_work(campaign).plan.balance))


def fit_raters(campaign: Campaign, raters: int, *, by: User) -> int:
    """Let each rater of a draft do as many batches as so few raters need; return that number."""
    base = definition_version(campaign)
    definition = definition_of(campaign)
    if raters < definition.raters_per_trial:
        raise RefusedAction(
            _("Each batch is judged by %(raters)s different raters, so at least as many must come.")
            % {"raters": definition.raters_per_trial}
        )
    batches = batches_of_each(raters, planned_work(campaign))
    if batches > MOST_BATCHES:
        raise RefusedAction(
            _("Each of them would have to do more than %(most)s batches.") % {"most": MOST_BATCHES}
        )
    crowd = definition.crowd.model_copy(update={"batches_per_rater": batches})
    change_definition(campaign, definition.model_copy(update={"crowd": crowd}), by=by, base=base)
    return batches


def batches_of_each(raters: int, work: PlannedWork) -> int:
    """Count the batches per rater that finish the plan with this many raters."""
    return -(-work.estimate.sittings // raters)


def _sample_of(drawn: plans.CampaignPlan) -> list[tuple[int, list[int]]]:
    """Trials from everywhere in the plan, few enough to be read while a page loads."""
    number = len(drawn.plan.items)
    chosen = np.linspace(0, number - 1, min(number, MOST_TRIALS_READ)).round().astype(int)
    return [drawn.shown_in(int(trial)) for trial in chosen]
