"""Storing what raters say: each screen once, under the key that its browser made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.contrib.postgres.aggregates import ArrayAgg
from django.db import IntegrityError, transaction
from django.db.models import F, JSONField
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.errors import (
    InvalidAnswer,
    KeyReused,
    Problem,
    TooManySubmissions,
)
from rankme.models import (
    Assignment,
    Campaign,
    Judgement,
    Participant,
    QuarantinedPayload,
    Slot,
    Submission,
    Trial,
)
from rankme.protocols.answers import Reading, read_answers
from rankme.queries.definitions import FrozenDefinition, frozen_definition
from rankme.untrusted.clean_text import check_document

from . import rate_limits
from .assignments import HELD, lease_end, settle_late
from .speed_flags import OTHER_SCREENS, Sitting, speed_flags

PAYLOAD_VERSION = 1
SECOND_BROWSER = gettext_noop("second browser")
LARGEST_PAYLOAD = 200_000  # bytes that are read at all
# Bytes of a screen without the texts that its questions ask for; real ones have about one thousand.
LARGEST_SCREEN = 20_000
FIELDS = {
    *("version", "key", "assignment", "trial", "screen"),
    *("answers", "times", "comment", "replaces"),
}
# Bounds that no person reaches, so that a script cannot fill the disk with what nobody may delete.
MOST_REVISIONS = 100
MOST_IN_A_MINUTE = 600
# What a second browser may use of both: the rater's own must never find them used up.
SHARE_OF_A_SECOND_BROWSER = 0.1


@dataclass(frozen=True)
class Receipt:
    """The answer to the browser: its key is stored, or it already was."""

    key: UUID
    revision: int
    late: bool
    surplus: bool
    is_new: bool
    answered_elsewhere: bool = False  # surplus, because another page's answer to it counts


def record_submission(participant: Participant, payload: Mapping[str, Any]) -> Receipt:
    """Store one screen's answers. Sending the same submission again changes nothing.

    Parameters
    ----------
    payload : as the browser sends it: `key` (UUID), `assignment`, `trial` (its place in the
        presentation), `screen`, `answers`, optional `replaces` (the key that a changed answer
        takes the place of), `times` and `comment`

    Raises
    ------
    InvalidAnswer : the campaign's instruments do not allow the answers; nothing is stored
    KeyReused : the key already stands for other answers
    TooManySubmissions : the sitting has sent hundreds of screens within a minute; send it again
    """
    check_document(dict(payload))
    _refuse_unknown_fields(payload)
    key, address = _address(payload)
    try:
        with transaction.atomic():
            return _record(participant, key, address, payload)
    except IntegrityError:
        # The slot's lock orders one sitting; a key that came for two at once is detected only
        # here. Now the first one is stored, and the second is answered as any other repetition.
        with transaction.atomic():
            return _record(participant, key, address, payload)


def _record(
    participant: Participant, key: UUID, address: dict[str, int], payload: Mapping[str, Any]
) -> Receipt:
    assignment = _locked_assignment(participant, address)
    trial_id, order = _shown(assignment, address["trial"])
    earlier = _earlier(key, assignment, trial_id, address["screen"])
    digest = hashlib.sha256(canonical(payload)).hexdigest()
    replayed = next((found for found in earlier if found.key == key), None)
    other_counts = any(
        (found.assignment_id, found.trial_id, found.screen)
        == (assignment.pk, trial_id, address["screen"])
        and found.key != key
        and not found.surplus
        for found in earlier
    )
    if replayed is not None:
        receipt = _replay(replayed, digest)
        return replace(receipt, answered_elsewhere=receipt.surplus and other_counts)
    _refuse_floods(
        assignment,
        earlier,
        trial_id,
        address["screen"],
        share=SHARE_OF_A_SECOND_BROWSER if participant.is_second_browser else 1,
    )
    frozen = frozen_definition(assignment.campaign)
    trial = _trial(trial_id)
    _refuse_long(frozen, trial, address["screen"], payload)
    readings = _read(frozen, trial, address["screen"], payload)
    _refuse_repeated_texts(assignment, trial, readings, frozen)
    submission = _insert(
        assignment,
        trial,
        address["screen"],
        key,
        payload,
        digest,
        earlier,
        frozen,
        readings,
        is_second_browser=participant.is_second_browser,
    )
    _insert_judgements(
        submission, readings, frozen, [trial.output_ids[position] for position in order]
    )
    if submission.late:
        settle_late(assignment)
    else:
        _renew(assignment, frozen)
    return Receipt(
        key,
        submission.revision,
        submission.late,
        submission.surplus,
        is_new=True,
        answered_elsewhere=submission.surplus and other_counts,
    )


def canonical(payload: Mapping[str, Any]) -> bytes:
    """The bytes that the payload's hash is of: JSON with sorted names and no spaces.

    A payload that was read back from the database gives the same bytes.
    """
    written = _written(payload)
    if "-0.0" in written or "e+" in written:
        return _written(_as_the_database_keeps_it(payload)).encode()
    return written.encode()


def _written(payload: Any) -> str:
    return json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _as_the_database_keeps_it(value: Any) -> Any:
    """PostgreSQL keeps numbers as decimals: 1e+16 with all of its digits, and -0.0 as 0.0."""
    if isinstance(value, Mapping):
        return {name: _as_the_database_keeps_it(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_as_the_database_keeps_it(each) for each in value]
    if isinstance(value, float):
        return int(Decimal(repr(value))) if abs(value) >= 1e16 else value + 0.0
    return value


def chained(before: str, digest: str) -> str:
    """The link of the chain for a payload after the one whose link is `before` ("": the first)."""
    return hashlib.sha256((before + digest).encode()).hexdigest()


def quarantine(participant: Participant, body: str, *, reason: str) -> QuarantinedPayload:
    """Keep a submission that this release cannot read; the same body is kept once.

    Raises
    ------
    InvalidAnswer : it is larger than any screen
    TooManySubmissions : the rater has sent many such bodies lately; send it again
    """
    body = body.replace("\x00", "\\u0000")
    if len(body.encode()) > LARGEST_SCREEN:
        raise InvalidAnswer([Problem("", _("This answer is too long."))])
    digest = hashlib.sha256(body.encode()).hexdigest()
    kept = QuarantinedPayload.objects.filter(participant=participant, body_sha256=digest).first()
    if kept is not None:
        return kept
    if not rate_limits.take(rate_limits.UNREADABLE, participant.pk):
        raise TooManySubmissions
    return QuarantinedPayload.objects.get_or_create(
        participant=participant, body_sha256=digest, defaults={"body": body, "reason": reason}
    )[0]


def _address(payload: Mapping[str, Any]) -> tuple[UUID, dict[str, int]]:
    problems = []
    try:
        key = UUID(str(payload.get("key")))
    except ValueError:
        problems.append(Problem("key", "must be a UUID"))
    address = {}
    for name in ("assignment", "trial", "screen"):
        value = payload.get(name)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63:
            address[name] = value
        else:
            problems.append(Problem(name, "must be a whole number"))
    if problems:
        raise InvalidAnswer(problems)
    return key, address


def _refuse_unknown_fields(payload: Mapping[str, Any]) -> None:
    unknown = sorted(set(payload) - FIELDS)[:10]
    if unknown:
        raise InvalidAnswer(
            [Problem(name[:60], "is not a field of a submission") for name in unknown]
        )


def _refuse_floods(
    assignment: Assignment,
    earlier: list[Submission],
    trial_id: int,
    screen: int,
    *,
    share: float,
) -> None:
    """What is stored stays and counts; only more of the same is refused."""
    if assignment.sitting.lately >= MOST_IN_A_MINUTE * share:
        raise TooManySubmissions
    revisions = [
        found.revision
        for found in earlier
        if (found.assignment_id, found.trial_id, found.screen) == (assignment.pk, trial_id, screen)
    ]
    most = int(MOST_REVISIONS * share)
    if max(revisions, default=0) >= most:
        message = _(
            "You have changed your answer to this page %d times, and this is the limit. "
            "The previous answer counts."
        )
        message %= most
        raise InvalidAnswer([Problem("", message)])


def _refuse_long(
    frozen: FrozenDefinition, trial: Trial, screen: int, payload: Mapping[str, Any]
) -> None:
    """Refuse what is larger than the screen can be; a character has at most four bytes."""
    if screen >= len(frozen.definition.screens):
        return  # refused with the answers
    characters = sum(
        criterion.tool.most_characters(criterion.settings)
        * (len(trial.output_ids) if criterion.about == "output" else 1)
        for criterion in frozen.definition.questions(screen)
    )
    if len(canonical(payload)) > LARGEST_SCREEN + 4 * characters:
        raise InvalidAnswer([Problem("", _("This answer is too long."))])


def _locked_assignment(participant: Participant, address: Mapping[str, int]) -> Assignment:
    """Lock the slot first, then read: a slot's assignments change only under its lock."""
    mine = Slot.objects.select_for_update(of=("self",)).filter(
        assignments__pk=address["assignment"], assignments__participant=participant
    )
    if not mine:
        raise InvalidAnswer([Problem("assignment", "does not belong to you")])
    # The database's clock alone says how old a hold is and how long its lease still lasts.
    clocked = Assignment.objects.annotate(
        age=Now() - F("claimed_at"),
        lease_left=F("leased_until") - Now(),
        other_screens=RawSQL(
            OTHER_SCREENS, [str(address["trial"]), address["screen"]], JSONField()
        ),
    )
    assignment = clocked.select_related("campaign").get(pk=address["assignment"])
    assignment.sitting = Sitting(assignment.age.total_seconds(), *assignment.other_screens)
    return assignment


