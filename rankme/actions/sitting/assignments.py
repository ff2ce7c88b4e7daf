"""Handing out batches under a lease, taking them back, and whose sitting counts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import (
    Assignment,
    Campaign,
    PanelSubmission,
    Participant,
    Slot,
    Submission,
)
from rankme.models.assignments import SlotQuerySet
from rankme.panel_links import PANELS
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.documents import screens_of_batch
from rankme.queries.sql import columns_of, kept, objects_of
from rankme.queries.watching.raters_of_systems import RATERS_OF_SYSTEMS, shares_raters

from .presentations import PAGES, draw_held_out, draw_presentation

HELD, COMPLETED = Assignment.State.HELD, Assignment.State.COMPLETED
EXPIRED, FREED = Assignment.State.EXPIRED, Assignment.State.FREED


@dataclass(frozen=True)
class NoBatch:
    """The reason why a rater gets no batch."""

    # "busy" | "later" | "enough" | "complete" | "paused" | "closed" | "timed-out"
    reason: str

    @property
    def ask_again(self) -> bool:
        return self.reason in ("busy", "later", "paused")


# This rater's own requests wait for each other here; other raters are not delayed.
LOCK_RATER = "SELECT 1 FROM rankme_participant WHERE id = %(rater)s FOR NO KEY UPDATE"
# What decides about a claim, read under that lock in one statement, because a whole class comes in
# at the same time: the rater, what they hold and have done, and the first free slot of a batch that
# they never had, with its pages. A rater who holds a batch locks no other slot.
CLAIM = f"""
    {{tables}} SELECT {columns_of(Participant, "rater")},
        campaign.state AS campaign_state, campaign.version AS newest_version,
        held.id AS held_sitting, held.slot_id AS held_slot,
        EXISTS (SELECT FROM rankme_assignment WHERE participant_id = rater.id) AS has_begun,
        EXISTS (
            SELECT FROM rankme_raterexclusion
            WHERE participant_id = rater.id AND withdrawn_at IS NULL
        ) AS is_excluded,
        EXISTS (
            SELECT FROM rankme_assignment
            WHERE campaign_id = campaign.id AND state = 'held'
            AND leased_until < statement_timestamp()
        ) AS has_overdue,
        free.id AS free_slot, free.batch_id AS free_batch,
        {PAGES.format(batch="free.batch_id")} AS free_pages
    FROM rankme_participant rater
    JOIN rankme_campaign campaign ON campaign.id = rater.campaign_id
    LEFT JOIN rankme_assignment held ON held.participant_id = rater.id AND held.state = 'held'
    LEFT JOIN LATERAL (
        SELECT slot.id, slot.batch_id FROM rankme_slot slot
        WHERE held.id IS NULL AND slot.campaign_id = campaign.id AND slot.state = 'free'
        AND NOT EXISTS (
            SELECT FROM rankme_assignment met
            WHERE met.participant_id = rater.id AND met.batch_id = slot.batch_id
        )
        ORDER BY {{first}} slot.copy, slot.batch_id LIMIT 1 FOR UPDATE OF slot SKIP LOCKED
    ) free ON true
    WHERE rater.id = %(rater)s
