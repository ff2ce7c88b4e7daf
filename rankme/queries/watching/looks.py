"""Who may be looked at now: raters in the order in which they began, and the next planned look."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from analysis.sequential.plan import (
    ANYTIME,
    FIXED,
    GROUP_SEQUENTIAL,
    LEAST_RATERS_AT_FIRST_LOOK,
    LEAST_RATERS_TO_BET,
    LookPlan,
)
from rankme.models import Assignment, Campaign, Look, RaterExclusion
from rankme.protocols.looking import Looks
from rankme.queries.definitions import frozen_definition

# Of a look before the end; a group-sequential one has another after it.
LEAST_RATERS_FOR = {
    FIXED: 0,
    GROUP_SEQUENTIAL: LEAST_RATERS_AT_FIRST_LOOK + 1,
    ANYTIME: LEAST_RATERS_TO_BET,
}


@dataclass(frozen=True)
class Beginning:
    """The raters up to the first whose sitting has not ended; `judged` of them have judgements."""

    labels: tuple[str, ...]
    judged: int


def looks_planned(campaign: Campaign) -> Looks:
    """How the campaign is looked at, as its launch fixed it."""
    return frozen_definition(campaign).definition.looks


def planned_sittings(campaign: Campaign) -> int:
    """The raters that the plan of the launch needs: each does one batch."""
    first = frozen_definition(campaign, 1).definition
    return int(campaign.plan.balance["batches"]) * first.raters_per_trial


def beginning_of(campaign: Campaign) -> Beginning:
    """The longest beginning in which every sitting has ended, in the order of first allocation."""
    rows = campaign.assignments.order_by("pk").values_list(
        "participant__label", "state", "counts", "participant_id"
    )
    order: dict[str, bool] = {}
    held: set[str] = set()
    counting: dict[str, int] = {}
    for label, state, counts, participant in rows:
        order.setdefault(label, True)
        if state == Assignment.State.HELD:
            held.add(label)
        elif state == Assignment.State.COMPLETED and counts:
            counting[label] = participant
    labels = []
    for label in order:
        if label in held:
            break
        labels.append(label)
    ids = {counting[label] for label in labels if label in counting}
    excluded = RaterExclusion.objects.filter(participant_id__in=ids, withdrawn_at=None)
    judged = len(ids - set(excluded.values_list("participant_id", flat=True)))
    return Beginning(tuple(labels), judged)


def looking_of(campaign: Campaign) -> dict[str, Any]:
    """How analyses have to allow for looks; empty for a fixed plan."""
    if campaign.is_archive or campaign.is_draft:
        return {}
    planned = looks_planned(campaign)
    if planned.is_fixed:
        return {}
    plan = LookPlan(
        planned.mode,
        planned=planned_sittings(campaign),
        goal=planned.goal,
        order=beginning_of(campaign).labels,
        looks=tuple(looks_held(campaign)),
    )
    return plan.as_dict() | {"order": list(plan.order), "looks": list(plan.looks)}


def looks_held(campaign: Campaign) -> list[int]:
    """How many raters each look had."""
    return list(campaign.looks.order_by("number").values_list("raters", flat=True))


def raters_for_next_look(campaign: Campaign) -> int:
    """How many raters with judgements the next look needs."""
    planned = looks_planned(campaign)
    if planned.mode == GROUP_SEQUENTIAL:
        number = campaign.looks.count() + 1
        share = math.ceil(planned_sittings(campaign) * number / planned.number)
        return max(share, LEAST_RATERS_AT_FIRST_LOOK)
    return LEAST_RATERS_TO_BET


def why_no_look(campaign: Campaign) -> str:
    """Say why nobody may look now; empty where somebody may."""
    planned = looks_planned(campaign)
    if planned.is_fixed:
        return _(
            "No ranking is shown: this campaign is analysed once, after its end. Its claims would "
            "hold less often if somebody looked at the ranking before and could stop."
        )
    if campaign.is_over:
        return _("The collection is over. The analysis is its last look.")
    held = looks_held(campaign)
    if planned.mode == GROUP_SEQUENTIAL and len(held) >= planned.number - 1:
        return _("All planned looks were taken. The last one is the analysis after the end.")
    now = beginning_of(campaign)
    if held and held[-1] >= len(now.labels):
        return _("No further rater has ended since the last look.")
    needed = raters_for_next_look(campaign)
    if now.judged < needed:
        return _(
            "The next look needs %(needed)s raters whose batches have ended, in the order in which "
            "they began. There are %(now)s."
        ) % {"needed": needed, "now": now.judged}
    return ""


def looks_of(campaign: Campaign) -> list[Look]:
    """All looks, the newest first."""
    return list(campaign.looks.select_related("taken_by").order_by("-number"))