def _shown(assignment: Assignment, number: int) -> tuple[int, list[int]]:
    if number >= len(assignment.presentation):
        raise InvalidAnswer([Problem("trial", "is not in this batch")])
    trial_id, order = assignment.presentation[number]
    return trial_id, order


def _earlier(key: UUID, assignment: Assignment, trial_id: int, screen: int) -> list[Submission]:
    """This key's row, the same screen's rows, and the newest of the assignment (for the chain).

    A union, because each part has its own index, which an OR between them would not use.
    """
    columns = ("key", "assignment", "trial", "screen", "revision", "late", "surplus", "flags")
    rows = Submission.objects.order_by().only(*columns, "payload_sha256", "chain_sha256")
    mine = rows.filter(assignment=assignment)
    # Not "-id": that lures the planner into walking the whole table backwards.
    newest = mine.order_by(-F("id"))[:1]
    same_screen = mine.filter(trial_id=trial_id, screen=screen)
    return sorted(rows.filter(key=key).union(same_screen, newest), key=lambda found: found.pk)


def _replay(found: Submission, digest: str) -> Receipt:
    if found.payload_sha256 != digest:
        raise KeyReused("This key was already used for other answers.")
    return Receipt(found.key, found.revision, found.late, found.surplus, is_new=False)


def _trial(trial_id: int) -> Trial:
    return (
        Trial.objects.select_related("item")
        .annotate(output_ids=ArrayAgg("places__output_id", order_by="places__position"))
        .get(pk=trial_id)
    )


