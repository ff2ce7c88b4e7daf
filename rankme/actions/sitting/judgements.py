"""Storing what raters say: each screen once, under the key that its browser made."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import IntegrityError, connection, transaction
from django.db.models import BigIntegerField
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import rate_limits
from rankme.actions.rows.payload_hashes import canonical, chained
from rankme.actions.rows.speed_flags import FAST, speed_flags
from rankme.errors import InvalidAnswer, KeyReused, Problem, TooManySubmissions
from rankme.models import (
    Assignment,
    Campaign,
    Judgement,
    Output,
    Participant,
    QuarantinedPayload,
    Submission,
    Trial,
)
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.answers import Reading
from rankme.protocols.crowd import Crowd
from rankme.protocols.definition import Definition
from rankme.protocols.option_order import option_orders, order_problems
from rankme.protocols.sent_screen import SentScreen
from rankme.queries.check_answers import may_try_again
from rankme.queries.definitions import (
    FrozenDefinition,
    definition_of_sitting,
    frozen_definition,
)
from rankme.queries.documents import is_last_segment
from rankme.queries.trial_material import TrialMaterial, material_of

from . import check_rules
from .assignments import HELD, is_answered, lease_end, option_seed, settle_late
from .participation import end_work
from .played_files import failed_to_load, refuse_unplayed
from .practice import is_past_the_gate
from .sent_screens import LARGEST_SCREEN, LocatedScreen, located_screen, refuse_floods, refuse_long
from .suggestions import refuse_invented

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    ShownTrial = WithAnnotations[Trial, "OutputIds"]

SECOND_BROWSER = gettext_noop("second browser")
LARGEST_PAYLOAD = 200_000  # bytes that are read at all
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
            receipt = store_submission(participant, sent)
    except IntegrityError:
        # The slot's lock orders one sitting; a key that came for two at once is detected only
        # here. Now the first one is stored, and the second is answered as any other repetition.
        with transaction.atomic():
            receipt = store_submission(participant, sent)
    if receipt.ends_the_work:
        # Not in the same transaction: ending a visit locks the rater first and then the slot.
        end_work(participant, Outcome.TOO_FAST)
    elif receipt.is_new and not receipt.surplus and check_rules.has_rules(participant):
        receipt = _decided_by_rules(participant, sent, receipt)
    if participant.state == Participant.State.SCREENED_OUT:
        # Also for what a browser sends that has never had the answer which ended the work.
        receipt = replace(receipt, ends_the_work=True)
    if receipt.late or receipt.surplus or receipt.ends_the_work:
        return receipt
    # Also for a repetition: the browser may never have had the first answer.
    again = may_try_again(participant.campaign, sent, revision=receipt.revision)
    return replace(receipt, try_again=again)


def _decided_by_rules(participant: Participant, sent: SentScreen, receipt: Receipt) -> Receipt:
    """Let the campaign's rules decide after every page, so that the time it takes tells nothing.

    A rater who is excluded in the middle of a batch need not finish it. A rater who has finished
    it gets the usual code: the work was done, and the organiser decides about it.
    """
    is_final = is_answered(Assignment.objects.select_related("campaign").get(pk=sent.assignment))
    is_excluded = check_rules.decide(participant, is_final=is_final)
    if not is_excluded or is_final:
        return receipt
    end_work(participant, Outcome.FAILED_CHECKS)
    return replace(receipt, ends_the_work=True)


def store_submission(participant: Participant, sent: SentScreen) -> Receipt:
    located = located_screen(participant, sent)
    digest = hashlib.sha256(canonical(sent.document)).hexdigest()
    replayed = next((found for found in located.earlier if found.key == sent.key), None)
    other_counts = any(
        found.key != sent.key and not found.surplus for found in located.of_this_screen
    )
    if replayed is not None:
        receipt = replay(replayed, digest)
        return replace(receipt, answered_elsewhere=receipt.surplus and other_counts)
    refuse_floods(located, share=SHARE_OF_A_SECOND_BROWSER if participant.is_second_browser else 1)
    frozen = definition_of_sitting(located.assignment)
    trial = _trial(located.trial_id)
    material = material_of(trial)
    refuse_long(frozen, material, sent)
    readings = _read(frozen, material, trial, located)
    # A check has texts of its own, and no outputs of the plan.
    outputs = [] if material.is_check else _outputs_in(trial, located.order)
    shown = [*located.order] if material.is_check else outputs
    refuse_invented(frozen.definition, sent.screen, sent.answers, trial=trial, outputs=shown)
    _refuse_repeated_texts(located.assignment, trial, readings, frozen)
    if not material.is_check:
        refuse_unplayed(frozen.definition.screens[sent.screen], sent, trial, outputs)
    flags = _flags(located, readings, frozen.definition.crowd)
    submission = _insert(located, digest, flags, is_second_browser=participant.is_second_browser)
    if material.is_check:  # what was answered to a check is in the payload alone
        _insert_no_judgement()
    else:
        insert_judgements(submission, readings, frozen, outputs)
    if submission.late:
        settle_late(located.assignment)
    else:
        _renew(located)
    return Receipt(
        sent.key,
        submission.revision,
        submission.late,
        submission.surplus,
        is_new=True,
        answered_elsewhere=submission.surplus and other_counts,
        ends_the_work=_ends_the_work(submission, frozen.definition.crowd, participant),
    )


def _ends_the_work(submission: Submission, crowd: Crowd, participant: Participant) -> bool:
    """Whether this was faster than the campaign allows; a second browser ends nobody's work."""
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
        raise KeyReused("This key was already used for other answers.")
    return Receipt(found.key, found.revision, found.late, found.surplus, is_new=False)


