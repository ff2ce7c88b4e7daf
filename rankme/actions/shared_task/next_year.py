"""A shared task as the start of the next one: its texts, rules and tracks, and nobody's systems."""

from __future__ import annotations

import calendar
import re
import secrets
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.errors import RefusedAction
from rankme.models import SharedTask, Track
from rankme.permissions import Permission, rights_in

from .events import note
from .rules import rules_as_refusals
from .tasks import CHANGEABLE, campaign_title

TIMES = ("opens_at", "preregister_until", "closes_at", "teams_named_at")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def proposal(task: SharedTask) -> dict[str, Any]:
    """The title and the times of the next task, a year later, for hosts to check."""
    title = YEAR.sub(lambda found: str(int(found[0]) + 1), task.title)
    if title == task.title:
        title = (_("%(title)s, next year") % {"title": task.title})[:200]
    times = {name: getattr(task, name) for name in TIMES}
    return {"title": title} | {name: each and _a_year_later(each) for name, each in times.items()}


def _a_year_later(moment: datetime) -> datetime:
    """The same day and time of the next year; from a 29th of February, the 28th."""
    last = calendar.monthrange(moment.year + 1, moment.month)[1]
    return moment.replace(year=moment.year + 1, day=min(moment.day, last))


@transaction.atomic
def copy_task(task: SharedTask, *, by: User, **given: Any) -> SharedTask:
    """Make a task of `by` with the texts, limits and rules of another one, and a draft per track.

    Teams, hosts, uploads, sources and seeds stay behind: the copy gets seeds of its own.

    Parameters
    ----------
    given : the title and the times, which are never taken over

    Raises
    ------
    RefusedAction : the times contradict each other, or the account may not copy a campaign
    """
    tracks = list(task.tracks.select_related("campaign"))
    _refuse_without_rights(tracks, by)
    kept = {name: getattr(task, name) for name in CHANGEABLE if name not in TIMES}
    with rules_as_refusals():
        made = SharedTask.objects.create(
            owner=by, seed=secrets.randbelow(2**31), copied_from=task, **(kept | given)
        )
    for track in tracks:
        made.tracks.create(
            name=track.name,
            campaign=duplicate_campaign(
                track.campaign, by=by, title=campaign_title(made, track.name)
            ),
            is_development=track.is_development,
            position=track.position,
        )
    note(made, gettext_noop("task copied from another one"), by=by, code=task.code)
    return made


def _refuse_without_rights(tracks: list[Track], by: User) -> None:
    """A definition holds what raters are checked by, so only its editors copy it."""
    closed = [each.name for each in tracks if Permission.EDIT not in rights_in(each.campaign, by)]
    if closed:
        raise RefusedAction(
            _(
                "You may not copy the campaigns of these tracks: %(tracks)s. Ask their owner to "
                "make you an editor of them."
            )
            % {"tracks": ", ".join(closed)}
        )
