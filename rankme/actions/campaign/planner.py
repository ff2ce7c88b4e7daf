"""What a campaign would cost and find at other sizes: the planner of the launch page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _

from analysis.planning.budget import Limits, Terms
from analysis.planning.outlook import Outlook, outlook
from analysis.planning.pilots import Pilot, Prediction, predicted
from analysis.planning.published import STUDIES, study
from analysis.planning.sizes import Size, Spreads
from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.models.campaigns import PROMISED
from rankme.protocols.definition import Definition
from rankme.queries.watching.raters_of_systems import shares_raters

from .campaigns import definition_of
from .pilots import LEAST_SYSTEMS_TO_PREDICT, PREFIX, pilot_of
from .planned_work import PlannedWork
from .plans import draw_plan, shows_one_system_each

OWN = "own"  # spreads that somebody enters
SPREADS = ("rater_system", "item_system", "residual", "system")
USUAL_RATERS = 30
# Reading the instructions and getting used to the screens.
USUAL_FIXED_MINUTES = 3.0
DRAWS = 100  # truths that a pilot leaves possible; a slider waits for them


@dataclass(frozen=True)
class Planned:
    """What a plan costs and finds, and what a pilot lets expect, if there is one large enough.

    `widest` is the largest difference for which the scale has room, None where no end is known.
    """

    outlook: Outlook
    spreads: Spreads
    widest: float | None = None
    pilot: Pilot | None = None
    prediction: Prediction | None = None

    def on_the_scale(self, difference: float | None) -> float | None:
        """A difference of two systems; None if the scale has no room for it."""
        fits = difference is not None and (self.widest is None or difference < self.widest)
        return difference if fits else None

    @property
    def finds_none(self) -> bool:
        """Whether the plan could claim a difference, but only one larger than the scale."""
        least = self.outlook.plan.prospect.detectable
        return least is not None and self.on_the_scale(least) is None

    @property
    def has_order(self) -> bool:
        """Whether the systems differ at all in these spreads, so that their order can be right."""
        return self.spreads.system > 0


def planner_defaults(
    campaign: Campaign, work: PlannedWork | None = None, *, lost: float = 0.0
) -> dict[str, Any]:
    """The plan as it is now, as the fields of the planner's form.

    Parameters
    ----------
    work : of a draft whose plan has been drawn
    lost : the share of careful raters that the rule excludes by its forecast
    """
    definition = definition_of(campaign)
    crowd, systems = definition.crowd, campaign.systems.count()
    found: dict[str, Any] = {
        "spreads": STUDIES[0].key,
        **{name: getattr(STUDIES[0].spreads, name) for name in SPREADS},
        "raters": max(USUAL_RATERS, definition.raters_per_trial),
        "items": max(campaign.items.count(), 1),
        "repeats": definition.raters_per_trial,
        "shown": shown_systems(definition, systems),
        "coverage": 1.0,
        "seconds": crowd.expected_seconds_per_screen * len(definition.screens),
        "overhead": 0.0,
        "fixed_minutes": USUAL_FIXED_MINUTES,
        "pay": 0.0,
        "fee": 0.0,
        "dropouts": 0.0,
        "lost": round(100 * lost, 1),
    }
    if work is not None:
        trials, cost = work.plan.balance.trials_per_batch.mean, work.estimate
        pages = 60 * cost.minutes_per_batch / crowd.expected_seconds_per_screen
        checks = pages / work.screens_per_trial / trials - 1
        found |= {
            "raters": cost.raters,
            "shown": work.plan.systems.shape[1],
            "coverage": _coverage(work),
            "seconds": round(crowd.expected_seconds_per_screen * work.screens_per_trial, 1),
            "overhead": round(100 * max(checks, 0.0), 1),
            "pay": round(cost.pay_per_hour, 2),
        }
    return found


def shown_systems(definition: Definition, systems: int) -> int:
    """Count the systems on a screen as the design says it."""
    value = definition.design.options.get("outputs_per_screen") or systems
    return max(min(int(value), systems), 1)


def _coverage(work: PlannedWork) -> float:
    """The share of all outputs that the plan shows."""
    outputs = len(np.unique(work.plan.items)) * len(work.drawn.systems)
    return float(min(work.plan.systems.size / max(outputs, 1), 1.0))


def planned_of(campaign: Campaign, asked: Mapping[str, Any], *, by: User) -> Planned:
    """Say what this campaign costs and finds at the size that was asked for.

    Parameters
    ----------
    asked : the fields of the planner's form; shares are in percent
    by : who asks, and may read the pilot

    Raises
    ------
    OptionsError : impossible numbers
    RefusedAction : the pilot cannot be used, or each rater sees one system; the message says why
    """
    definition = definition_of(campaign)
    if shares_raters(definition) and shows_one_system_each(draw_plan(campaign).plan):
        raise RefusedAction(
            _(
                "Each batch of this plan shows one system. The planner knows only what raters who "
                "judge several systems find."
            )
        )
    size = Size(
        asked["raters"],
        asked["items"],
        asked["repeats"],
        campaign.systems.count(),
        asked["shown"],
        definition.generality,
        asked["coverage"],
    )
    limits = None
    if asked.get("money") or asked.get("most_minutes"):
        limits = Limits(
            money=asked.get("money") or None,
            raters=asked["raters"] if not asked.get("money") else asked["most_raters"],
            items=max(campaign.items.count(), asked["items"]),
            minutes=asked.get("most_minutes") or None,
        )
    terms = _terms(asked)
    if not asked["spreads"].startswith(PREFIX):
        spreads = _spreads(asked)
        # Those of published studies are in standard deviations, for which no scale has an end.
        widest = _widest(definition) if asked["spreads"] == OWN else None
        return Planned(outlook(size, spreads, terms, limits), spreads, widest)
    pilot = pilot_of(asked["spreads"], by)
    found = Planned(
        outlook(size, pilot.spreads, terms, limits), pilot.spreads, _widest(definition), pilot
    )
    if len(pilot.means) < LEAST_SYSTEMS_TO_PREDICT:
        return found
    return replace(found, prediction=predicted(pilot, size, draws=DRAWS))


def _widest(definition: Definition) -> float | None:
    for criterion in definition.criteria:
        if criterion.name == definition.main_criterion:
            widest: float | None = criterion.tool.widest(criterion.settings)
            return widest
    return None  # a number that follows from another answer, such as the score of marks


@transaction.atomic
def record_promise(campaign: Campaign, asked: Mapping[str, Any], *, by: User) -> None:
    """Keep what the planner says about this size in the history, for texts about the study.

    Parameters
    ----------
    asked : as in `planned_of`

    Raises
    ------
    OptionsError : impossible numbers
    RefusedAction : the campaign is launched, or the pilot cannot be used
    """
    # A launch that waits for this lock finds the record; one that held it makes the plan too late.
    if not Campaign.objects.select_for_update().get(pk=campaign.pk).is_draft:
        raise RefusedAction("A plan can only be recorded before the launch.")
    planned = planned_of(campaign, asked, by=by)
    size, found = planned.outlook.plan.size, planned.outlook.plan.prospect
    spreads: Any = asked["spreads"]
    if spreads == OWN:
        spreads = {name: asked[name] for name in SPREADS}
    half_width = found.half_width
    note(
        campaign, by, PROMISED,
        raters=size.raters, items=size.items, repeats=size.repeats, systems=size.systems,
        shown=size.on_a_screen, coverage=size.coverage, generality=size.generality,
        spreads=spreads,
        detectable=None if found.detectable is None else round(found.detectable, 4),
        half_width=None if half_width is None else round(half_width, 4),
        widest=planned.widest,
    )  # fmt: skip


def _spreads(asked: Mapping[str, Any]) -> Spreads:
    if asked["spreads"] != OWN:
        return study(asked["spreads"]).spreads
    return Spreads(**{name: asked[name] for name in SPREADS})


def _terms(asked: Mapping[str, Any]) -> Terms:
    return Terms(
        seconds=asked["seconds"],
        overhead=asked["overhead"] / 100,
        fixed_minutes=asked["fixed_minutes"],
        pay=asked["pay"],
        fee=asked["fee"] / 100,
        dropouts=asked["dropouts"] / 100,
        lost=asked["lost"] / 100,
    )
