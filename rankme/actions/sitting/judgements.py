"""Storing what raters say: each screen once, under the key that its browser made."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import rate_limits
from rankme.errors import InvalidAnswer, KeyReused, Problem, TooManySubmissions
from rankme.models import (
    Assignment,
    Campaign,
    Judgement,
    Participant,
    QuarantinedPayload,
    Submission,
)
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.answers import Reading
from rankme.protocols.crowd import Crowd
from rankme.protocols.exchange.payload_hashes import chained
from rankme.protocols.exchange.sent_screen import SentScreen
from rankme.protocols.exchange.words import KeptScreen, kept_screen, new_salt
from rankme.queries.check_answers import may_try_again
from rankme.queries.definitions import FrozenDefinition, frozen_definition
from rankme.queries.sql import kept

from . import check_rules
from .assignments import HELD, is_answered, lease_end, settle_late
from .participation import end_work
from .practice import is_past_the_gate
from .screen_rules import LARGEST_SCREEN, refuse_by_rules
from .sent_screens import ShownScreen, shown_screen
from .speed_flags import FAST, speed_flags

SECOND_BROWSER = gettext_noop("second browser")
LARGEST_PAYLOAD = 200_000  # bytes that are read at all


@dataclass(frozen=True)
class Receipt:
    """The answer to the browser: its key is stored, or it already was."""

    key: UUID
    revision: int
    late: bool
    surplus: bool
    is_new: bool
    answered_elsewhere: bool = False  # surplus, because another page's answer to it counts
    ends_the_work: bool = False  # too fast, in a campaign that allows no such screen
    try_again: bool = False  # a check that tells raters, and was not answered as expected


def record_submission(participant: Participant, sent: SentScreen) -> Receipt:
    """Store one screen's answers. Sending the same submission again changes nothing.

    Raises
    ------
    InvalidAnswer : the campaign's instruments do not allow the answers; nothing is stored
    KeyReused : the key was used for other answers
    TooManySubmissions : the sitting has sent hundreds of screens within a minute; send it again
    """
    if not is_past_the_gate(participant, frozen_definition(participant.campaign).definition):
        raise InvalidAnswer([Problem("", _("Please finish the practice first."))])
    try:
        with transaction.atomic():
            shown, receipt = store_submission(participant, sent)
    except IntegrityError:
        # The slot's lock orders one sitting; a key that came for two at once is detected only
        # here. Now the first one is stored, and the second is answered as any other repetition.
        with transaction.atomic():
            shown, receipt = store_submission(participant, sent)
    if receipt.ends_the_work:
        # Not in the same transaction: ending a visit locks the rater first and then the slot.
        end_work(participant, Outcome.TOO_FAST)
    elif receipt.is_new and not receipt.surplus and check_rules.has_rules(participant):
        receipt = _decided_by_rules(participant, shown, receipt)
    if participant.state == Participant.State.SCREENED_OUT:
        # Also for what a browser sends that has never had the answer which ended the work.
        receipt = replace(receipt, ends_the_work=True)
    if receipt.late or receipt.surplus or receipt.ends_the_work:
        return receipt
    # Also for a repetition: the browser may never have had the first answer.
    again = may_try_again(shown.assignment, shown.trial_id, sent.screen, revision=receipt.revision)
    return replace(receipt, try_again=again)


def _decided_by_rules(participant: Participant, shown: ShownScreen, receipt: Receipt) -> Receipt:
    """Let the campaign's rules decide after every page, so that the time it takes tells nothing.

    A rater who is excluded in the middle of a batch need not finish it. A rater who has finished
    it gets the usual code: the work was done, and the organiser decides about it.
    """
    is_final = is_answered(shown.assignment)
    is_excluded = check_rules.decide(participant, is_final=is_final)
    if not is_excluded or is_final:
        return receipt
    end_work(participant, Outcome.FAILED_CHECKS)
    return replace(receipt, ends_the_work=True)


def store_submission(participant: Participant, sent: SentScreen) -> tuple[ShownScreen, Receipt]:
    shown = shown_screen(participant, sent)
    replayed = next((found for found in shown.earlier if found.key == sent.key), None)
    others = (found for found in shown.of_this_screen if found.key != sent.key)
    other_counts = any(not found.surplus for found in others)
    if replayed is not None:
        # A row without a salt has all that was sent in its payload.
        salt = shown.salt_of_this_key
        again = _kept_screen(shown, salt) if salt else KeptScreen(sent.payload)
        receipt = replay(replayed, again.digest)
        return shown, replace(receipt, answered_elsewhere=receipt.surplus and other_counts)
    refuse_by_rules(shown)
    submission = store_screen(shown, _kept_screen(shown, new_salt()))
    if submission.late:
        settle_late(shown.assignment)
    else:
        _renew(shown)
    receipt = Receipt(
        sent.key,
        submission.revision,
        submission.late,
        submission.surplus,
        is_new=True,
        answered_elsewhere=submission.surplus and other_counts,
        ends_the_work=_ends_the_work(submission, shown.definition.crowd, participant),
    )
    return shown, receipt


def _kept_screen(shown: ShownScreen, salt: str) -> KeptScreen:
    return kept_screen(shown.sent.document, shown.definition.personal_texts, salt)


def _ends_the_work(submission: Submission, crowd: Crowd, participant: Participant) -> bool:
    """Whether this was faster than the campaign allows; a second browser cannot end the work."""
    is_own = not (submission.late or submission.surplus or participant.is_second_browser)
    return is_own and crowd.too_fast == "end" and FAST in submission.flags


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


def replay(found: Submission, digest: str) -> Receipt:
    if found.payload_sha256 != digest:
        raise KeyReused(found.key, "This key was already used for other answers.")
    return Receipt(found.key, found.revision, found.late, found.surplus, is_new=False)


# A submission with its words, its trace and its judgements, of which a check has none: what was
# answered to it is in the payload alone. The same statement for every screen, so that checks take
# no less time.
STORE = """
    WITH stored AS (
        INSERT INTO rankme_submission (key, assignment_id, version, trial_id, screen, revision,
            late, surplus, payload, payload_sha256, chain_sha256, flags)
        VALUES (%(key)s, %(assignment)s, %(version)s, %(trial)s, %(screen)s, %(revision)s,
            %(late)s, %(surplus)s, %(payload)s, %(digest)s, %(chain)s, %(flags)s)
        RETURNING id
    ), worded AS (
        INSERT INTO rankme_submissionwords (submission_id, salt, words)
        SELECT id, %(salt)s::text, %(words)s::jsonb FROM stored WHERE %(salt)s::text <> ''
    ), traced AS (
        INSERT INTO rankme_screentrace (submission_id, summary)
        SELECT id, %(trace)s::jsonb FROM stored WHERE %(trace)s::jsonb IS NOT NULL
    ), judged AS (
        INSERT INTO rankme_judgement (submission_id, criterion_id, output_id, position, value,
            text, time_ms, cannot_judge)
        SELECT stored.id, given.* FROM stored, unnest(%(criteria)s::bigint[],
            %(outputs)s::bigint[], %(positions)s::smallint[], %(values)s::double precision[],
            %(texts)s::text[], %(times)s::double precision[], %(reasons)s::text[]) AS given
    )
    SELECT id FROM stored
