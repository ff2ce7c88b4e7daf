"""Sittings, screen by screen: hashes, chains, addresses, revisions, and values from payloads."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db.models import Prefetch

from rankme.errors import InvalidAnswer
from rankme.models import (
    Assignment,
    Campaign,
    Judgement,
    Submission,
    SubmissionWords,
    TrialOutput,
)
from rankme.protocols.answers import Reading
from rankme.protocols.exchange.payload_hashes import canonical, chained
from rankme.protocols.exchange.words import DIGEST, with_words, words_digest
from rankme.queries.definitions import FrozenDefinition, definition_of_sitting
from rankme.queries.trial_material import material_of

from .anchor import Anchors
from .fault import Fault

SUBMISSIONS_AT_ONCE = 1_000
IMPORTED = "imported"
HASHES = 2**64


@dataclass
class Sum:
    """A number of rows, and a hash of them that does not depend on their order."""

    rows: int = 0
    hash: int = 0

    def add(self, *cells: Any) -> None:
        line = json.dumps(cells, separators=(",", ":")).encode()
        self.rows += 1
        self.hash = (self.hash + int.from_bytes(hashlib.sha256(line).digest()[:8])) % HASHES

    def include(self, other: Sum) -> None:
        self.rows += other.rows
        self.hash = (self.hash + other.hash) % HASHES


@dataclass
class Screen:
    """The submission that counts for one screen of a sitting so far."""

    revisions: int = 0
    counted: Sum = field(default_factory=Sum)
    stands: str = ""  # the key of the newest submission that is not surplus


@dataclass
class Tally:
    """Counts collected while going through a campaign."""

    submissions: int = 0
    judgements: int = 0
    not_recomputed: int = 0
    not_comparable: int = 0
    counted_submissions: int = 0
    counted: Sum = field(default_factory=Sum)
    stored: Sum = field(default_factory=Sum)


def check_sittings(campaign: Campaign, anchors: Anchors) -> Tally:
    """Go through all submissions of a campaign; raise the first `Fault`."""
    tally = Tally()
    missing = set(anchors.sittings)
    for sitting, submissions in groupby(_submissions(campaign), attrgetter("assignment_id")):
        missing.discard(sitting)
        assignment = Assignment.objects.select_related("participant", "campaign").get(pk=sitting)
        frozen = definition_of_sitting(assignment)
        _Sitting(assignment, frozen, anchors.sittings.get(sitting, {}), tally).check(submissions)
    if missing:
        raise Fault(f"sitting {min(missing)}", "all of its submissions are missing.")
    return tally


def _submissions(campaign: Campaign) -> Iterator[Submission]:
    judgements = Judgement.objects.select_related("output").order_by("id")
    outputs = TrialOutput.objects.select_related("output").order_by("position")
    return (
        Submission.objects.filter(assignment__campaign=campaign)
        .select_related("trial__item", "trial__as_check", "own_words")
        .prefetch_related(
            Prefetch("judgements", queryset=judgements),
            Prefetch("trial__places", queryset=outputs),
        )
        .order_by("assignment_id", "id")
        .iterator(chunk_size=SUBMISSIONS_AT_ONCE)
    )


class _Sitting:
    """One sitting while its submissions are gone through in the order in which they came."""

    def __init__(
        self,
        assignment: Assignment,
        frozen: FrozenDefinition,
        seen: Mapping[int, str],
        tally: Tally,
    ) -> None:
        self.assignment = assignment
        self.frozen = frozen
        self.seen = seen
        self.tally = tally
        self.length = 0
        self.before = ""
        # The chain as it was while words were still inside; None where they are erased.
        self.before_the_epoch: str | None = ""
        self.is_comparable = True
        self.screens: dict[tuple[int, int], Screen] = {}
        self.names = {pk: name for name, pk in frozen.criteria.items()}

    def check(self, submissions: Iterator[Submission]) -> None:
        for submission in submissions:
            place = f"submission {submission.key} (sitting {self.assignment.pk})"
            problem = self._chain_problem(submission) or self._address_problem(submission)
            problem = problem or self._words_problem(submission)
            problem = problem or self._value_problem(submission)
            if problem:
                raise Fault(place, problem)
            self._count(submission)
        self._check_end()
        self.tally.not_comparable += not self.is_comparable
        if self.assignment.counts:
            for screen in self.screens.values():
                self.tally.counted.include(screen.counted)
                self.tally.counted_submissions += bool(screen.stands)

    def _chain_problem(self, submission: Submission) -> str:
        digest = hashlib.sha256(canonical(submission.payload)).hexdigest()
        if digest != submission.payload_sha256:
            return "the payload does not match its hash."
        self.before = chained(self.before, digest)
        self.length += 1
        if self.before != submission.chain_sha256:
            return "the hash chain is broken: a submission before it was changed or is missing."
        return self._anchor_problem(submission)

    def _anchor_problem(self, submission: Submission) -> str:
        """An anchor is of the chain as it is, or as it was before words were moved out of it."""
        kept: SubmissionWords | None = getattr(submission, "own_words", None)
        if kept is not None and kept.moved:
            if kept.words and self.before_the_epoch is not None:
                whole = canonical(with_words(submission.payload, kept.words))
                digest = hashlib.sha256(whole).hexdigest()
                self.before_the_epoch = chained(self.before_the_epoch, digest)
            else:
                self.before_the_epoch = None
        elif self.before_the_epoch is not None:
            self.before_the_epoch = chained(self.before_the_epoch, submission.payload_sha256)
        seen = self.seen.get(self.length, self.before)
        if seen in (self.before, self.before_the_epoch):
            return ""
        if self.before_the_epoch is None:
            self.is_comparable = False
            return ""
        return "the hash chain differs from the one that an analysis saw."

    def _check_end(self) -> None:
        longest = max(self.seen, default=0)
        if longest > self.length:
            raise Fault(
                f"sitting {self.assignment.pk}",
                f"it has {self.length} submissions, but an analysis saw {longest}: "
                "the end of its hash chain is missing.",
            )

    def _address_problem(self, submission: Submission) -> str:
        """The columns must say what the payload says, which the chain protects."""
        if submission.version != self.assignment.version:
            return "it is of another version of the campaign than its sitting."
        key = (submission.trial_id, submission.screen)
        screen = self.screens.setdefault(key, Screen())
        screen.revisions += 1
        if submission.revision != screen.revisions:
            return f"it is revision {submission.revision}, but {screen.revisions} was expected."
        payload = submission.payload
        if IMPORTED in payload:
            return ""
        try:
            shown = self.assignment.presentation[payload["trial"]][0]
            said = (payload["key"].lower(), payload["assignment"], shown, payload["screen"])
        except (AttributeError, IndexError, KeyError, TypeError):
            return "the payload does not say where it belongs."
        stored = (str(submission.key), submission.assignment_id, *key)
        if said != stored:
            return "it is stored somewhere other than where its payload says."
        return ""

    def _words_problem(self, submission: Submission) -> str:
        """Words are those that were sent, or erased with their rater's identity."""
        digest = submission.payload.get(DIGEST) if IMPORTED not in submission.payload else None
        kept: SubmissionWords | None = getattr(submission, "own_words", None)
        if digest is None or kept is None:
            return "" if digest is kept else "its payload and its words do not belong together."
        if kept.words:
            is_same = words_digest(kept.words, kept.salt) == digest
            return "" if is_same else "its words do not match the digest in its payload."
        is_erased = self.assignment.participant.erased_at is not None
        return "" if is_erased else "its words are missing, but its rater was not erased."

    def _value_problem(self, submission: Submission) -> str:
        """Read the answers again and compare them with the judgements."""
        stored = sorted(
            (
                self.names.get(judgement.criterion_id, ""),
                -1 if judgement.position is None else judgement.position,
                judgement.output_id or 0,
                _number(judgement.value),
                judgement.text,
                _number(judgement.time_ms),
                _reason(judgement.cannot_judge),
            )
            for judgement in submission.judgements.all()
        )
        self.tally.judgements += len(stored)
        if is_check(submission):
            return "a check has judgements." if stored else ""
        try:
            expected = self._expected(submission)
        except InvalidAnswer:
            # An earlier version accepted it. The payload's hash still protects it.
            expected = None
        if expected is None:
            self.tally.not_recomputed += 1
            return "" if stored else "its judgements are missing."
        for found, wanted in zip(stored, expected, strict=False):
            if found != wanted:
                name = wanted[0] or found[0]
                return f"the judgement on “{name}” differs from the payload."
        if len(stored) != len(expected):
            return f"it has {len(stored)} judgements, but its payload has {len(expected)}."
        return ""

    def _expected(self, submission: Submission) -> list[tuple[Any, ...]] | None:
        payload = submission.payload
        if IMPORTED in payload:
            return self._imported(submission)
        places = self.assignment.presentation[payload["trial"]][1]
        shown = [place.output_id for place in submission.trial.places.all()]
        outputs = [shown[place] for place in places]
        texts = {place.output_id: place.output.text for place in submission.trial.places.all()}
        readings = material_of(submission.trial).read(
            self.frozen.definition,
            submission.screen,
            payload.get("answers"),
            texts=[texts[output] for output in outputs],
            without_words=DIGEST in payload,
        )
        return sorted(_as_stored(reading, outputs) for reading in readings)

    def _imported(self, submission: Submission) -> list[tuple[Any, ...]] | None:
        """An imported payload repeats its judgements; those of version 1 did not."""
        if "judgements" not in submission.payload:
            return None
        outputs = {place.position: place.output_id for place in submission.trial.places.all()}
        return sorted(
            (name, position, outputs.get(position, 0), _number(value), text, _number(time_ms), "")
            for name, position, value, text, time_ms in submission.payload["judgements"]
        )

    def _count(self, submission: Submission) -> None:
        """Apply the counting rule: the newest submission that is not surplus counts."""
        self.tally.submissions += 1
        judgements = submission.judgements.all()
        key = str(submission.key)
        facts = (submission.payload_sha256, submission.chain_sha256, len(judgements))
        self.tally.stored.add(key, submission.version, submission.late, submission.surplus, *facts)
        if submission.surplus or is_check(submission):
            return
        screen = self.screens[submission.trial_id, submission.screen]
        screen.stands, screen.counted = key, Sum()
        outputs = [place.output for place in submission.trial.places.all()]
        only = outputs[0] if len(outputs) == 1 else None
        for judgement in judgements:
            output = judgement.output or only
            if output is not None and judgement.value is not None:
                screen.counted.add(
                    *(submission.assignment_id, submission.version),
                    *(submission.trial_id, submission.screen),
                    *(submission.revision, judgement.criterion_id),
                    *(output.item_id, output.system_id, judgement.value, judgement.time_ms),
                    *(submission.late, self.assignment.participant_id),
                )


def is_check(submission: Submission) -> bool:
    """Whether the answers are to a check, which has no judgements and never counts."""
    return getattr(submission.trial, "as_check", None) is not None


def _as_stored(reading: Reading, outputs: list[int]) -> tuple[Any, ...]:
    return (
        reading.criterion,
        -1 if reading.position is None else reading.position,
        0 if reading.position is None else outputs[reading.position],
        _number(reading.number),
        reading.text,
        _number(reading.time_ms),
        _reason(reading.cannot_judge),
    )


def _reason(cannot_judge: str | None) -> str:
    """Different for a judgement, and for a rater who could not judge and gave no reason."""
    return "" if cannot_judge is None else f"cannot judge: {cannot_judge}"


def _number(value: float | None) -> str:
    """A number to compare and sort by, also where there is none."""
    return "" if value is None else repr(float(value))
