"""How many raters are flagged, against the limit that the organiser set; and why it is paused."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext_noop

from rankme.models import Assignment, AuditEvent, Campaign, Participant, RuleDecision
from rankme.protocols.files import stored_definition

from .alarms import alarms_by_rater

# Of fewer raters a share says nothing; the newest ones tell what comes.
LEAST_RATERS, NEWEST_RATERS = 5, 50
AFTER_THE_PILOT = gettext_noop("paused after the pilot")
WITH_MANY_FLAGGED = gettext_noop("paused because of flagged raters")
PAUSES = ("paused", AFTER_THE_PILOT, WITH_MANY_FLAGGED)


@dataclass(frozen=True)
class Flagged:
    """The newest raters whose work can be judged, and how many of them are flagged."""

    raters: int
    flagged: int
    limit: float

    @property
    def percent(self) -> int:
        return round(100 * self.flagged / self.raters) if self.raters else 0

    @property
    def most_percent(self) -> int:
        return round(100 * self.limit)

    @property
    def is_above(self) -> bool:
        return self.raters >= LEAST_RATERS and self.flagged > self.limit * self.raters


def flagged_raters(campaign: Campaign) -> Flagged | None:
    """Count raters with an alarm, a mark or a standing exclusion by a rule; None without a limit.

    Of the newest who have finished a batch, or were excluded before.
    """
    limit = stored_definition(campaign.definition).crowd.flagged_share
    if limit is None:
        return None
    marked = Q(rule_decisions__action=RuleDecision.Action.FLAG)
    excluded = Q(exclusions__withdrawn_at=None, exclusions__isnull=False) & ~Q(exclusions__rule="")
    finished = Q(assignments__state=Assignment.State.COMPLETED)
    known = campaign.participants.filter(finished | excluded).distinct().order_by("-id")
    newest = list(known.values_list("id", flat=True)[:NEWEST_RATERS])
    decided = Participant.objects.filter(marked | excluded, pk__in=newest)
    found = set(decided.values_list("id", flat=True))
    found |= {rater for rater, alarms in alarms_by_rater(campaign, newest).items() if alarms}
    return Flagged(len(newest), len(found), limit)


def pilot_is_full(campaign: Campaign) -> bool:
    """Whether as many raters as the pilot takes hold a batch or have finished one."""
    most = stored_definition(campaign.definition).crowd.pause_after_raters
    if most is None:
        return False
    states = [Assignment.State.HELD, Assignment.State.COMPLETED]
    at_work = campaign.assignments.filter(state__in=states)
    return at_work.values("participant").distinct().count() >= most


def why_paused(campaign: Campaign) -> str:
    """The event with which a paused campaign was paused, and an empty text for others."""
    if campaign.state != Campaign.State.PAUSED:
        return ""
    events = AuditEvent.objects.filter(campaign=campaign, verb__in=PAUSES)
    newest = events.order_by("-number").first()
    return newest.verb if newest else ""
