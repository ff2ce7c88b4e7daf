"""What people are told before they agree: how long it takes, what it pays, whom they can ask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rankme.models import Campaign, Trial
from rankme.protocols.definition import Definition
from rankme.queries.documents import count_documents

from .endings import money


@dataclass(frozen=True)
class Terms:
    """The work of one batch; no pages and minutes before the launch has drawn the batches."""

    pages: int
    minutes: int
    practice: int
    batches: int
    pay: str
    pay_for_a_part: str
    contact: str
    needs_desktop: bool


def terms_of(campaign: Campaign, definition: Definition) -> Terms:
    crowd = definition.crowd
    launched_at = campaign.launched_at
    trials = _trials_per_batch(campaign.pk, launched_at.isoformat()) if launched_at else 0
    pages = _pages_per_batch(campaign, definition, trials) if trials else 0
    practice = len(definition.practice)
    practice_pages = practice * len(definition.screens)
    seconds = (pages + practice_pages) * crowd.expected_seconds_per_screen
    return Terms(
        pages=pages,
        minutes=max(1, round(seconds / 60)) if trials else 0,
        practice=practice,
        batches=crowd.batches_per_rater,
        pay=money(crowd.pay_per_batch, crowd.currency),
        pay_for_a_part=money(crowd.pay_by_outcome.returned, crowd.currency),
        contact=definition.texts.contact,
        needs_desktop=crowd.devices == "desktop",
    )


def _pages_per_batch(campaign: Campaign, definition: Definition, trials: int) -> int:
    if not definition.has_documents:
        return trials * len(definition.screens)
    planned = Trial.objects.filter(batch__campaign=campaign)
    batches = campaign.batches.count()
    return definition.screens_in_all(trials, round(count_documents(planned, definition) / batches))


@lru_cache(maxsize=64)
def _trials_per_batch(campaign_id: int, launched_at: str) -> int:
    """The mean, counted once per process: a launched plan never changes."""
    # The launch time is part of the key: an id alone could come back in a fresh database.
    trials = Trial.objects.filter(batch__campaign=campaign_id).count()
    batches = Campaign.objects.get(pk=campaign_id).batches.count()
    return round(trials / batches) if batches else 0
