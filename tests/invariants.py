"""What must hold of the record whatever was killed: run after every test of faults and races."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import Count, F, Q, QuerySet

from analysis.table_files import unguarded
from rankme.actions.payload_hashes import canonical
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.models import (
    AnalysisRun,
    Assignment,
    Campaign,
    Judgement,
    MaterialImport,
    Participant,
    RaterExclusion,
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
    """Assert every invariant of the whole database, given what the server acknowledged."""
    every_acknowledged_key_is_stored_once(history)
    every_screen_was_sent_once_per_revision()
    nothing_is_counted_twice()
    everybody_judged_what_they_were_given()
    slots_agree_with_their_assignments()
    exports_say_what_the_database_says()
    codes_agree_with_finished_work()
    no_submission_ever_changed()


def rows_written() -> int:
    """How many rows this transaction has inserted, changed or deleted so far, also in vain."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables"
        )
        return int(cursor.fetchone()[0])


def every_acknowledged_key_is_stored_once(history: Iterable[Acknowledged]) -> None:
    rows = list(Submission.objects.values_list("key", "payload_sha256"))  # while more may come in
    stored = dict(rows)
    assert len(stored) == len(rows)
    lost = [seen for seen in history if stored.get(seen.key) != seen.payload_sha256]
    assert not lost, f"acknowledged, but not stored as sent: {lost[:5]} and others ({len(lost)})"


def every_screen_was_sent_once_per_revision() -> None:
    """Revisions count up from one, so none was dropped in between."""
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
    """Each slot has one counting sitting, so no output has more judgements than planned."""
    per_slot = Counter(Assignment.objects.counting().values_list("slot_id", flat=True))
    twice = [slot for slot, sittings in per_slot.items() if sittings > 1]
    assert not twice, f"slots that count twice: {twice}"
    for campaign in Campaign.objects.all():
        counted_at_most_as_planned(campaign)


def counted_submissions(campaign: Campaign) -> QuerySet[Submission]:
    """The counting rule once more, in other words than those of `rankme.queries.counting`."""
    return (
        Submission.objects.filter(
            assignment__campaign=campaign,
            assignment__counts=True,
            surplus=False,
            trial__as_check=None,
        )
        .order_by("assignment_id", "trial_id", "screen", "-revision")
        .distinct("assignment_id", "trial_id", "screen")
    )


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
    """No submission belongs to another campaign, batch or screen than its assignment."""
    given = {
        assignment: (batch, [trial for trial, _ in presentation])
        for assignment, batch, presentation in Assignment.objects.filter(
            campaign=F("participant__campaign")
        ).values_list("id", "batch", "presentation")
    }
    assert len(given) == Assignment.objects.count(), "a rater of another campaign"
    for assignment, batch, trial in Submission.objects.values_list(
        "assignment_id", "trial__batch_id", "trial_id"
    ):
        assert batch == given[assignment][0]
        assert trial in given[assignment][1]
    shown = set(TrialOutput.objects.values_list("trial_id", "output_id"))
    judged = Judgement.objects.filter(output__isnull=False)
    assert set(judged.values_list("submission__trial_id", "output_id").distinct()) <= shown


def slots_agree_with_their_assignments() -> None:
    """Each slot's state follows from its assignments, and exactly one of its sittings counts.

    The sitting of an excluded rater does not fill a slot, unless it is in an archive.
    """
    standing = RaterExclusion.objects.filter(withdrawn_at=None, campaign__is_archive=False)
    excluded = set(standing.values_list("participant", flat=True))
    states: dict[int, list[tuple[str, bool]]] = {}
    for slot, rater, state, counts in Assignment.objects.values_list(
        "slot_id", "participant", "state", "counts"
    ):
        fills = "excluded" if rater in excluded else state
        assert (rater in excluded, state) != (True, "held"), f"slot {slot} waits for {rater}"
        states.setdefault(slot, []).append((fills, counts))
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


def exports_say_what_the_database_says() -> None:
    """Both exports have the same rows as the database."""
    for campaign in Campaign.objects.all():
        assert summary(rows_of_the_csv(campaign)) == summary(rows_that_count(campaign)), (
            f"{campaign}: the CSV is not what counts"
        )
        assert summary(rows_of_the_jsonl(campaign)) == summary(rows_that_are_stored(campaign)), (
            f"{campaign}: the raw export is not what is stored"
        )


def summary(rows: Iterable[tuple]) -> tuple[int, str]:
    """How many rows there are, and a hash of them all in whatever order they came."""
    lines = sorted(json.dumps(row, sort_keys=True) for row in rows)
    return len(lines), hashlib.sha256("\n".join(lines).encode()).hexdigest()


