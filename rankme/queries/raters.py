"""Count each rater's work from the record, for the organiser, by label."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import TYPE_CHECKING, Any, TypedDict

from django.db.models import Count, Max, Q, QuerySet
from django.utils import timezone

from rankme.models import Assignment, Campaign, Participant, RaterExclusion, Submission
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.definition import Definition
from rankme.protocols.files import stored_definition

from .definitions import frozen_definition
from .documents import screens_of_batch
from .progress import RECENT
from .sql import rows_of
from .trace_measures import SAMPLED_SCREENS
from .watching.alarms import ToldAlarm, alarms_by_rater
from .watching.own_words import comment_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

# A rater beyond these multiples of the typical pace is marked slow or fast.
SLOW, FAST = 2.0, 0.5
MOST_RECENT, MOST_COMMENTS = 50, 200
RATERS_AT_ONCE = 200


@dataclass(frozen=True)
class RaterLine:
    """One rater as the organiser sees them: by label, never by the panel's id."""

    participant: Participant
    invitation: str
    screens: int
    seconds_per_screen: float | None
    pace: str  # "" | "slow" | "fast"
    flags: tuple[tuple[str, int], ...]
    last_seen: datetime | None
    exclusion: RaterExclusion | None
    waits: bool  # agreed and was admitted, but no batch was available
    alarms: tuple[ToldAlarm, ...] = ()
    # The pay for batches that the rater has finished or holds.
    stake: float = 0.0

    @property
    def unusual_outcome(self) -> str:
        """The outcome, unless the state says it already."""
        said = {"", Outcome.COMPLETED, Outcome.RETURNED, Outcome.SCREENED_OUT}
        rater = self.participant
        return "" if rater.outcome in said else rater.get_outcome_display()


@dataclass(frozen=True)
class Lease:
    assignment: Assignment
    screens: int
    screens_done: int
    is_overdue: bool


def raters_of(campaign: Campaign) -> QuerySet[Participant]:
    """Order a campaign's raters, the latest first."""
    return campaign.participants.order_by("-arrived_at", "-id")


def alarming_first(lines: Iterable[RaterLine]) -> list[RaterLine]:
    """Put raters with alarms first about whom nobody has decided: by pay, then by alarms."""

    def order(line: RaterLine) -> tuple[bool, float, int]:
        is_open = bool(line.alarms) and not line.exclusion
        return not is_open, -line.stake * is_open, -len(line.alarms) * is_open

    return sorted(lines, key=order)


def rater_lines(
    campaign: Campaign, participants: Sequence[Participant], *, with_alarms: bool = True
) -> list[RaterLine]:
    """Build the lines of these raters from their own submissions, so that a page costs a page."""
    ids = [participant.pk for participant in participants]
    screens = (
        Submission.objects.filter(assignment__participant__in=ids, revision=1)
        .values("assignment__participant")
        .annotate(screens=Count("id"), last=Max("received_at"))
    )
    work: dict[int, Any] = {row["assignment__participant"]: row for row in screens}
    flags = _flags_of(ids)
    pace = _seconds_per_screen(ids)
    known = [seconds for seconds in pace.values() if seconds]
    typical = median(known) if known else None
    exclusions = RaterExclusion.objects.filter(participant__in=ids, withdrawn_at=None)
    excluded = {found.participant_id: found for found in exclusions.select_related("decided_by")}
    names = _invited_names(campaign, participants)
    states = [Assignment.State.HELD, Assignment.State.COMPLETED]
    sittings = Assignment.objects.filter(participant__in=ids).order_by().values("participant")
    batches = dict(
        sittings.annotate(paid=Count("id", filter=Q(state__in=states))).values_list(
            "participant", "paid"
        )
    )
    pay = stored_definition(campaign.definition).crowd.pay_per_batch
    alarms = alarms_by_rater(campaign, ids) if with_alarms else {}
    return [
        RaterLine(
            participant=participant,
            invitation=names.get(participant.external_id, "")
            if participant.panel == "invitation"
            else "",
            screens=work.get(participant.pk, {}).get("screens", 0),
            seconds_per_screen=pace.get(participant.pk),
            pace=_pace_word(pace.get(participant.pk), typical),
            flags=tuple(sorted(flags.get(participant.pk, {}).items())),
            last_seen=work.get(participant.pk, {}).get("last"),
            exclusion=excluded.get(participant.pk),
            waits=participant.state == Participant.State.WORKING and participant.pk not in batches,
            alarms=alarms.get(participant.pk, ()),
            stake=pay * batches.get(participant.pk, 0),
        )
        for participant in participants
    ]


PAYMENT_COLUMNS = (
    "rater", "name", "panel", "state", "outcome", "completion_code", "completed_at",
    "batches_finished", "screens", "second_browser", "excluded",
)  # fmt: skip


