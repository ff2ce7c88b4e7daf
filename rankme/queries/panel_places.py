"""Places of a study at its panel, next to the batches that its raters would get."""

from __future__ import annotations

from django.db.models import Count

from rankme.models import PanelStudy, PanelSubmission, Slot

from .definitions import frozen_definition

There = PanelSubmission.State
AT_WORK = (There.ACTIVE, There.RESERVED)
TAKES_A_PLACE = (*AT_WORK, There.AWAITING_REVIEW, There.APPROVED, There.PARTIALLY_APPROVED)


def wants_people(study: PanelStudy) -> bool:
    """Whether the panel should send people: the next one who comes finds a batch.

    A study without an open place sends nobody, and needs no pause.
    """
    if not study.campaign.is_running:
        return False
    taken = study.submissions.filter(state__in=TAKES_A_PLACE).count()
    return taken >= study.places or batches_left(study) > 0


def batches_left(study: PanelStudy) -> int:
    """Free batches, less those that people who are under way will still take."""
    each = frozen_definition(study.campaign).definition.crowd.batches_per_rater
    coming = study.submissions.filter(state__in=AT_WORK).exclude(participant__outcome__gt="")
    claimed = coming.annotate(number=Count("participant__assignments")).values_list("number")
    return _free(study) - sum(max(0, each - number) for (number,) in claimed)


def places_missing(study: PanelStudy) -> int:
    """Count the raters that the free batches still need."""
    each = frozen_definition(study.campaign).definition.crowd.batches_per_rater
    return -(-_free(study) // each)


def _free(study: PanelStudy) -> int:
    return study.campaign.slots.filter(state=Slot.State.FREE).count()