def _read(
    frozen: FrozenDefinition, trial: Trial, screen: int, payload: Mapping[str, Any]
) -> list[Reading]:
    if screen >= len(frozen.definition.screens):
        raise InvalidAnswer([Problem("screen", "is not in this campaign")])
    return read_answers(
        frozen.definition,
        screen,
        payload.get("answers"),
        outputs=len([output for output in trial.output_ids if output is not None]),
        item_input=trial.item.input,
        item_reference=trial.item.reference,
        factors=trial.item.factors,
    )


def _refuse_repeated_texts(
    assignment: Assignment, trial: Trial, readings: list[Reading], frozen: FrozenDefinition
) -> None:
    """Where texts must be new, none may repeat what the same rater wrote for another trial."""
    unique = {
        criterion.name
        for criterion in frozen.definition.criteria
        if criterion.tool.refuses_repeats(criterion.settings)
    }
    repeated = [
        Problem(reading.criterion, "You have written this text before. Please write a new one.")
        for reading in readings
        if reading.criterion in unique
        and Judgement.objects.filter(
            submission__assignment__participant=assignment.participant_id,
            criterion_id=frozen.criteria[reading.criterion],
            text__iexact=reading.text,
        )
        .exclude(submission__trial=trial)
        .exists()
    ]
    if repeated:
        raise InvalidAnswer(repeated)