class OutputIds(TypedDict):
    output_ids: list[int]


# Written out, because Django takes longer to write an aggregate of a join than all the rest.
IN_ORDER = """ARRAY(
    SELECT output_id FROM rankme_trialoutput WHERE trial_id = rankme_trial.id ORDER BY position
)"""


def _trial(trial_id: int) -> ShownTrial:
    in_order = RawSQL(IN_ORDER, [], ArrayField(BigIntegerField()))
    trials = Trial.objects.select_related("item", "as_check").annotate(output_ids=in_order)
    return trials.get(pk=trial_id)


def _read(
    frozen: FrozenDefinition, material: TrialMaterial, trial: ShownTrial, located: LocatedScreen
) -> list[Reading]:
    sent = located.sent
    if sent.screen >= len(frozen.definition.screens):
        raise InvalidAnswer([Problem("screen", "is not in this campaign")])
    is_closing = frozen.definition.screens[sent.screen].scope == "document"
    if is_closing and not is_last_segment(trial):
        raise InvalidAnswer([Problem("screen", "is asked after the last segment of a document")])
    texts = _texts(frozen, trial, located)
    if material.is_check:
        texts = material.own_texts_in(located.order)
    readings = material.read(frozen.definition, sent.screen, sent.answers, texts=texts)
    _refuse_other_orders(frozen.definition, located)
    return readings


def _refuse_other_orders(definition: Definition, located: LocatedScreen) -> None:
    """Refuse answers to choices in another order than the one that was drawn for this rater."""
    asked = definition.questions(located.sent.screen)
    shown = option_orders(asked, option_seed(located.assignment, located.trial_id))
    if problems := order_problems(located.sent.answers, shown):
        raise InvalidAnswer(problems)


def _outputs_in(trial: ShownTrial, order: list[int]) -> list[int]:
    """The ids of the outputs as the rater sees them; none for a trial without outputs."""
    return [trial.output_ids[position] for position in order]


def _texts(frozen: FrozenDefinition, trial: ShownTrial, located: LocatedScreen) -> list[str]:
    """The outputs as the rater sees them; most instruments need none, and no query.

    A check has none of the plan, and still costs the query.
    """
    asked = frozen.definition.questions(located.sent.screen)
    if not any(criterion.tool.reads_outputs for criterion in asked):
        return []
    shown = _outputs_in(trial, located.order) if trial.output_ids else []
    rows = Output.objects.filter(pk__in=shown or [0]).values_list("pk", "text")
    texts = dict(rows)
    return [texts[output] for output in shown]