"""


def store_screen(shown: ShownScreen, screen: KeptScreen) -> Submission:
    """Store the screen, its words, its trace and its judgements, in one statement."""
    submission = _submission(shown, screen.digest)
    trace = shown.sent.trace if shown.definition.crowd.traces else None
    readings = [] if shown.material.is_check else _readings_to_keep(shown, screen)
    judged = judgements_in(submission, readings, shown.frozen, shown.outputs)
    values: dict[str, Any] = {
        "key": submission.key,
        "assignment": submission.assignment_id,
        "version": submission.version,
        "trial": submission.trial_id,
        "screen": submission.screen,
        "revision": submission.revision,
        "late": submission.late,
        "surplus": submission.surplus,
        "payload": screen.payload.decode(),
        "digest": submission.payload_sha256,
        "salt": screen.salt,
        "words": json.dumps(screen.words),
        "trace": None if trace is None else json.dumps(trace),
        "chain": submission.chain_sha256,
        "flags": json.dumps(submission.flags),
        "criteria": [judgement.criterion_id for judgement in judged],
        "outputs": [judgement.output_id for judgement in judged],
        "positions": [judgement.position for judgement in judged],
        "values": [judgement.value for judgement in judged],
        "texts": [judgement.text for judgement in judged],
        "times": [judgement.time_ms for judgement in judged],
        "reasons": [judgement.cannot_judge for judgement in judged],
    }
    with kept(STORE, values) as cursor:
        (submission.pk,) = cursor.fetchone()
    return submission


def _readings_to_keep(shown: ShownScreen, screen: KeptScreen) -> list[Reading]:
    """The readings without the words that are kept apart, as `verify` will read them again."""
    if all(word["at"] == ["comment"] for word in screen.words):
        return shown.readings
    answers = json.loads(screen.payload)["answers"]
    return shown.material.read(
        shown.definition, shown.sent.screen, answers, texts=shown.texts(), without_words=True
    )


def _submission(shown: ShownScreen, digest: str) -> Submission:
    same_screen = shown.of_this_screen
    mine = [found for found in shown.earlier if found.assignment_id == shown.assignment.pk]
    standing = next((found for found in reversed(same_screen) if not found.surplus), None)
    is_second = shown.is_second_browser
    # The rater's own browser replaces what a second one said, even in a finished sitting; a second
    # browser replaces none of their answers.
    displaces = standing is not None and SECOND_BROWSER in standing.flags and not is_second
    may_change = standing is None or not is_second or SECOND_BROWSER in standing.flags
    changed_on_purpose = standing is None or shown.sent.replaces == str(standing.key)
    has_ended = shown.assignment.state == Assignment.State.COMPLETED
    stands = displaces or (changed_on_purpose and may_change and not has_ended)
    before = max(mine, key=lambda found: found.pk).chain_sha256 if mine else ""
    return Submission(
        key=shown.sent.key,
        assignment=shown.assignment,
        version=shown.assignment.version,
        trial_id=shown.trial_id,
        screen=shown.sent.screen,
        revision=1 + max((found.revision for found in same_screen), default=0),
        late=_is_late(shown.assignment),
        surplus=not stands,
        payload_sha256=digest,
        chain_sha256=chained(before, digest),
        flags=[*_flags(shown), *([SECOND_BROWSER] if is_second else [])],
    )


def _is_late(assignment: Assignment) -> bool:
    """Whether the hold, or the whole collection, had ended when this came."""
    collecting = (Campaign.State.RUNNING, Campaign.State.PAUSED)
    ended = assignment.state not in (HELD, Assignment.State.COMPLETED)
    return ended or assignment.campaign.state not in collecting


def _flags(shown: ShownScreen) -> list[str]:
    times, crowd = shown.sent.times, shown.definition.crowd
    flags = speed_flags(
        times,
        shown.sitting,
        least_seconds=crowd.least_seconds_per_screen,
        last_answer=max((reading.time_ms or 0 for reading in shown.readings), default=0) / 1000,
    )
    # A response that came before anybody could have seen the stimulus. The page notes such a press
    # and waits for another; other clients may send it as the response.
    if times.was_early or any(reading.is_anticipated for reading in shown.readings):
        flags.append(gettext_noop("anticipation"))
    if times.has_failed_file:
        flags.append(gettext_noop("a file did not load"))
    if crowd.devices == "desktop" and times.was_touched:
        flags.append(gettext_noop("touch screen"))
    return flags


def judgements_in(
    submission: Submission,
    readings: list[Reading],
    frozen: FrozenDefinition,
    outputs: list[int],
) -> list[Judgement]:
    """Build a screen's judgements without storing them; `outputs` are in the rater's order."""
    return [
        Judgement(
            submission=submission,
            criterion_id=frozen.criteria[reading.criterion],
            output_id=None if reading.position is None else outputs[reading.position],
            position=reading.position,
            value=reading.number,
            text=reading.text,
            time_ms=reading.time_ms,
            cannot_judge=reading.cannot_judge,
        )
        for reading in readings
    ]


def _renew(shown: ShownScreen) -> None:
    """Work renews the lease, at most once a minute: a rater who answers keeps the batch.

    The newest version says for how long: it may give raters more time than they began with.
    """
    definition = frozen_definition(shown.assignment.campaign).definition
    if shown.lease_left.total_seconds() < definition.crowd.lease_minutes * 60 - 60:
        Assignment.objects.filter(pk=shown.assignment.pk).update(leased_until=lease_end(definition))