def _insert(
    assignment: Assignment,
    trial: Trial,
    screen: int,
    key: UUID,
    payload: Mapping[str, Any],
    digest: str,
    earlier: list[Submission],
    frozen: FrozenDefinition,
    readings: list[Reading],
    *,
    is_second_browser: bool,
) -> Submission:
    same_screen = [
        found
        for found in earlier
        if (found.assignment_id, found.trial_id, found.screen) == (assignment.pk, trial.pk, screen)
    ]
    mine = [found for found in earlier if found.assignment_id == assignment.pk]
    standing = next((found for found in reversed(same_screen) if not found.surplus), None)
    # The rater's own browser replaces what a second one said, even in a finished sitting; a second
    # browser replaces none of their answers.
    displaces = standing is not None and SECOND_BROWSER in standing.flags and not is_second_browser
    may_change = standing is None or not is_second_browser or SECOND_BROWSER in standing.flags
    changed_on_purpose = standing is None or payload.get("replaces") == str(standing.key)
    has_ended = assignment.state == Assignment.State.COMPLETED
    stands = displaces or (changed_on_purpose and may_change and not has_ended)
    before = max(mine, key=lambda found: found.pk).chain_sha256 if mine else ""
    return Submission.objects.create(
        key=key,
        assignment=assignment,
        trial=trial,
        screen=screen,
        revision=1 + max((found.revision for found in same_screen), default=0),
        late=_is_late(assignment),
        surplus=not stands,
        payload=payload,
        payload_sha256=digest,
        chain_sha256=chained(before, digest),
        flags=[
            *speed_flags(
                payload.get("times"),
                assignment.sitting,
                least_seconds=frozen.definition.crowd.least_seconds_per_screen,
            ),
            *_anticipation(payload.get("times"), readings),
            *([SECOND_BROWSER] if is_second_browser else []),
        ],
    )


def _is_late(assignment: Assignment) -> bool:
    """Whether the hold, or the whole collection, had ended when this came."""
    collecting = (Campaign.State.RUNNING, Campaign.State.PAUSED)
    ended = assignment.state not in (HELD, Assignment.State.COMPLETED)
    return ended or assignment.campaign.state not in collecting


def _anticipation(times: Any, readings: list[Reading]) -> list[str]:
    """A flag for a response that came before anybody can have seen the stimulus.

    The page notes such a press and waits for another; other clients may send it as the response.
    """
    noted = isinstance(times, Mapping) and times.get("early")
    return (
        [gettext_noop("anticipation")]
        if noted or any(one.is_anticipated for one in readings)
        else []
    )


def _insert_judgements(
    submission: Submission, readings: list[Reading], frozen: FrozenDefinition, outputs: list[int]
) -> None:
    Judgement.objects.bulk_create(
        Judgement(
            submission=submission,
            criterion_id=frozen.criteria[reading.criterion],
            output_id=None if reading.position is None else outputs[reading.position],
            position=reading.position,
            value=reading.number,
            text=reading.text,
            time_ms=reading.time_ms,
        )
        for reading in readings
    )


def _renew(assignment: Assignment, frozen: FrozenDefinition) -> None:
    """Work renews the lease, at most once a minute: a rater who answers keeps the batch."""
    length = frozen.definition.crowd.lease_minutes * 60
    if assignment.lease_left.total_seconds() < length - 60:
        Assignment.objects.filter(pk=assignment.pk).update(
            leased_until=lease_end(frozen.definition)
        )
