"""A rater's visit from the first page to the completion code: consent, entry answers, the end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.crypto import get_random_string, salted_hmac
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Assignment, Campaign, Participant, Submission
from rankme.panel_links import PANELS
from rankme.panel_links.outcomes import ENDED_BY_RULES, FINISHED, Outcome
from rankme.protocols.crowd import Crowd
from rankme.protocols.definition import Definition
from rankme.protocols.questions import names_asked
from rankme.queries.definitions import frozen_definition
from rankme.queries.sql import columns_of, kept, objects_of
from rankme.queries.watching.limited_places import limited_places
from rankme.untrusted.clean_text import storable

from .assignments import (
    current_batch,
    has_lost_place,
    let_count,
    lock_work,
    read_sittings,
    return_batch,
    screens_of,
    standing,
)
from .credits import note_credit

LONGEST_COMMENT = 10_000
COMPLETED = Assignment.State.COMPLETED
HAVE_ENDED = (Participant.State.COMPLETED, Participant.State.SCREENED_OUT)


def new_label() -> str:
    """Draw the label of a rater in exports and reports; nothing leads from a panel's id to it."""
    return f"r{get_random_string(10, '0123456789abcdef')}"


def keyed_label(campaign: Campaign, panel: str, external_id: str, *, digits: int = 10) -> str:
    """The label of a rater whose name a file of judgements has: the same for the same name."""
    keyed = salted_hmac("rankme.rater", f"{campaign.pk}:{panel}:{external_id}")
    return f"r{keyed.hexdigest()[:digits]}"


# The same person is the same row, with the newest session. Any other conflict is an error.
ENTER = f"""
    INSERT INTO rankme_participant AS rater (campaign_id, panel, external_id, session_id, study_id,
        label, state, language, entry_answers, version, completion_code, comment)
    VALUES (%(campaign)s, %(panel)s, %(external_id)s, %(session_id)s, %(study_id)s,
        %(label)s, 'arrived', %(language)s, '{{}}', %(version)s, '', '')
    ON CONFLICT (campaign_id, panel, external_id) DO UPDATE
        SET session_id = COALESCE(NULLIF(EXCLUDED.session_id, ''), rater.session_id)
    RETURNING {columns_of(Participant, "rater")}
"""


def enter(
    campaign: Campaign,
    *,
    panel: str,
    external_id: str,
    session_id: str = "",
    study_id: str = "",
    language: str = "",
) -> Participant:
    """Find or make the participant behind a panel's id, in one statement."""
    values = {
        "campaign": campaign.pk,
        "panel": panel,
        "external_id": external_id,
        "session_id": session_id,
        "study_id": study_id,
        "label": new_label(),
        "language": language,
        "version": campaign.version,
    }
    participant = objects_of(Participant, ENTER, values)[0]
    participant.campaign = campaign
    return participant


CONSENT = """
    UPDATE rankme_participant SET consented_at = statement_timestamp(), state = 'working',
        browser = %(browser)s, version = %(version)s, consent_version = %(version)s,
        ticked = %(ticked)s
    WHERE id = %(rater)s AND consented_at IS NULL
    RETURNING consented_at, state, browser, version, consent_version
"""
INSTRUCTED = """
    UPDATE rankme_participant SET instructed_at = statement_timestamp(), version = %(version)s
    WHERE id = %(rater)s AND (instructed_at IS NULL OR version < %(version)s)
    RETURNING instructed_at, version
"""


def give_consent(
    participant: Participant,
    *,
    browser: str = "",
    version: int | None = None,
    ticked: Sequence[str] = (),
) -> None:
    """Admit a participant; `browser` names the browser in which they agreed, `version` to what.

    `ticked` are the statements that they ticked, all that the campaign asks for. If two browsers
    agree in one rater's name, the first one is the rater's.
    """
    values = {
        "rater": participant.pk,
        "browser": browser,
        "version": participant.campaign.version if version is None else version,
        "ticked": json.dumps(list(ticked)),
    }
    _change(participant, CONSENT, values)


