"""What must hold of the record whatever was killed: run after every test of faults and races."""

import csv
import hashlib
import io
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from django.db import connection, transaction
from django.db.models import QuerySet

from analysis.table_files import unguarded
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
from rankme.protocols.exchange.payload_hashes import canonical
from rankme.protocols.exchange.words import with_words


@dataclass(frozen=True)
class Acknowledged:
    """What a client was told: this key is stored, with this payload."""

    key: UUID
    payload_sha256: str


def acknowledged(payload: dict) -> Acknowledged:
    return Acknowledged(UUID(payload["key"]), hashlib.sha256(canonical(payload)).hexdigest())


def check_record(history: Iterable[Acknowledged] = ()) -> None:
    """Assert every invariant of the whole database, given what the server acknowledged."""
    with one_moment():
        record = Record()
        every_acknowledged_key_is_stored_once(record, history)
        every_screen_was_sent_once_per_revision(record)
        nothing_is_counted_twice(record)
        everybody_judged_what_they_were_given(record)
        slots_agree_with_their_assignments(record)
        exports_say_what_the_database_says(record)
        codes_agree_with_finished_work(record)
        no_submission_ever_changed(record)


@contextmanager
def one_moment() -> Iterator[None]:
    """Read the database as it is at one moment: a page or a killed site may still be sending."""
    if connection.in_atomic_block:  # other connections see nothing of such a test
        yield
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        yield


class Judged(NamedTuple):
    submission: int
    criterion: str
    output: int | None
    item: str | None  # of the output, and so is the system
    system: str | None
    position: int | None
    value: float | None
    text: str
    time_ms: float | None


class Sent(NamedTuple):
    id: int
    key: UUID
    assignment: int
    trial: int
    batch: int  # of the trial
    check: int | None  # the trial's, if it is one
    screen: int
    revision: int
    late: bool
    surplus: bool
    payload: dict[str, Any]
    payload_sha256: str
    chain_sha256: str
    words: list[dict[str, Any]] | None


class Sitting(NamedTuple):
    id: int
    campaign: int
    batch: int
    slot: int
    rater: int
    label: str  # of the rater, and so is the campaign that follows
    campaign_of_rater: int
    state: str
    counts: bool
    presentation: list[list[Any]]


class Place(NamedTuple):
    trial: int
    batch: int
    output: int
    item: str
    system: str


class Record:
    """The tables that say who judged what, each of them read once.

    What refers to another row is read before that row, while more may come in.
    """

    def __init__(self) -> None:
        self.judged = [
            Judged(*row)
            for row in Judgement.objects.order_by("id").values_list(
                *("submission_id", "criterion__name", "output_id", "output__item__key"),
                *("output__system__name", "position", "value", "text", "time_ms"),
            )
        ]
        self.sent = [
            Sent(*row)
            for row in Submission.objects.order_by("id").values_list(
                *("id", "key", "assignment_id", "trial_id", "trial__batch_id", "trial__as_check"),
                *("screen", "revision", "late", "surplus"),
                *("payload", "payload_sha256", "chain_sha256", "own_words__words"),
            )
        ]
        sittings = Assignment.objects.order_by("id").values_list(
            *("id", "campaign_id", "batch_id", "slot_id", "participant_id", "participant__label"),
            *("participant__campaign_id", "state", "counts", "presentation"),
        )
        self.sittings = {row[0]: Sitting(*row) for row in sittings}
        self.slots = list(Slot.objects.order_by("id").values_list("id", "batch_id", "state"))
        self.places = [
            Place(*row)
            for row in TrialOutput.objects.order_by("id").values_list(
                *("trial_id", "trial__batch_id", "output_id"),
                *("output__item__key", "output__system__name"),
            )
        ]
        standing = RaterExclusion.objects.filter(withdrawn_at=None).order_by("id")
        self.excluded = set(standing.values_list("participant", flat=True))
        self.campaigns = list(Campaign.objects.order_by("id"))

    @cached_property
    def counted(self) -> set[int]:
        """The counting rule once more, in other words than those of `rankme.queries.counting`."""
        newest: dict[tuple[int, int, int], Sent] = {}
        for sent in sorted(self.sent, key=lambda each: each.revision):
            if self.sittings[sent.assignment].counts and not sent.surplus and sent.check is None:
                newest[sent.assignment, sent.trial, sent.screen] = sent
        return {sent.id for sent in newest.values()}

    @cached_property
    def by_id(self) -> dict[int, Sent]:
        return {sent.id: sent for sent in self.sent}

    @cached_property
    def judged_by(self) -> dict[int, list[Judged]]:
        """The judgements of each submission."""
        return grouped(self.judged, lambda judged: judged.submission)

    @cached_property
    def places_of(self) -> dict[int, list[Place]]:
        """The outputs of each trial."""
        return grouped(self.places, lambda place: place.trial)

    def sent_for(self, campaign: Campaign) -> Iterator[Sent]:
        for sent in self.sent:
            if self.sittings[sent.assignment].campaign == campaign.pk:
                yield sent