def _refuse_repeated_texts(
    assignment: Assignment, trial: ShownTrial, readings: list[Reading], frozen: FrozenDefinition
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
        and reading.cannot_judge is None
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
    located: LocatedScreen, digest: str, flags: list[str], *, is_second_browser: bool
) -> Submission:
    same_screen = located.of_this_screen
    mine = [found for found in located.earlier if found.assignment_id == located.assignment.pk]
    standing = next((found for found in reversed(same_screen) if not found.surplus), None)
    # The rater's own browser replaces what a second one said, even in a finished sitting; a second
    # browser replaces none of their answers.
    displaces = standing is not None and SECOND_BROWSER in standing.flags and not is_second_browser
    may_change = standing is None or not is_second_browser or SECOND_BROWSER in standing.flags
    changed_on_purpose = standing is None or located.sent.replaces == str(standing.key)
    has_ended = located.assignment.state == Assignment.State.COMPLETED
    stands = displaces or (changed_on_purpose and may_change and not has_ended)
    before = max(mine, key=lambda found: found.pk).chain_sha256 if mine else ""
    return Submission.objects.create(
        key=located.sent.key,
        assignment=located.assignment,
        version=located.assignment.version,
        trial_id=located.trial_id,
        screen=located.sent.screen,
        revision=1 + max((found.revision for found in same_screen), default=0),
        late=_is_late(located.assignment),
        surplus=not stands,
        payload=located.sent.document,
        payload_sha256=digest,
        chain_sha256=chained(before, digest),
        flags=[*flags, *([SECOND_BROWSER] if is_second_browser else [])],
    )


def _is_late(assignment: Assignment) -> bool:
    """Whether the hold, or the whole collection, had ended when this came."""
    collecting = (Campaign.State.RUNNING, Campaign.State.PAUSED)
    ended = assignment.state not in (HELD, Assignment.State.COMPLETED)
    return ended or assignment.campaign.state not in collecting


def _flags(located: LocatedScreen, readings: list[Reading], crowd: Crowd) -> list[str]:
    times = located.sent.times
    flags = speed_flags(
        times,
        located.sitting,
        least_seconds=crowd.least_seconds_per_screen,
        last_answer=max((reading.time_ms or 0 for reading in readings), default=0) / 1000,
    )
    # A response that came before anybody could have seen the stimulus. The page notes such a press
    # and waits for another; other clients may send it as the response.
    if times.was_early or any(reading.is_anticipated for reading in readings):
        flags.append(gettext_noop("anticipation"))
    if failed_to_load(located.sent):
        flags.append(gettext_noop("a file did not load"))
    if crowd.devices == "desktop" and times.was_touched:
        flags.append(gettext_noop("touch screen"))
    return flags


def insert_judgements(
    submission: Submission,
    readings: list[Reading],
    frozen: FrozenDefinition,
    outputs: list[int],
) -> None:
    Judgement.objects.bulk_create(judgements_in(submission, readings, frozen, outputs))


def _insert_no_judgement() -> None:
    """Insert no rows with a statement as long as any other: checks take no less time."""
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO rankme_judgement (submission_id, criterion_id, value, text)"
            " SELECT submission_id, criterion_id, value, text FROM rankme_judgement WHERE FALSE"
        )


def judgements_in(
    submission: Submission,
    readings: list[Reading],
    frozen: FrozenDefinition,
    outputs: list[int],
) -> list[Judgement]:
    """What a screen says, as rows that are not stored yet; `outputs` are in the rater's order."""
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


def _renew(located: LocatedScreen) -> None:
    """Work renews the lease, at most once a minute: a rater who answers keeps the batch.

    The newest version says for how long: it may give raters more time than they began with.
    """
    definition = frozen_definition(located.assignment.campaign).definition
    if located.lease_left.total_seconds() < definition.crowd.lease_minutes * 60 - 60:
        Assignment.objects.filter(pk=located.assignment.pk).update(
            leased_until=lease_end(definition)
        )