def payment_rows(campaign: Campaign) -> Iterator[tuple[object, ...]]:
    """One row per rater: what they did, and the code that they were given."""
    ids = list(raters_of(campaign).values_list("id", flat=True))
    for first in range(0, len(ids), RATERS_AT_ONCE):
        portion = ids[first : first + RATERS_AT_ONCE]
        finished = Count("assignments", filter=Q(assignments__state=Assignment.State.COMPLETED))
        raters = list(raters_of(campaign).filter(pk__in=portion).annotate(finished=finished))
        lines = rater_lines(campaign, raters, with_alarms=False)
        for rater, line in zip(raters, lines, strict=True):
            yield (
                rater.label, line.invitation, rater.panel, rater.state, rater.outcome,
                rater.completion_code,
                rater.completed_at.isoformat() if rater.completed_at else "",
                rater.finished, line.screens,
                int(rater.second_browser_at is not None), int(line.exclusion is not None),
            )  # fmt: skip


def _seconds_per_screen(ids: Sequence[int]) -> dict[int, float]:
    """The median time that the rater's own clock measured, over a sample of their screens."""
    # The ORM has neither the percentile nor the limit for each rater.
    query = """
        SELECT participant.id, percentile_cont(0.5) WITHIN GROUP (ORDER BY sample.seconds)
        FROM unnest(%s::bigint[]) AS participant (id), LATERAL (
            SELECT (submission.payload #>> '{times,spent_ms}')::float / 1000 AS seconds
            FROM rankme_assignment assignment
            JOIN rankme_submission submission ON submission.assignment_id = assignment.id
            WHERE assignment.participant_id = participant.id
              AND jsonb_typeof(submission.payload #> '{times,spent_ms}') = 'number'
            LIMIT %s
        ) sample
        GROUP BY participant.id
    """
    return dict(rows_of(query, [list(ids), SAMPLED_SCREENS]))


def _flags_of(ids: Sequence[int]) -> dict[int, dict[str, int]]:
    query = """
        SELECT assignment.participant_id, flag, count(*)
        FROM rankme_assignment assignment
        JOIN rankme_submission submission ON submission.assignment_id = assignment.id
        CROSS JOIN LATERAL jsonb_array_elements_text(submission.flags) AS flag
        WHERE assignment.participant_id = ANY(%s) AND submission.flags <> '[]'
        GROUP BY assignment.participant_id, flag
    """
    counts: dict[int, dict[str, int]] = {}
    for participant, flag, times in rows_of(query, [list(ids)]):
        counts.setdefault(participant, {})[flag] = times
    return counts


def _invited_names(campaign: Campaign, participants: Sequence[Participant]) -> dict[str, str]:
    invited = [rater.external_id for rater in participants if rater.panel == "invitation"]
    found = campaign.invitations.filter(pk__in=[number for number in invited if number.isdecimal()])
    return {str(pk): name for pk, name in found.values_list("id", "name")}


def _pace_word(seconds: float | None, typical: float | None) -> str:
    if seconds is None or not typical:
        return ""
    if seconds > SLOW * typical:
        return "slow"
    return "fast" if seconds < FAST * typical else ""


# --- Leases -------------------------------------------------------------------------------------


def open_leases(campaign: Campaign) -> list[Lease]:
    """List the held batches; the one whose lease ends first is at the top."""
    definition = frozen_definition(campaign).definition
    held = campaign.assignments.live().select_related("participant", "batch")
    now = timezone.now()
    return [
        Lease(
            assignment,
            _screens_of(assignment, definition),
            assignment.answered,
            assignment.leased_until < now,
        )
        for assignment in _with_answered(held).order_by("leased_until")
    ]


def _screens_of(assignment: Assignment, definition: Definition) -> int:
    trials = len(assignment.presentation)
    return screens_of_batch(assignment.batch_id, definition, trials=trials)


class Answered(TypedDict):
    answered: int


def _with_answered(
    assignments: QuerySet[Assignment],
) -> QuerySet[WithAnnotations[Assignment, Answered]]:
    """The assignments, each with the number of its screens that were answered."""
    answered = Count("submissions", filter=Q(submissions__revision=1))
    return assignments.annotate(answered=answered)


def recent_raters(campaign: Campaign) -> list[Participant]:
    """Raters who hold a batch or sent something within a day, the most recently arrived first."""
    since = timezone.now() - RECENT
    lately = campaign.assignments.filter(Q(state="held") | Q(ended_at__gte=since))
    return list(raters_of(campaign).filter(pk__in=lately.values("participant"))[:MOST_RECENT])


# --- One rater ----------------------------------------------------------------------------------


def sittings_of(participant: Participant) -> list[Lease]:
    """This rater's batches, the latest first."""
    definition = frozen_definition(participant.campaign).definition
    assignments = _with_answered(participant.assignments.select_related("batch")).order_by("-id")
    return [
        Lease(
            assignment, _screens_of(assignment, definition), assignment.answered, is_overdue=False
        )
        for assignment in assignments
    ]


def comments_of(participant: Participant) -> list[tuple[Submission, str]]:
    """The rater's comments on screens."""
    commented = Q(own_words__words__contains=[{"at": ["comment"]}])
    inside = Q(payload__has_key="comment") & ~Q(payload__comment="")
    written = (
        Submission.objects.filter(commented | inside, assignment__participant=participant)
        .select_related("trial__item", "own_words")
        .order_by("pk")[:MOST_COMMENTS]
    )
    return [(found, comment_of(found)) for found in written]