"""
CLAIM_IN_ORDER = CLAIM.format(tables="", first="")
# Where each rater does one batch of an own plan, those who come next get the systems that have the
# fewest raters. Of two who come at once the second has to count the first, so it waits here.
LOCK_SHARES = "SELECT pg_advisory_xact_lock(hashtext('rankme_shares'), %(campaign)s::int)"
CAMPAIGN_OF_RATER = "(SELECT campaign_id FROM rankme_participant WHERE id = %(rater)s)"
CLAIM_EVENLY = CLAIM.format(
    tables=f"WITH {RATERS_OF_SYSTEMS.format(campaign=CAMPAIGN_OF_RATER)}",
    first="""(
            SELECT taken.raters FROM shown JOIN taken ON taken.systems = shown.systems
            WHERE shown.batch_id = slot.batch_id
        ),""",
)


@transaction.atomic
def claim_batch(participant: Participant) -> Assignment | NoBatch:
    """Lease a batch to a participant; the one that they hold already, if there is one."""
    with kept(LOCK_RATER, {"rater": participant.pk}):
        pass
    if shares_raters(frozen_definition(participant.campaign).definition):
        with kept(LOCK_SHARES, {"campaign": participant.campaign_id}):
            pass
    found = _look(participant)
    definition = frozen_definition(found.campaign).definition
    if found.held_sitting is not None:
        held = _keep_holding(found, definition)
        if held is not None:
            return held
        found = _look(participant)
    # A batch is begun only under the lock that we hold: one look answers for all that follows.
    refusal = _why_no_more(found)
    if refusal is not None:
        return _left_behind(found) or refusal
    if found.has_overdue and expire_overdue(found.campaign):
        found = _look(participant)
    begun = (_revive(found, definition) or _left_behind(found)) if found.has_begun else None
    return begun or _claim_free(found, definition) or _why_none_free(found)


def _look(participant: Participant) -> Any:
    """Read the rater with what `CLAIM` adds, and lock the slot that is free for them."""
    is_even = shares_raters(frozen_definition(participant.campaign).definition)
    claim = CLAIM_EVENLY if is_even else CLAIM_IN_ORDER
    found: Any = objects_of(Participant, claim, {"rater": participant.pk})[0]
    # The campaign may have changed since the request began.
    participant.campaign.state = found.campaign_state
    participant.campaign.version = found.newest_version
    found.campaign = participant.campaign
    return found


def current_batch(participant: Participant) -> Assignment | None:
    """The batch that this rater is working on: the one they hold, or one they finish late."""
    return participant.assignments.live().first() or _left_behind(participant)


def _left_behind(participant: Participant) -> Assignment | None:
    """A batch that this rater began and lost, and can finish in parallel with its new holder.

    Its answers are now late: they are stored and may be paid for, and a slot still counts once.
    Raters who have not answered anything in the batch are not sent back to it.
    """
    if participant.state != Participant.State.WORKING or _has_done_enough(participant):
        return None
    began = Submission.objects.filter(assignment=OuterRef("pk"), surplus=False)
    lost = participant.assignments.exclude(state__in=[HELD, COMPLETED]).filter(Exists(began))
    return lost.order_by("-id").first()


def _has_done_enough(participant: Participant) -> bool:
    crowd = frozen_definition(participant.campaign).definition.crowd
    completed = participant.assignments.filter(state=COMPLETED).count()
    return completed >= crowd.batches_per_rater


def _keep_holding(found: Any, definition: Definition) -> Assignment | None:
    """Renew the lease of the batch that the rater holds: one who asks for work is present."""
    # A lease ends under the slot's lock, so this one may have ended while we waited for it.
    Slot.objects.select_for_update().get(pk=found.held_slot)
    still_mine = found.assignments.live().filter(pk=found.held_sitting)
    if not still_mine.update(leased_until=lease_end(definition)):
        return None
    assignment: Assignment = still_mine.get()
    assignment.campaign = found.campaign
    return assignment


def _why_no_more(found: Any) -> NoBatch | None:
    """Explain why this rater gets no further batch, even if some are free."""
    campaign = found.campaign
    if not campaign.is_running:
        return NoBatch("paused" if campaign.state == Campaign.State.PAUSED else "closed")
    if found.state == Participant.State.COMPLETED:
        return NoBatch("enough")
    if found.state != Participant.State.WORKING:
        raise RefusedAction(_("Raters get work once they have agreed and have been admitted."))
    if has_lost_place(found):
        return NoBatch("timed-out")
    if found.has_begun and _has_done_enough(found):
        return NoBatch("enough")
    return NoBatch("enough") if found.is_excluded else None


def has_lost_place(participant: Participant) -> bool:
    """Whether the panel says that this rater returned the work, or ran out of time."""
    panel = PANELS.get(participant.panel)
    if panel is None or not panel.is_platform:
        return False
    newest = PanelSubmission.objects.filter(participant=participant).order_by("-id").first()
    return newest is not None and newest.state in PanelSubmission.GONE


def _revive(participant: Participant, definition: Definition) -> Assignment | None:
    """Return the batch that this rater left to them, unless another rater has taken it."""
    left = Q(state__in=[EXPIRED, Assignment.State.RETURNED])
    for assignment in participant.assignments.filter(left).order_by("-id"):
        slot = Slot.objects.free().select_for_update(skip_locked=True).filter(pk=assignment.slot_id)
        if not slot:
            continue
        assignment.state = HELD
        assignment.ended_at = None
        assignment.leased_until = lease_end(definition)
        assignment.save(update_fields=["state", "ended_at", "leased_until"])
        settle_slot(slot[0])
        return Assignment.objects.get(pk=assignment.pk)
    return None


# The rater who left this slot unfinished stops counting before the new holder begins to: the count
# reads that change to its end before it gives the row that is inserted.
TAKE = f"""
    WITH abandoned AS (
        UPDATE rankme_assignment SET counts = false
        WHERE slot_id = %(slot)s AND counts RETURNING id
    ), taken AS (
        UPDATE rankme_slot SET state = 'held' WHERE id = %(slot)s
    )
    INSERT INTO rankme_assignment (campaign_id, batch_id, slot_id, participant_id, version, state,
        counts, presentation, held_out, leased_until)
    SELECT %(campaign)s, %(batch)s, %(slot)s, %(rater)s, %(version)s, 'held',
        true, %(presentation)s, %(held_out)s, statement_timestamp() + %(lasts)s::interval
    FROM (SELECT count(*) FROM abandoned) AS before
    RETURNING {columns_of(Assignment)}
