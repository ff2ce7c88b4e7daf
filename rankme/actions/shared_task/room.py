"""How many systems a task has room for: computed from what a track has, and told in the call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.planning.budget import Limits, Terms
from analysis.planning.published import study
from analysis.planning.sizes import MOST_ITEMS, MOST_RATERS, MOST_REPEATS, Size
from rankme.actions.campaign.campaigns import definition_of
from rankme.actions.campaign.planner import USUAL_RATERS
from rankme.models import SharedTask
from rankme.protocols.definition import Definition
from rankme.protocols.files import preset
from rankme.queries.shared_task.capacity import Room, allowed, rooms

from .events import note
from .tasks import locked

# The least and the most of each number that a track has, for the page and for scripts.
BOUNDS: dict[str, dict[str, Any]] = {
    "raters": {"min_value": 2, "max_value": MOST_RATERS},
    "items": {"min_value": 2, "max_value": MOST_ITEMS},
    "repeats": {"min_value": 1, "max_value": MOST_REPEATS},
    "seconds": {"min_value": 0.1, "max_value": 86_400},
    "minutes": {"min_value": 1, "max_value": 100_000},
    "money": {"min_value": 1, "max_value": 1e9},
    "pay": {"min_value": 0, "max_value": 100_000},
}


def usual_means(task: SharedTask) -> dict[str, Any]:
    """What to propose for `rooms_of`: as the first track that people judge is defined."""
    definition, items = _judged_by(task)
    return {
        "raters": max(USUAL_RATERS, definition.raters_per_trial),
        "items": max(items, 2),
        "repeats": definition.raters_per_trial,
        "seconds": definition.crowd.expected_seconds_per_screen,
        "minutes": 60,
    }


def problems_of_means(means: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong with means as a whole, by field; "" for no field alone."""
    problems = {}
    if not means.get("minutes") and not (means.get("money") and means.get("pay")):
        problems[""] = _("Enter the minutes of each rater, or the money and the pay for an hour.")
    if "raters" in means and (means.get("repeats") or 0) > means["raters"]:
        problems["repeats"] = _("There are not so many raters. Enter a smaller number.")
    return problems


def rooms_of(task: SharedTask, means: Mapping[str, Any]) -> list[Room]:
    """Compute what each number of systems gets.

    Parameters
    ----------
    means : raters, items, repeats, seconds of an output, and the key of the study (`spreads`) as in
        which judgements scatter; minutes of a rater, or money and pay for an hour
    """
    definition, _items = _judged_by(task)
    shown = definition.design.options.get("outputs_per_screen")
    size = Size(
        means["raters"],
        means["items"],
        means["repeats"],
        systems=max(2, int(shown or 2)),
        shown=int(shown) if shown else None,
        generality=definition.generality,
    )
    limits = Limits(means.get("money"), means["raters"], means["items"], means.get("minutes"))
    terms = Terms(seconds=means["seconds"], pay=means.get("pay") or 0.0)
    return rooms(size, study(means["spreads"]).spreads, terms, limits)


def _judged_by(task: SharedTask) -> tuple[Definition, int]:
    """The definition and the number of items of the first track that people judge."""
    track = task.tracks.filter(is_development=False).select_related("campaign").first()
    if track is None:
        return preset("e2e-quality"), 0
    return definition_of(track.campaign), track.campaign.items.count()


@transaction.atomic
def tell_room(task: SharedTask, found: Sequence[Room], *, by: User) -> SharedTask:
    """Let the call say how many systems there is room for, as computed now."""
    task = locked(task)
    most = allowed(found)
    task.room = {"allowed": most, "rooms": [asdict(each) for each in found]}
    task.save(update_fields=["room"])
    note(task, gettext_noop("room for systems told in the call"), by=by, allowed=most)
    return task


@transaction.atomic
def hide_room(task: SharedTask, *, by: User) -> None:
    """Let the call say nothing of it any more."""
    task = locked(task)
    task.room = None
    task.save(update_fields=["room"])
    note(task, gettext_noop("room for systems hidden"), by=by)