def _change(participant: Participant, statement: str, values: dict[str, Any]) -> None:
    """Change a rater's row, unless it was changed so before; bring the object up to date."""
    with kept(statement, values) as cursor:
        names = [column.name for column in cursor.description]
        row = cursor.fetchone()
    if row is None:
        participant.refresh_from_db(fields=names)
    else:
        for name, value in zip(names, row, strict=True):
            setattr(participant, name, value)


def count_refusal(campaign: Campaign) -> None:
    """Somebody declined: only the number of such people is stored."""
    Campaign.objects.filter(pk=campaign.pk).update(refusals=F("refusals") + 1)


def note_second_browser(participant: Participant) -> None:
    """Remember when a browser first brought the panel's id and nothing that proves more."""
    Participant.objects.filter(pk=participant.pk, second_browser_at=None).update(
        second_browser_at=Now()
    )


@transaction.atomic
def end_access(participant: Participant, *, by: User) -> None:
    """End every cookie and personal link of a rater; their work stays."""
    Participant.objects.filter(pk=participant.pk).update(generation=F("generation") + 1)
    note(participant.campaign, by, gettext_noop("rater's access ended"), rater=participant.label)


def is_admitted(definition: Definition, answers: dict[str, str]) -> bool:
    """Whether none of these answers to the entry questions ends the visit; a question that was not
    asked does not.
    """
    asked = names_asked(definition.entry_questions, answers)
    return all(
        not question.accept
        or question.name not in asked
        or answers.get(question.name) in question.accept
        for question in definition.entry_questions
    )


def ended_by(participant: Participant, answers: dict[str, str]) -> Outcome | None:
    """How these answers to the entry questions end the visit; None if it goes on."""
    definition = frozen_definition(participant.campaign).definition
    if not is_admitted(definition, answers):
        return Outcome.SCREENED_OUT
    full = any(place.is_full for place in limited_places(participant.campaign, answers))
    return Outcome.QUOTA_FULL if full else None


@transaction.atomic
def answer_entry_questions(participant: Participant, answers: dict[str, str]) -> bool:
    """Store the entry form; False when an answer ends the visit.

    Where answers have limits, one rater of the campaign is let in at a time.
    """
    campaign = participant.campaign
    if any(question.most for question in frozen_definition(campaign).definition.entry_questions):
        Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    outcome = ended_by(participant, answers)
    ending = {} if outcome is None else _ended_by(outcome, participant)
    Participant.objects.filter(pk=participant.pk, entered_at=None).update(
        entry_answers=answers,
        entered_at=Now(),
        **({"state": Participant.State.WORKING} | ending),
    )
    return outcome is None


def answer_end_questions(participant: Participant, answers: dict[str, str]) -> None:
    """Store the answers at the end; none of them for a rater who skipped the questions."""
    Participant.objects.filter(
        pk=participant.pk, state=Participant.State.COMPLETED, end_answered_at=None
    ).update(end_answers=answers, end_answered_at=Now())


@transaction.atomic
def erase_answers(participant: Participant, *, by: User) -> None:
    """Forget what a rater said about themselves before the work and at its end."""
    Participant.objects.filter(pk=participant.pk).update(entry_answers={}, end_answers={})
    note(participant.campaign, by, gettext_noop("rater's answers erased"), rater=participant.label)


def _ended_by(outcome: Outcome, participant: Participant) -> dict[str, str]:
    """The columns of a visit that the campaign's rules have ended."""
    return {
        "state": Participant.State.SCREENED_OUT,
        "outcome": outcome,
        "completion_code": _code_for(participant, outcome),
    }


def mark_instructed(participant: Participant, *, version: int | None = None) -> None:
    """Note that a participant has read the instructions of a version."""
    version = participant.campaign.version if version is None else version
    _change(participant, INSTRUCTED, {"rater": participant.pk, "version": version})


def must_read_again(participant: Participant) -> bool:
    """Whether the instructions have changed since this rater read them, and come before new work.

    A rater in the middle of a batch finishes it under the version with which it began.
    """
    campaign = participant.campaign
    if participant.version == campaign.version or not campaign.is_running:
        return False
    read = frozen_definition(campaign, participant.version).definition.texts.instructions
    if read == frozen_definition(campaign).definition.texts.instructions:
        return False
    return current_batch(participant) is None


