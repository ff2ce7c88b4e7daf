"""How many systems the raters and the money of a track allow, and what each more costs the others.

All figures are the planner's (`analysis.planning`), for a fixed amount of work that more systems
share.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet

from analysis.planning.budget import SAME, Limits, Terms, affordable_judgements
from analysis.planning.prospects import report_test
from analysis.planning.sizes import Size, Spreads, difference_error
from rankme.models import SharedTask, Team, TeamSystem

MOST_SYSTEMS = 60
MORE_SHOWN = 5


@dataclass(frozen=True)
class Room:
    """What so many systems get: `items` of each are judged, `detectable` is found at a power of .8.

    `costs` is how much larger it is than with one system less, as a share.
    """

    systems: int
    items: int
    judgements: float
    detectable: float | None
    costs: float | None
    is_whole: bool


def rooms(size: Size, spreads: Spreads, terms: Terms, limits: Limits) -> list[Room]:
    """List the numbers of systems, up to a few more than all items can be judged for.

    Parameters
    ----------
    size : its raters, items, repeats and generality are kept, and as many outputs are on a screen,
        if it says how many; otherwise all systems are
    spreads, limits : of the track, as in the planner
    terms : as in the planner, but `seconds` is the time of one output

    Raises
    ------
    OptionsError : impossible numbers
    """
    found, beyond = list[Room](), 0
    for each in _sizes(size, terms, limits):
        before = found[-1].detectable if found else None
        detectable = None
        if each.claims:
            detectable = report_test(each, difference_error(each, spreads)).detectable()
        found.append(
            Room(
                systems=each.systems,
                items=each.items,
                judgements=each.judgements_of_a_system,
                detectable=detectable,
                costs=detectable / before - 1 if detectable and before else None,
                is_whole=each.items == size.items,
            )
        )
        beyond += not found[-1].is_whole
        if beyond >= MORE_SHOWN:
            break
    return found


def _sizes(size: Size, terms: Terms, limits: Limits) -> Iterator[Size]:
    for systems in range(2, MOST_SYSTEMS + 1):
        shown = systems if size.shown is None else min(size.shown, systems)
        whole = replace(size, systems=systems, shown=shown)
        work = replace(terms, seconds=terms.seconds * shown)
        judgements = affordable_judgements(whole, size.raters, work, limits)
        items = min(size.items, math.floor(judgements / size.repeats + SAME))
        if items < 1:
            return
        yield replace(whole, items=items)


def allowed(found: Sequence[Room]) -> int:
    """The most systems for which every item is judged as often as it should be."""
    return max((room.systems for room in found if room.is_whole), default=0)


def reserved_systems(task: SharedTask) -> QuerySet[TeamSystem]:
    """The systems that were announced in time by teams that could take part: they come first."""
    until = task.preregister_until
    if until is None:
        return TeamSystem.objects.none()
    taking_part = Q(team__state__in=[Team.State.WAITING, Team.State.APPROVED])
    return TeamSystem.objects.filter(
        taking_part, team__task=task, team__kind=Team.Kind.TEAM, registered_at__lte=until
    )
