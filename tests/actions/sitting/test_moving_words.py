"""Words inside old payloads are moved out of the record, from where they can be erased."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from rankme.actions.sitting import erasing, moving_words
from rankme.actions.sitting.withdrawing import withdraw
from rankme.errors import RefusedAction
from rankme.exporting.anchor import anchor_of
from rankme.models import (
    AuditEvent,
    Campaign,
    Judgement,
    Participant,
    Submission,
    SubmissionWords,
    WordsEpoch,
)
from rankme.protocols.exchange.payload_hashes import canonical, chained
from rankme.queries.watching.own_words import payload_as_sent, text_with_words, words_of
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.world import published_run
from tests.searching import places_of_all
from tests.sittings import answer, claim, store
from tests.verification.forging import past_all_rules

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("the_record_holds", "own_uploads"),
]
COMMENT = "my flat in Waldemarstrasse is cold"
NOTE = "my grandmother spelt it so"
MARK = {"id": 7, "start": 0, "end": 4, "text": "Text", "note": NOTE}


def commented() -> Campaign:
    """Two raters with comments, one without, in sittings that go on."""
    campaign = make_campaign(
        slider_definition(
            raters_per_trial=3,
            screens=[{"name": "rate", "show": ["outputs"], "ask": ["fluency"], "comment": True}],
        )
    )
    for number in range(3):
        held = claim(make_rater(campaign, f"w{number}"))
        answer(held)
        answer(held, trial=1, **({"comment": f"{COMMENT} {number}"} if number else {}))
        answer(held, trial=2)
    return campaign


def marked() -> Campaign:
    """A rater who wrote notes at marks."""
    criterion = {"name": "errors", "question": "?", "instrument": "spans", "required": False}
    campaign = make_campaign(
        slider_definition(
            criteria=[criterion | {"options": {"notes": True}}],
            screens=[{"name": "rate", "show": ["outputs"], "ask": ["errors"]}],
        )
    )
    value = {"marks": [MARK], "events": [{"do": "add", "at": 5, **MARK}]}
    answers = [{"criterion": "errors", "place": 0, "value": value, "time_ms": 1.0}]
    answer(claim(make_rater(campaign)), answers=answers)
    return campaign


def as_before(campaign: Campaign) -> Campaign:
    """Write the record as releases before 2.2.0 did: with the words in payloads and texts."""
    links: dict[int, str] = {}
    sent = Submission.objects.filter(assignment__campaign=campaign).order_by("pk")
    with past_all_rules() as execute:
        for each in sent.select_related("own_words"):
            words, whole = words_of(each), payload_as_sent(each)
            digest = hashlib.sha256(canonical(whole)).hexdigest()
            link = chained(links.get(each.assignment_id, ""), digest)
            links[each.assignment_id] = link
            execute(
                "UPDATE rankme_submission SET payload = %s, payload_sha256 = %s, chain_sha256 = %s"
                " WHERE id = %s",
                [json.dumps(whole), digest, link, each.pk],
            )
            for judgement in each.judgements.select_related("criterion"):
                place = (judgement.criterion.name, judgement.position)
                text = text_with_words(judgement.text, words, *place)
                if '"events"' in text:  # the log of marking repeated the notes
                    events = whole["answers"][0]["value"]["events"]
                    log = json.loads(text) | {"events": events}
                    text = json.dumps(log, ensure_ascii=False, sort_keys=True)
                execute("UPDATE rankme_judgement SET text = %s WHERE id = %s", [text, judgement.pk])
            execute("DELETE FROM rankme_submissionwords WHERE submission_id = %s", [each.pk])
    assert verify_campaign(campaign).fault == ""
    return campaign


@pytest.fixture(scope="module")
def made_once(rows_of_the_module: None) -> Campaign:
    return as_before(commented())


@pytest.fixture
def campaign(made_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=made_once.pk)


def move(campaign: Campaign) -> None:
    call_command("move_words", campaign.code)


def erase(rater: Participant) -> None:
    withdraw(rater)
    erasing.erase_rater(rater, by=None)


def found(**texts: str) -> set[str]:
    places = places_of_all(texts, Path(settings.MEDIA_ROOT))
    return {name for name, where in places.items() if where}


def whole(campaign: Campaign) -> list[dict[str, Any]]:
    sent = Submission.objects.filter(assignment__campaign=campaign).select_related("own_words")
    return [payload_as_sent(each) for each in sent.order_by("pk")]


# --- Words and their hashes -------------------------------------------------------------------


def test_moved_words_are_erased_with_their_rater_and_found_nowhere(campaign):
    """Nor are hashes of payloads that had them, from which somebody could guess."""
    published_run(campaign)
    first, last = (COMMENT + " 1", COMMENT + " 2")
    old = {
        f"{name} {each.pk}": getattr(each, name)
        for each in Submission.objects.filter(payload__has_key="comment")
        for name in ("payload_sha256", "chain_sha256")
    }
    ends = {str(row[0]): row[2] for row in anchor_of(campaign)["sittings"][1:]}
    erase(campaign.participants.get(external_id="w1"))
    assert found(first=first) == {"first"}, "an erasure alone leaves what is inside"
    assert found(**old, **ends) == {*old, *ends}
    move(campaign)
    assert found(**old, **ends) == set()
    assert SubmissionWords.objects.exclude(salt="").count() == 1
    assert found(first=first, last=last) == {"last"}
    erase(campaign.participants.get(external_id="w2"))
    assert found(first=first, last=last) == set()
    assert WordsEpoch.objects.get().salt == ""
    assert verify_campaign(campaign).fault == ""


def test_notes_of_marks_are_moved_out_of_payloads_and_judgements():
    campaign = marked()
    judgement = Judgement.objects.filter(submission__assignment__campaign=campaign)
    stored = judgement.get().text
    as_before(campaign)
    assert NOTE in judgement.get().text
    before = whole(campaign)
    move(campaign)
    assert judgement.get().text == stored and NOTE not in stored
    assert whole(campaign) == before
    erase(campaign.participants.get())
    assert found(note=NOTE) == set()


def test_what_was_sent_stays_and_can_be_sent_again(campaign):
    before = whole(campaign)
    held = campaign.assignments.get(participant__external_id="w1")
    move(campaign)
    assert whole(campaign) == before
    again = next(each for each in before if each["assignment"] == held.pk and "comment" in each)
    assert not store(held.participant, again).is_new
    assert answer(held, trial=3).is_new
    assert verify_campaign(campaign).fault == ""


def test_the_history_has_the_epoch(campaign):
    before = anchor_of(campaign)
    move(campaign)
    epoch = WordsEpoch.objects.get()
    assert epoch.old_sha256 == moving_words.digest_of_ends(before, epoch.salt)
    detail = AuditEvent.objects.get(verb="words moved out of the record").detail
    assert detail.pop("account")
    assert detail == {
        "submissions": 2,
        "old_sha256": epoch.old_sha256,
        "new_sha256": moving_words.digest_of_ends(anchor_of(campaign)),
    }
    move(campaign)  # a second time there is nothing to do
    assert AuditEvent.objects.filter(verb="words moved out of the record").count() == 1


# --- Anchors and tampering --------------------------------------------------------------------


def test_older_anchors_hold_until_the_words_are_erased(campaign):
    anchors = [anchor_of(campaign)]
    move(campaign)
    answer(campaign.assignments.get(participant__external_id="w1"), trial=3)
    anchors.append(anchor_of(campaign))
    findings = verify_campaign(campaign, anchors)
    assert (findings.fault, findings.not_comparable) == ("", 0)
    erase(campaign.participants.get(external_id="w1"))
    findings = verify_campaign(campaign, anchors)
    assert (findings.fault, findings.not_comparable) == ("", 1)


def forge(campaign: Campaign, change: str) -> None:
    """Change the first answer of each sitting, with all hashes that anybody can compute."""
    links: dict[int, str] = {}
    with past_all_rules() as execute:
        execute(change)
        for each in Submission.objects.order_by("pk"):
            digest = hashlib.sha256(canonical(each.payload)).hexdigest()
            link = links[each.assignment_id] = chained(links.get(each.assignment_id, ""), digest)
            execute(
                "UPDATE rankme_submission SET payload_sha256 = %s, chain_sha256 = %s WHERE id = %s",
                [digest, link, each.pk],
            )


CHANGE_TIMES = """
    UPDATE rankme_submission SET payload = payload || '{"note": 1}'
    WHERE revision = 1 AND id = (SELECT min(id) FROM rankme_submission)"""


def test_an_older_anchor_finds_what_was_forged_after_the_epoch(campaign):
    anchor = anchor_of(campaign)
    move(campaign)
    forge(campaign, CHANGE_TIMES)
    assert verify_campaign(campaign).fault == ""
    assert "differs from the one that an analysis saw" in verify_campaign(campaign, [anchor]).fault


def test_an_erasure_hides_no_missing_end(campaign):
    anchor = anchor_of(campaign)
    move(campaign)
    erase(campaign.participants.get(external_id="w2"))
    with past_all_rules() as execute:
        last = "(SELECT max(id) FROM rankme_submission)"
        execute(f"DELETE FROM rankme_judgement WHERE submission_id = {last}")
        execute(f"DELETE FROM rankme_submission WHERE id = {last}")
    assert "the end of its hash chain is missing" in verify_campaign(campaign, [anchor]).fault


def test_a_damaged_record_is_not_moved(campaign):
    with transaction.atomic():
        with past_all_rules() as execute:
            execute("UPDATE rankme_submission SET chain_sha256 = repeat('0', 64)")
        epoch = moving_words.begin_epoch(campaign)
        with pytest.raises(CommandError, match="before words are moved"):
            move(campaign)
        with pytest.raises(RefusedAction, match="chain is broken"), transaction.atomic():
            moving_words.move_some(epoch)
        assert not SubmissionWords.objects.exists()
        transaction.set_rollback(True)


# --- In steps ---------------------------------------------------------------------------------


def test_the_record_is_whole_after_each_step_and_the_next_call_goes_on(campaign, monkeypatch):
    monkeypatch.setattr(moving_words, "SITTINGS_AT_ONCE", 1)
    anchor = anchor_of(campaign)
    epoch = moving_words.begin_epoch(campaign)
    for moved in (0, 1):
        assert moving_words.move_some(epoch)
        assert SubmissionWords.objects.count() == moved
        assert verify_campaign(campaign, [anchor]).fault == ""
    # The process ends here. The next one finds what is left.
    move(campaign)
    assert WordsEpoch.objects.get().submissions == SubmissionWords.objects.count() == 2
    assert verify_campaign(campaign, [anchor]).fault == ""


def test_a_step_that_fails_leaves_nothing(campaign, monkeypatch):
    epoch = moving_words.begin_epoch(campaign)
    before = list(Submission.objects.order_by("pk").values_list())
    monkeypatch.setattr(moving_words, "UPDATE_SUBMISSIONS", "SELECT 1/0 -- %s %s %s %s")
    with pytest.raises(DatabaseError), transaction.atomic():
        moving_words.move_some(epoch)
    assert list(Submission.objects.order_by("pk").values_list()) == before
    assert not SubmissionWords.objects.exists()


@pytest.mark.parametrize("is_open", [False, True])
def test_the_owner_changes_nothing_but_words_and_only_during_the_epoch(campaign, is_open):
    epoch = moving_words.begin_epoch(campaign)
    statements = [
        "UPDATE rankme_judgement SET value = 1",
        "UPDATE rankme_submission SET late = true",
    ]
    if not is_open:
        moving_words.finish_epoch(epoch, account="root")
        statements.append("UPDATE rankme_submission SET payload = payload")
    with connection.cursor() as cursor:
        cursor.execute("SELECT set_config('rankme.moved_words_of', %s, false)", [str(campaign.pk)])
        for statement in statements:
            with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
                cursor.execute(statement)
        cursor.execute("SELECT set_config('rankme.moved_words_of', '', false)")