def mark_practised(participant: Participant) -> None:
    Participant.objects.filter(pk=participant.pk, practised_at=None).update(practised_at=Now())


@transaction.atomic
def give_back(participant: Participant) -> Participant:
    """The rater stops: the batch is free for others, the answers stay, and the visit ends. A rater
    who has finished another batch gets the code for that. Otherwise the outcome is partial work or
    none; `go_on_after_all` undoes it.
    """
    participant = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if participant.state != Participant.State.WORKING:
        return participant
    held = participant.assignments.live().first()
    if held is not None:
        return_batch(held)
    if participant.assignments.filter(state=COMPLETED).exists():
        return complete_participation(participant)
    has_answered = Submission.objects.filter(assignment__participant=participant).exists()
    participant.state = Participant.State.RETURNED
    participant.outcome = Outcome.RETURNED if has_answered else ""
    participant.completion_code = _code_for(participant, Outcome.RETURNED) if has_answered else ""
    participant.save(update_fields=["state", "outcome", "completion_code"])
    return participant


@transaction.atomic
def end_work(participant: Participant, outcome: Outcome) -> Participant:
    """The campaign's rules end the visit: the batch is free for others, and the answers stay. A
    rater who has finished another batch gets the code for that, others get the outcome's own.
    """
    if outcome not in ENDED_BY_RULES:
        raise ValueError(f"{outcome} does not end a rater's work")
    participant = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    if participant.state != Participant.State.WORKING:
        return participant
    for held in participant.assignments.live():
        return_batch(held)
    if participant.assignments.filter(state=COMPLETED).exists():
        return complete_participation(participant)
    for column, value in _ended_by(outcome, participant).items():
        setattr(participant, column, value)
    participant.save(update_fields=["state", "outcome", "completion_code"])
    return participant


@transaction.atomic
def go_on_after_all(participant: Participant) -> None:
    """Undo that the rater stopped: a batch that was begun continues if it is still possible. A
    place that the panel has given away is lost.
    """
    if has_lost_place(participant):
        return
    Participant.objects.filter(
        pk=participant.pk, state=Participant.State.RETURNED, withdrawn_at=None
    ).update(state=Participant.State.WORKING, outcome="", completion_code="")


# The end of a sitting, if one ends, what becomes of its slot, and the end of the visit, if it ends.
FINISH = """
    WITH ended AS (
        UPDATE rankme_assignment SET state = 'completed', ended_at = statement_timestamp()
        WHERE id = %(sitting)s
    ), settled AS (
        UPDATE rankme_slot SET state = %(slot_state)s
        WHERE id = %(slot)s AND state <> %(slot_state)s
    )
    UPDATE rankme_participant SET state = 'completed', outcome = %(outcome)s,
        completion_code = %(code)s, completed_at = statement_timestamp()
    WHERE id = %(rater)s AND %(outcome)s <> ''
    RETURNING state, outcome, completion_code, completed_at
"""


@transaction.atomic
def finish_work(participant: Participant) -> Participant:
    """End the batch that a rater works on, and the visit with the last one.

    Doing it twice changes nothing, nor does doing it without a batch. The batch may be one that
    they lost and have answered nevertheless.

    Raises
    ------
    RefusedAction : screens of the batch have no answers yet
    """
    rater, slot = lock_work(participant)
    sittings = read_sittings(slot=slot, rater=rater.pk)
    mine = [found for found in sittings if found.participant_id == rater.pk]
    enough = frozen_definition(rater.campaign).definition.crowd.batches_per_rater
    current = _worked_on(rater, slot, mine, enough=enough)
    slot_state = ""
    if current is not None:
        _refuse_unanswered(current)
        current.state = COMPLETED
        others = [found for found in sittings if found.slot_id == slot and found is not current]
        winner, slot_state = standing([*others, current])
        let_count(winner)
    is_over = rater.state not in HAVE_ENDED and 0 < enough <= len(_finished(mine))
    if current is not None or is_over:
        _store_end(rater, current, slot_state, outcome=_outcome(mine) if is_over else "")
    return rater