Row = TypeVar("Row")


def grouped(rows: Iterable[Row], by: Callable[[Row], int]) -> dict[int, list[Row]]:
    found: dict[int, list[Row]] = defaultdict(list)
    for row in rows:
        found[by(row)].append(row)
    return found


def rows_written() -> int:
    """How many rows this transaction has inserted, changed or deleted so far, also in vain."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_xact_user_tables"
        )
        return int(cursor.fetchone()[0])


def every_acknowledged_key_is_stored_once(record: Record, history: Iterable[Acknowledged]) -> None:
    stored = {
        sent.key: hashlib.sha256(canonical(with_words(sent.payload, sent.words or []))).hexdigest()
        for sent in record.sent
    }
    assert len(stored) == len(record.sent)
    lost = [seen for seen in history if stored.get(seen.key) != seen.payload_sha256]
    assert not lost, f"acknowledged, but not stored as sent: {lost[:5]} and others ({len(lost)})"


def every_screen_was_sent_once_per_revision(record: Record) -> None:
    """Revisions count up from one, so none was dropped in between."""
    revisions: dict[tuple[int, int, int], list[int]] = {}
    for sent in record.sent:
        screen = (sent.assignment, sent.trial, sent.screen)
        revisions.setdefault(screen, []).append(sent.revision)
    gaps = {
        screen: found
        for screen, found in revisions.items()
        if sorted(found) != list(range(1, len(found) + 1))
    }
    assert not gaps, f"revisions with gaps or twice: {gaps}"


def nothing_is_counted_twice(record: Record) -> None:
    """Each slot has one counting sitting, so no output has more judgements than planned."""
    per_slot = Counter(sitting.slot for sitting in record.sittings.values() if sitting.counts)
    twice = [slot for slot, sittings in per_slot.items() if sittings > 1]
    assert not twice, f"slots that count twice: {twice}"
    slots = Counter(batch for _, batch, _ in record.slots)
    planned = {(place.trial, place.output): slots[place.batch] for place in record.places}
    per_output = Counter(
        (record.by_id[judged.submission].trial, judged.output, judged.criterion)
        for judged in record.judged
        if judged.output is not None and judged.submission in record.counted
    )
    for (trial, output, _), judgements in per_output.items():
        assert judgements <= planned[trial, output], f"output {output} of trial {trial} is over"


def counted_submissions(campaign: Campaign) -> QuerySet[Submission]:
    """The counting rule, in other words than those of `rankme.queries.counting`."""
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


def everybody_judged_what_they_were_given(record: Record) -> None:
    """No submission belongs to another campaign, batch or screen than its assignment."""
    for sitting in record.sittings.values():
        assert sitting.campaign == sitting.campaign_of_rater, "a rater of another campaign"
    given = {
        sitting.id: (sitting.batch, {trial for trial, _ in sitting.presentation})
        for sitting in record.sittings.values()
    }
    for sent in record.sent:
        batch, trials = given[sent.assignment]
        assert sent.batch == batch
        assert sent.trial in trials
    shown = {(place.trial, place.output) for place in record.places}
    for judged in record.judged:
        about = (record.by_id[judged.submission].trial, judged.output)
        assert judged.output is None or about in shown, about


def slots_agree_with_their_assignments(record: Record) -> None:
    """Each slot's state follows from its assignments, and exactly one of its sittings counts.

    The sitting of an excluded rater does not fill a slot, unless it is in an archive.
    """
    archives = {campaign.pk for campaign in record.campaigns if campaign.is_archive}
    states: dict[int, list[tuple[str, bool]]] = {}
    for sitting in record.sittings.values():
        is_out = sitting.rater in record.excluded and sitting.campaign not in archives
        fills = "excluded" if is_out else sitting.state
        assert (is_out, sitting.state) != (True, "held"), f"{sitting.slot} waits for {sitting}"
        states.setdefault(sitting.slot, []).append((fills, sitting.counts))
    for slot, _, state in record.slots:
        sittings = states.get(slot, [])
        assert state == expected_slot_state(sittings), f"slot {slot} is {state}: {sittings}"
        assert sum(counts for _, counts in sittings) == min(len(sittings), 1), sittings
        best = "completed" if state == "done" else "held" if state == "held" else None
        assert best is None or (best, True) in sittings, f"slot {slot} counts another's: {sittings}"
    live = Counter(each.rater for each in record.sittings.values() if each.state == "held")
    assert all(batches == 1 for batches in live.values()), live


def expected_slot_state(sittings: list[tuple[str, bool]]) -> str:
    states = {state for state, _ in sittings}
    return "done" if "completed" in states else "held" if "held" in states else "free"


def exports_say_what_the_database_says(record: Record) -> None:
    """Both exports have the same rows as the database."""
    for campaign in record.campaigns:
        assert summary(rows_of_the_csv(campaign)) == summary(rows_that_count(record, campaign)), (
            f"{campaign}: the CSV is not what counts"
        )
        stored = rows_that_are_stored(record, campaign)
        assert summary(rows_of_the_jsonl(campaign)) == summary(stored), (
            f"{campaign}: the raw export is not what is stored"
        )


AS_LINE = json.JSONEncoder(sort_keys=True)


def summary(rows: Iterable[tuple]) -> tuple[int, str]:
    """How many rows there are, and a hash of them all in whatever order they came."""
    lines = sorted(map(AS_LINE.encode, rows))
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


def rows_that_count(record: Record, campaign: Campaign) -> Iterator[tuple]:
    """The CSV by another way: the rows of each table, where the export has SQL of its own."""
    for sent in record.sent_for(campaign):
        if sent.id not in record.counted:
            continue
        sitting, places = record.sittings[sent.assignment], record.places_of[sent.trial]
        screen = f"{sent.assignment}.{sent.trial}.{sent.screen}.{sent.revision}"
        for judged in record.judged_by[sent.id]:
            # What is said of a trial is said of its output, if there is only one.
            about = judged if judged.output is not None else places[0] if len(places) == 1 else None
            if about is not None and judged.value is not None:
                labels = (sitting.label, about.item, about.system, judged.criterion, screen)
                facts = (sitting.rater in record.excluded, sent.late)
                yield (*labels, judged.value, judged.time_ms, *facts)


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


def rows_that_are_stored(record: Record, campaign: Campaign) -> Iterator[tuple]:
    for sent in record.sent_for(campaign):
        judged = [
            [as_float(value) for value in (each.criterion, *each[-4:])]
            for each in record.judged_by[sent.id]
        ]
        facts = (str(sent.key), sent.revision, sent.id in record.counted, sent.late, sent.surplus)
        yield (*facts, sent.payload, sent.chain_sha256, judged)


def codes_agree_with_finished_work(record: Record) -> None:
    did = {record.sittings[sent.assignment].rater for sent in record.sent}
    finished = {each.rater for each in record.sittings.values() if each.state == "completed"}
    raters = Participant.objects.order_by("id")
    for rater, state, outcome, code in raters.values_list(
        "id", "state", "outcome", "completion_code"
    ):
        assert code or state != "completed", f"{rater}: finished without a code"
        if code and state != "screened_out":  # there, it is the code of the outcome, not of work
            assert rater in (did if outcome == "returned" else finished), f"{rater}: for nothing"


def no_submission_ever_changed(record: Record) -> None:
    """Each payload still has its hash, and the hashes form unbroken chains."""
    chains: dict[int, str] = {}
    for sent in record.sent:
        assert hashlib.sha256(canonical(sent.payload)).hexdigest() == sent.payload_sha256, sent.key
        before = chains.get(sent.assignment, "")
        expected = hashlib.sha256((before + sent.payload_sha256).encode()).hexdigest()
        assert sent.chain_sha256 == expected, f"the chain breaks at {sent.key}"
        chains[sent.assignment] = expected
    holding = {judged.submission for judged in record.judged}
    assert holding == {sent.id for sent in record.sent if sent.check is None}, (
        "a screen without its values, or the reverse"
    )


def check_jobs_ended() -> None:
    """Every job is done, cancelled, or failed with a reason."""
    for model in (MaterialImport, AnalysisRun):
        left = model.objects.exclude(state__in=["done", "failed", "cancelled"])
        assert not left.exists(), f"{model.__name__} not ended: {list(left)}"