"""


def _claim_free(found: Any, definition: Definition) -> Assignment | None:
    """Take the free slot that `CLAIM` locked."""
    if found.free_slot is None:
        return None
    pages = json.loads(found.free_pages)
    presentation = draw_presentation(found, found.free_batch, definition, pages)
    values = {
        "campaign": found.campaign_id,
        "batch": found.free_batch,
        "slot": found.free_slot,
        "rater": found.pk,
        "version": found.campaign.version,
        "presentation": json.dumps(presentation),
        "held_out": json.dumps(draw_held_out(found, found.free_batch, definition, pages)),
        "lasts": timedelta(minutes=definition.crowd.lease_minutes),
    }
    assignment = objects_of(Assignment, TAKE, values)[0]
    assignment.campaign = found.campaign
    return assignment


def _unmet_by(participant: Participant) -> SlotQuerySet:
    """The campaign's slots of batches that this rater never had."""
    met = participant.assignments.values("batch_id")
    return Slot.objects.filter(campaign_id=participant.campaign_id).exclude(batch_id__in=met)


def _why_none_free(participant: Participant) -> NoBatch:
    """A miss under SKIP LOCKED is not the end of the campaign (a row may just be locked)."""
    if _unmet_by(participant).free().exists():
        return NoBatch("busy")
    # Only batches that this rater never had can become free for them.
    held = _unmet_by(participant).filter(state=Slot.State.HELD)
    return NoBatch("later" if held.exists() else "complete")


def lease_end(definition: Definition) -> CombinedExpression:
    """The end of a lease, by the database's own clock."""
    return Now() + timedelta(minutes=definition.crowd.lease_minutes)


@transaction.atomic
def expire_overdue(campaign: Campaign | None = None) -> int:
    """Free slots with expired leases; return their number. Submissions stay."""
    overdue = Assignment.objects.overdue()
    if campaign is not None:
        overdue = overdue.filter(campaign=campaign)
    found = list(overdue.values_list("pk", "slot_id"))
    if not found:
        return 0
    # Somebody else works on a locked slot; if its lease stays overdue, the next look frees it.
    slots = Slot.objects.select_for_update(skip_locked=True).filter(
        pk__in=[slot for _, slot in found]
    )
    ended = 0
    for slot in slots.order_by("pk"):
        # Read again under the lock: the rater may have renewed the lease, or finished.
        overdue = Assignment.objects.overdue().select_related("campaign").filter(slot=slot)
        for assignment in overdue:
            if is_answered(assignment):
                _end(assignment, COMPLETED)
            else:
                _end(assignment, EXPIRED)
            ended += 1
        settle_slot(slot)
    return ended


@transaction.atomic
def return_batch(assignment: Assignment) -> None:
    """The rater gives the batch back; the slot is free for others."""
    _give_up(assignment, Assignment.State.RETURNED)


@transaction.atomic
def free_lease(assignment: Assignment, *, by: User) -> None:
    """The organiser takes a batch back from a rater who will not finish it."""
    _give_up(assignment, FREED)
    note(assignment.campaign, by, gettext_noop("lease freed"), rater=assignment.participant.label)


def _give_up(assignment: Assignment, state: str) -> None:
    slot = Slot.objects.select_for_update().get(pk=assignment.slot_id)
    # Read again under the lock: the lease may have ended, or the rater finished.
    assignment = Assignment.objects.get(pk=assignment.pk)
    if assignment.state != HELD:
        raise RefusedAction(
            _("This batch is no longer held.")
            if state == FREED
            else _("You no longer have this batch.")
        )
    _end(assignment, state)
    settle_slot(slot)


# The rater first and then the slot of the batch that they work on, which is the order of everybody
# who locks both: the one that they hold, or the last one that they began and lost.
LOCK_WORK = f"""
    WITH rater AS MATERIALIZED (
        SELECT * FROM rankme_participant WHERE id = %(rater)s FOR NO KEY UPDATE
    )
    SELECT {columns_of(Participant, "rater")}, work.slot_id AS work_slot
    FROM rater LEFT JOIN LATERAL (
        SELECT slot.id AS slot_id
        FROM rankme_assignment mine JOIN rankme_slot slot ON slot.id = mine.slot_id
        WHERE mine.participant_id = rater.id AND mine.state <> 'completed' AND (
            mine.state = 'held' OR EXISTS (
                SELECT FROM rankme_submission WHERE assignment_id = mine.id AND NOT surplus
            )
        )
        ORDER BY mine.state = 'held' DESC, mine.id DESC LIMIT 1 FOR UPDATE OF slot
    ) work ON true
"""
# The sittings of a slot or of a rater, with what decides whose counts; unended ones come last.
SITTINGS = f"""
    SELECT {columns_of(Assignment, "sitting")},
        EXISTS (
            SELECT FROM rankme_raterexclusion
            WHERE participant_id = sitting.participant_id AND withdrawn_at IS NULL
        ) AS is_excluded,
        EXISTS (
            SELECT FROM rankme_submission WHERE assignment_id = sitting.id AND late
        ) AS has_late,
        (
            SELECT count(DISTINCT (trial_id, screen)) FROM rankme_submission
            WHERE assignment_id = sitting.id AND NOT surplus
        ) AS screens_answered
    FROM rankme_assignment sitting
    WHERE sitting.slot_id = %(slot)s OR sitting.participant_id = %(rater)s
    ORDER BY sitting.ended_at, sitting.id
"""