def _worked_on(rater: Participant, slot: int | None, mine: list[Any], *, enough: int) -> Any:
    """The sitting that the rater ends; None if it is not the one whose slot is locked."""
    current = next((found for found in mine if found.slot_id == slot), None)
    if current is None or current.state == COMPLETED:
        return None
    # What was lost is finished late, in parallel with its new holder, as long as it is wanted.
    is_wanted = rater.state == Participant.State.WORKING and len(_finished(mine)) < enough
    if current.state != Assignment.State.HELD and not (is_wanted and current.screens_answered):
        return None
    current.campaign = rater.campaign
    return current


def _refuse_unanswered(sitting: Any) -> None:
    missing = screens_of(sitting) - sitting.screens_answered
    if missing:
        raise RefusedAction(
            ngettext(
                "%(screens)s screen has no answer yet.",
                "%(screens)s screens have no answers yet.",
                missing,
            )
            % {"screens": missing}
        )


def _finished(mine: list[Any]) -> list[Any]:
    return [found for found in mine if found.state == COMPLETED]


@transaction.atomic
def complete_participation(participant: Participant) -> Participant:
    """Give the completion code to a rater who has finished a batch and holds none.

    A visit that the campaign's rules have ended stays ended, whatever its browser sends.
    """
    campaign = participant.campaign
    participant = Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
    participant.campaign = campaign
    if participant.state in HAVE_ENDED:
        return participant
    mine = read_sittings(rater=participant.pk)
    if any(found.state == Assignment.State.HELD for found in mine):
        raise RefusedAction(_("Finish your current batch first."))
    if not _finished(mine):
        raise RefusedAction(_("No batch has been finished yet."))
    _store_end(participant, None, "", outcome=_outcome(mine))
    return participant


def _outcome(mine: list[Any]) -> Outcome:
    """In time if any finished batch counts, or was answered while the rater held it."""
    in_time = any(found.counts or not found.has_late for found in _finished(mine))
    return Outcome.COMPLETED if in_time else Outcome.LATE


def _store_end(rater: Participant, sitting: Any, slot_state: str, *, outcome: str) -> None:
    """End a sitting, a visit (it has an outcome), or both; bring the rater up to date."""
    values = {
        "sitting": sitting and sitting.pk,
        "slot": sitting and sitting.slot_id,
        "slot_state": slot_state,
        "rater": rater.pk,
        "outcome": outcome,
        "code": _code_for(rater, Outcome(outcome)) if outcome else "",
    }
    with kept(FINISH, values) as cursor:
        ended = cursor.fetchone()
    if ended is not None:
        rater.state, rater.outcome, rater.completion_code, rater.completed_at = ended
        note_credit(rater)


def _code_for(participant: Participant, outcome: Outcome) -> str:
    """The organiser's code for this outcome, or a generated one for work. Because a platform does
    not know generated codes, partial work has none there; people whom the platform did not send
    always get one, for which it does not pay.
    """
    crowd = frozen_definition(participant.campaign).definition.crowd
    if code := crowd.code_for(outcome, arrived_by=participant.panel):
        return code
    is_sent = PANELS[crowd.panel].is_platform and participant.panel == crowd.panel
    if is_sent and outcome in FINISHED and (code := _shared_code(participant, crowd)):
        return code
    if outcome in FINISHED or (outcome == Outcome.RETURNED and not is_sent):
        return get_random_string(22)  # 22 of 62 characters: 131 bits
    return ""


def _shared_code(participant: Participant, crowd: Crowd) -> str:
    """The code that the rater's panel computes too; empty if it has none or an id is missing."""
    panel, secret = PANELS[crowd.panel], settings.CODE_SECRETS.get(crowd.panel, "")
    if panel.shared_code is None or not secret:
        return ""
    ids = {
        "id": participant.external_id,
        "session": participant.session_id,
        "study": participant.study_id,
    }
    return panel.shared_code(secret, ids, crowd.session_parameter or panel.session_parameter)


def leave_comment(participant: Participant, comment: str) -> None:
    """Keep what a rater wants to say about the whole; writing again replaces it."""
    if not storable(comment):
        raise RefusedAction(_("The comment contains a character that cannot be stored."))
    Participant.objects.filter(pk=participant.pk).update(comment=comment.strip()[:LONGEST_COMMENT])
