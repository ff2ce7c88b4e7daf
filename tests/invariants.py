"""What must hold of the record whatever was killed: run after every test of faults and races."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from rankme.actions.judgements import canonical, counted_submissions
from rankme.models import (
    AnalysisRun,
    Assignment,
    Campaign,
    Judgement,
    MaterialImport,
    Participant,
    Slot,
    Submission,
    TrialOutput,
)


@dataclass(frozen=True)
class Acknowledged:
    """What a client was told: this key is stored, with this payload."""

    key: UUID
    payload_sha256: str


def acknowledged(payload: dict) -> Acknowledged:
    return Acknowledged(UUID(payload["key"]), hashlib.sha256(canonical(payload)).hexdigest())


def check_record(history: Iterable[Acknowledged] = ()) -> None:
    """Assert I1 to I7 of the whole database against what clients saw."""
    every_acknowledged_key_is_stored_once(history)
    every_screen_was_sent_once_per_revision()
    nothing_is_counted_twice()
    everybody_judged_what_they_were_given()
    slots_agree_with_their_assignments()
    codes_agree_with_finished_work()
    no_submission_ever_changed()


def every_acknowledged_key_is_stored_once(history: Iterable[Acknowledged]) -> None:
    """I1."""
    stored = dict(Submission.objects.values_list("key", "payload_sha256"))
    assert len(stored) == Submission.objects.count()
    lost = [seen for seen in history if stored.get(seen.key) != seen.payload_sha256]
    assert not lost, f"acknowledged, but not stored as sent: {lost[:5]} and others ({len(lost)})"


def every_screen_was_sent_once_per_revision() -> None:
    """I1: revisions count up from one, so nothing was dropped between two of them."""
    revisions: dict[tuple[int, int, int], list[int]] = {}
    rows = Submission.objects.values_list("assignment_id", "trial_id", "screen", "revision")
    for *screen, revision in rows.order_by("revision"):
        revisions.setdefault(tuple(screen), []).append(revision)
    gaps = {
        screen: found
        for screen, found in revisions.items()
        if found != list(range(1, len(found) + 1))
    }
    assert not gaps, f"revisions with gaps or twice: {gaps}"


def nothing_is_counted_twice() -> None:
    """I2: one counting sitting per slot, so no output has more judgements than were planned."""
    per_slot = Counter(Assignment.objects.counting().values_list("slot_id", flat=True))
    twice = [slot for slot, sittings in per_slot.items() if sittings > 1]
    assert not twice, f"slots that count twice: {twice}"
    for campaign in Campaign.objects.all():
        counted_at_most_as_planned(campaign)


def counted_at_most_as_planned(campaign: Campaign) -> None:
    slots = Counter(campaign.slots.values_list("batch_id", flat=True))
    planned: Counter[tuple[int, int]] = Counter()
    shown = TrialOutput.objects.filter(trial__batch__campaign=campaign)
    for trial, output, batch in shown.values_list("trial_id", "output_id", "trial__batch_id"):
        planned[trial, output] = slots[batch]
    counted = Judgement.objects.filter(submission__in=counted_submissions(campaign).values("id"))
    per_output = counted.filter(output__isnull=False).values_list(
        "submission__trial_id", "output_id", "criterion_id"
    )
    for (trial, output, _), judgements in Counter(per_output).items():
        assert judgements <= planned[trial, output], f"output {output} of trial {trial} is over"


def everybody_judged_what_they_were_given() -> None:
    """I3: no submission crosses from one campaign, batch or screen into another."""
    for submission in Submission.objects.select_related("assignment__participant", "trial"):
        assignment = submission.assignment
        assert submission.trial.batch_id == assignment.batch_id
        assert assignment.participant.campaign_id == assignment.campaign_id
        assert submission.trial_id in [trial for trial, _ in assignment.presentation]
    shown = set(TrialOutput.objects.values_list("trial_id", "output_id"))
    judged = Judgement.objects.filter(output__isnull=False)
    assert set(judged.values_list("submission__trial_id", "output_id").distinct()) <= shown


def slots_agree_with_their_assignments() -> None:
    """I4: issued = live + ended, each slot's state follows, and one sitting stands for it."""
    states: dict[int, list[tuple[str, bool]]] = {}
    for slot, state, counts in Assignment.objects.values_list("slot_id", "state", "counts"):
        states.setdefault(slot, []).append((state, counts))
    for slot, state in Slot.objects.values_list("id", "state"):
        sittings = states.get(slot, [])
        assert state == expected_slot_state(sittings), f"slot {slot} is {state}: {sittings}"
        assert sum(counts for _, counts in sittings) == min(len(sittings), 1), sittings
        best = "completed" if state == "done" else "held" if state == "held" else None
        assert best is None or (best, True) in sittings, f"slot {slot} counts another's: {sittings}"
    live = Counter(Assignment.objects.live().values_list("participant_id", flat=True))
    assert all(batches == 1 for batches in live.values()), live


def expected_slot_state(sittings: list[tuple[str, bool]]) -> str:
    states = {state for state, _ in sittings}
    return "done" if "completed" in states else "held" if "held" in states else "free"


def codes_agree_with_finished_work() -> None:
    """I6."""
    for rater in Participant.objects.exclude(completion_code=""):
        assert rater.assignments.filter(state="completed").exists(), f"{rater}: a code for nothing"
    without = Participant.objects.filter(state="completed", completion_code="")
    assert not without.exists()


def no_submission_ever_changed() -> None:
    """I7: each payload has the hash that it came with, and the hashes form unbroken chains."""
    chains: dict[int, str] = {}
    for row in Submission.objects.order_by("id").iterator():
        assert hashlib.sha256(canonical(row.payload)).hexdigest() == row.payload_sha256, row.key
        before = chains.get(row.assignment_id, "")
        expected = hashlib.sha256((before + row.payload_sha256).encode()).hexdigest()
        assert row.chain_sha256 == expected, f"the chain breaks at {row.key}"
        chains[row.assignment_id] = expected
    holding = Judgement.objects.values("submission").distinct().count()
    assert holding == Submission.objects.count(), "a screen without its values, or the reverse"


def check_jobs_ended() -> None:
    """I8: every job ended well or said why not."""
    for model in (MaterialImport, AnalysisRun):
        left = model.objects.exclude(state__in=["done", "failed", "cancelled"])
        assert not left.exists(), f"{model.__name__} not ended: {list(left)}"
