"""Pilots: closed campaigns from whose judgements the planner takes its spreads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from analysis.errors import Undefined
from analysis.planning.pilots import Pilot, read_pilot
from rankme.actions.audit import note_seen
from rankme.errors import RefusedAction
from rankme.models import Campaign, Judgement
from rankme.permissions import Permission, roles_with
from rankme.queries.judgement_table import judgement_table

from .campaigns import definition_of

PREFIX = "pilot-"  # of the choices, before the campaign's code
MOST_OFFERED = 20
# Restricted maximum likelihood of so many takes a second or two, which a page may take once.
MOST_JUDGEMENTS = 10_000
# With five systems, predictions from a pilot were measured to hold. With two they hold on average
# where systems differ as much as usual, and promise too much where these two are closer.
LEAST_SYSTEMS_TO_PREDICT = 5


def _readable(by: User) -> QuerySet[Campaign]:
    """The campaigns whose reports this person may read."""
    return Campaign.objects.open_to(by, roles_with(Permission.REPORTS))


def pilots_for(campaign: Campaign, by: User) -> list[tuple[str, str]]:
    """Choices of closed campaigns that this person may read, the newest first."""
    over = _readable(by).filter(state__in=[Campaign.State.CLOSED, Campaign.State.PUBLISHED])
    found = over.exclude(pk=campaign.pk).order_by("-pk").values_list("code", "title")
    return [(f"{PREFIX}{code}", title) for code, title in found[:MOST_OFFERED]]


def pilot_of(key: str, by: User) -> Pilot:
    """Measure the pilot behind a choice.

    Raises
    ------
    RefusedAction : there is no such pilot, it is too large, or its judgements have no spreads
    """
    found = _readable(by).filter(code=key.removeprefix(PREFIX)).first()
    if found is None or not found.is_over:
        raise RefusedAction(_("There is no closed campaign of this name that you may read."))
    stored = Judgement.objects.filter(submission__assignment__campaign=found)
    if stored[MOST_JUDGEMENTS : MOST_JUDGEMENTS + 1].exists():
        raise RefusedAction(
            _(
                "The pilot has more than %(most)s judgements. Export them and run “python -m "
                "analysis plan”, which takes any number."
            )
            % {"most": MOST_JUDGEMENTS}
        )
    try:
        pilot = _measured(found.pk, *_state_of(found))
    except Undefined as error:
        raise RefusedAction(str(error)) from error
    note_seen(found, "spreads for a plan", by=by)
    return pilot


def _state_of(campaign: Campaign) -> tuple[Any, ...]:
    """What decides which judgements of a closed campaign count."""
    excluded = campaign.rater_exclusions.filter(withdrawn_at=None).order_by("pk")
    return (campaign.closed_at, tuple(excluded.values_list("pk", flat=True)))


@lru_cache(maxsize=32)
def _measured(pk: int, *_state: Any) -> Pilot:
    campaign = Campaign.objects.get(pk=pk)
    definition = definition_of(campaign)
    table = judgement_table(campaign).counted().in_order()
    name = definition.main_criterion
    if name not in table.criterion.labels:
        raise Undefined(_("The pilot has no judgements on its first question."))
    part = table.for_criterion(name)
    return read_pilot(part.value, part.system.codes, part.rater.codes, part.item.codes)
