"""The progress of a running campaign: every number is counted from the record, none is stored.

A trial's sitting is one rater's answers to one trial. Its first revision on a screen is one row of
`Submission`, so sittings are counted there; the 10^6 judgements inside them are never read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Min
from django.db.models.functions import TruncHour
from django.utils import timezone

from rankme.models import Assignment, Campaign, Output, Slot, Trial
from rankme.protocols.definition import Definition

from .counting import analysed_screens
from .definitions import frozen_definition
from .documents import count_documents
from .sql import rows_of

RECENT = timedelta(hours=24)
PACE_WINDOW = timedelta(hours=2)


@dataclass(frozen=True)
class Size:
    """The size of the material."""

    items: int
    systems: int
    outputs: int

    @property
    def missing(self) -> int:
        return self.items * self.systems - self.outputs


@dataclass(frozen=True)
class Progress:
    """Batches (each as often as raters are planned for it) and screens."""

    batches: int
    done: int
    held: int
    screens: int
    screens_done: int

    @property
    def free(self) -> int:
        return self.batches - self.done - self.held

    @property
    def is_complete(self) -> bool:
        return self.done == self.batches > 0

    @property
    def percent(self) -> int:
        return round(100 * self.screens_done / self.screens) if self.screens else 0


@dataclass(frozen=True)
class Pace:
    """Screens and judgements per hour lately, and when the rest will be done at that pace."""

    screens_per_hour: float
    judgements_per_hour: float
    expected_end: datetime | None


@dataclass(frozen=True)
class Hour:
    begins: datetime
    screens: int
    share: int  # of the busiest hour, in percent
    left: int  # in the drawing

    @property
    def top(self) -> int:
        return 100 - self.share


def size_of(campaign: Campaign) -> Size:
    return Size(
        campaign.items.count(),
        campaign.systems.count(),
        Output.objects.filter(system__campaign=campaign).count(),
    )


# In a finished sitting everything is answered, so only the others' answers are counted singly.
_PLANNED_AND_FINISHED = """
    WITH sittings AS (
        SELECT batch_id, count(*) AS planned, count(*) FILTER (WHERE state = 'done') AS finished
        FROM rankme_slot WHERE campaign_id = %s GROUP BY batch_id
    )
    SELECT coalesce(sum(sittings.planned), 0)::int, coalesce(sum(sittings.finished), 0)::int
    FROM rankme_trial trial JOIN sittings ON sittings.batch_id = trial.batch_id
"""
# A document in a sitting is the trial of its first segment.
_DOCUMENTS_PLANNED_AND_FINISHED = (
    _PLANNED_AND_FINISHED
    + "JOIN rankme_item item ON item.id = trial.item_id WHERE item.factors->>'segment' = '1'"
)


def progress_of(campaign: Campaign) -> Progress:
    slots = dict(campaign.slots.values_list("state").annotate(slots=Count("id")))
    definition = frozen_definition(campaign).definition
    trials, documents = _planned_and_finished(_PLANNED_AND_FINISHED, campaign), (0, 0)
    if definition.has_documents:
        documents = _planned_and_finished(_DOCUMENTS_PLANNED_AND_FINISHED, campaign)
    planned, finished = (
        definition.screens_in_all(*numbers) for numbers in zip(trials, documents, strict=True)
    )
    partly = analysed_screens(campaign).exclude(assignment__state=Assignment.State.COMPLETED)
    return Progress(
        batches=sum(slots.values()),
        done=slots.get(Slot.State.DONE, 0),
        held=slots.get(Slot.State.HELD, 0),
        screens=planned,
        screens_done=finished + partly.count(),
    )


def _planned_and_finished(query: str, campaign: Campaign) -> tuple[int, int]:
    ((planned, finished),) = rows_of(query, [campaign.pk])
    return planned, finished


def pace_of(campaign: Campaign, progress: Progress) -> Pace:
    """The pace of the last two hours; of a younger campaign, since its first screen."""
    now = timezone.now()
    recent = analysed_screens(campaign).filter(received_at__gte=now - PACE_WINDOW)
    seen = recent.aggregate(screens=Count("id"), first=Min("received_at"))
    if not seen["screens"]:
        return Pace(0.0, 0.0, None)
    hours = max((now - seen["first"]).total_seconds() / 3600, 1 / 60)
    per_hour = seen["screens"] / hours
    rest = max(progress.screens - progress.screens_done, 0)
    return Pace(
        screens_per_hour=per_hour,
        judgements_per_hour=per_hour * judgements_per_screen(campaign),
        expected_end=now + timedelta(hours=rest / per_hour) if campaign.is_running else None,
    )


def judgements_per_screen(campaign: Campaign) -> float:
    """By the plan: single values that the screens of a trial ask for, on average."""
    definition = frozen_definition(campaign).definition
    balance = campaign.plan.balance
    sittings: int = balance["trials"] * definition.raters_per_trial
    trials = Trial.objects.filter(batch__campaign=campaign, as_check=None)
    documents = count_documents(trials, definition) * definition.raters_per_trial
    values = planned_judgements(balance["judgements"], sittings, documents, definition)
    return values / definition.screens_in_all(sittings, documents)


def planned_judgements(shown: int, sittings: int, documents: int, definition: Definition) -> int:
    """Count the single values of `shown` outputs in this many sittings of a trial.

    Questions about a whole document are asked in `documents` of the sittings.
    """
    values = 0
    for index, screen in enumerate(definition.screens):
        asked = [criterion.about for criterion in definition.questions(index)]
        values_asked = asked.count("output") * shown + asked.count("item") * sittings
        if screen.scope == "document":
            values_asked = round(values_asked * documents / max(sittings, 1))
        values += values_asked
    return values


def screens_by_hour(campaign: Campaign) -> list[Hour]:
    """The last day, hour by hour, with its empty hours."""
    now = timezone.now().replace(minute=0, second=0, microsecond=0)
    counts = dict(
        analysed_screens(campaign)
        .filter(received_at__gte=now - RECENT + timedelta(hours=1))
        .values_list(TruncHour("received_at"))
        .annotate(screens=Count("id"))
    )
    hours = [now - timedelta(hours=back) for back in range(23, -1, -1)]
    most = max(counts.values(), default=0) or 1
    return [
        Hour(hour, counts.get(hour, 0), round(100 * counts.get(hour, 0) / most), 10 * number)
        for number, hour in enumerate(hours)
    ]