def rows_of_the_csv(campaign: Campaign) -> list[tuple]:
    exported = b"".join(judgements_csv(campaign)).decode()
    labels = ("rater", "item", "system", "criterion", "screen")
    return [
        (
            *(unguarded(row[name]) for name in labels),
            *(float(row[name]) if row[name] else None for name in ("value", "time_ms")),
            *(row[name] == "1" for name in ("excluded", "late")),
        )
        for row in csv.DictReader(io.StringIO(exported, newline=""))
    ]


def rows_that_count(campaign: Campaign) -> list[tuple]:
    """The CSV by another way: the querysets of the actions, where the export has SQL of its own."""
    about_the_only_output = Q(output__isnull=True, outputs_shown=1)
    sent = "submission__assignment", "submission__trial", "submission__screen"
    rater = "submission__assignment__participant"
    judgements = (
        Judgement.objects.filter(submission__in=counted_submissions(campaign).values("id"))
        .annotate(outputs_shown=Count("submission__trial__places"))
        .filter(Q(output__isnull=False) | about_the_only_output, value__isnull=False)
        .values_list(
            *(rater, f"{rater}__label", "output__item__key", "output__system__name"),
            *("criterion__name", *sent, "submission__revision"),
            *("value", "time_ms", "submission__late"),
        )
    )
    excluded = set(campaign.rater_exclusions.filter(withdrawn_at=None).values_list("participant"))
    rows = []
    for pk, label, item, system, criterion, *screen, value, time_ms, late in judgements:
        about = (item, system) if item else the_only_output(trial=screen[1])
        labels = (label, *about, criterion, ".".join(map(str, screen)))
        rows.append((*labels, value, time_ms, (pk,) in excluded, late))
    return rows


def the_only_output(trial: int) -> tuple[str, str]:
    places = TrialOutput.objects.filter(trial=trial)
    return places.values_list("output__item__key", "output__system__name").get()


def rows_of_the_jsonl(campaign: Campaign) -> list[tuple]:
    # PostgreSQL writes 50.0 as 50; a payload keeps its numbers as they were sent.
    lines = [json.loads(line) for line in judgements_jsonl(campaign)]
    facts = ("key", "revision", "counted", "late", "surplus", "payload", "chain_sha256")
    values = ("criterion", "position", "value", "text", "time_ms")
    return [
        (
            *(line[name] for name in facts),
            [[as_float(found[name]) for name in values] for found in line["judgements"] or ()],
        )
        for line in lines
    ]


def as_float(value: object) -> object:
    return float(value) if isinstance(value, int) else value


def rows_that_are_stored(campaign: Campaign) -> list[tuple]:
    counted = set(counted_submissions(campaign).values_list("pk", flat=True))
    values = ("position", "value", "text", "time_ms")
    judged: dict[int, list[list]] = {}
    for submission, *found in (
        Judgement.objects.filter(submission__assignment__campaign=campaign)
        .order_by("id")
        .values_list("submission_id", F("criterion__name"), *values)
    ):
        judged.setdefault(submission, []).append([as_float(value) for value in found])
    return [
        (
            *(str(sent.key), sent.revision, sent.pk in counted, sent.late, sent.surplus),
            *(sent.payload, sent.chain_sha256, judged.get(sent.pk, [])),
        )
        for sent in Submission.objects.filter(assignment__campaign=campaign)
    ]


def codes_agree_with_finished_work() -> None:
    for rater in Participant.objects.exclude(completion_code=""):
        if rater.state == "screened_out":
            continue  # the code of the outcome, not of work
        if rater.outcome == "returned":
            did = Submission.objects.filter(assignment__participant=rater)
        else:
            did = rater.assignments.filter(state="completed")
        assert did.exists(), f"{rater}: a code for nothing"
    without = Participant.objects.filter(state="completed", completion_code="")
    assert not without.exists()


def no_submission_ever_changed() -> None:
    """Each payload still has its hash, and the hashes form unbroken chains."""
    chains: dict[int, str] = {}
    columns = "key", "assignment_id", "payload", "payload_sha256", "chain_sha256"
    rows = Submission.objects.order_by("id").values_list(*columns)
    for key, assignment, payload, digest, chain in rows.iterator():
        assert hashlib.sha256(canonical(payload)).hexdigest() == digest, key
        before = chains.get(assignment, "")
        expected = hashlib.sha256((before + digest).encode()).hexdigest()
        assert chain == expected, f"the chain breaks at {key}"
        chains[assignment] = expected
    holding = Judgement.objects.values("submission").distinct().count()
    assert holding == Submission.objects.filter(trial__as_check=None).count(), (
        "a screen without its values, or the reverse"
    )


def check_jobs_ended() -> None:
    """Every job is done, cancelled, or failed with a reason."""
    for model in (MaterialImport, AnalysisRun):
        left = model.objects.exclude(state__in=["done", "failed", "cancelled"])
        assert not left.exists(), f"{model.__name__} not ended: {list(left)}"