def lock_work(participant: Participant) -> tuple[Participant, int | None]:
    """Lock a rater, and the slot of the batch that they work on; return the row and the slot."""
    locked: Any = objects_of(Participant, LOCK_WORK, {"rater": participant.pk})[0]
    locked.campaign = participant.campaign
    return locked, locked.work_slot


def read_sittings(*, slot: int | None = None, rater: int | None = None) -> list[Any]:
    """Read the sittings of a slot, of a rater, or of both, as `SITTINGS` describes them."""
    return objects_of(Assignment, SITTINGS, {"slot": slot, "rater": rater})


@transaction.atomic
def settle_slots_of(participant: Participant) -> None:
    """After an exclusion, or its end: decide again who holds and who counts in this rater's slots.

    An excluded rater holds nothing, so that somebody else can judge the batch in their place. In an
    archive nobody can, and each slot stays as it was imported.
    """
    if participant.campaign.is_archive:
        return
    # A claim of this rater's own waits for this lock, and sees the exclusion afterwards.
    Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    slots = Slot.objects.select_for_update(of=("self",)).filter(
        assignments__participant=participant
    )
    # In this order, as everywhere: two that lock several slots cannot wait for each other.
    for slot in slots.order_by("pk"):
        if participant.exclusions.filter(withdrawn_at=None).exists():
            for held in slot.assignments.live().filter(participant=participant):
                _end(held, FREED)
        settle_slot(slot)


def settle_slot(slot: Slot) -> None:
    """Store which sitting of a locked slot counts, and whether others can take it."""
    winner, state = standing(read_sittings(slot=slot.pk))
    let_count(winner)
    Slot.objects.filter(pk=slot.pk).exclude(state=state).update(state=state)


def standing(sittings: list[Any]) -> tuple[Any, Slot.State]:
    """Decide which of a slot's sittings counts: the only rule about what is counted. The first
    completed sitting counts. If there is none, the current holder's counts; if nobody holds the
    slot, the abandoned one with the most answered screens. A sitting of an excluded rater does not
    fill a slot: it counts only while there is no other.

    Parameters
    ----------
    sittings : all of the slot's, as `read_sittings` returns them

    Returns
    -------
    The sitting that counts, and the state of the slot.
    """
    completed = [found for found in sittings if found.state == COMPLETED and not found.is_excluded]
    # What counts already stays, even if the clock was set back between two endings.
    completed.sort(key=lambda found: not found.counts)
    held = [found for found in sittings if found.state == HELD]
    most = sorted(
        sittings, key=lambda found: (found.is_excluded, -found.screens_answered, found.pk)
    )
    state = Slot.State.DONE if completed else Slot.State.HELD if held else Slot.State.FREE
    return (completed or held or most)[0], state


def let_count(winner: Assignment) -> None:
    """Let this sitting count in its slot, and no other."""
    if not winner.counts:
        Assignment.objects.counting().filter(slot=winner.slot_id).update(counts=False)
        Assignment.objects.filter(pk=winner.pk).update(counts=True)
        winner.counts = True


def settle_late(assignment: Assignment) -> None:
    """After late work: a rater who has answered everything has finished, needed or not."""
    if assignment.state not in (HELD, COMPLETED) and is_answered(assignment):
        _end(assignment, COMPLETED)
    settle_slot(assignment.slot)


def _end(assignment: Assignment, state: str) -> None:
    Assignment.objects.filter(pk=assignment.pk).update(state=state, ended_at=Now())
    assignment.state = state


def screens_of(assignment: Assignment) -> int:
    """How many screens the sitting has, with those of its checks."""
    definition = frozen_definition(assignment.campaign).definition
    trials = len(assignment.presentation)
    return screens_of_batch(assignment.batch_id, definition, trials=trials)


def is_answered(assignment: Assignment) -> bool:
    """Whether every screen of the sitting has an answer."""
    standing = assignment.submissions.filter(surplus=False).order_by()
    answered = standing.values("trial_id", "screen").distinct()
    return screens_of(assignment) == answered.count()
