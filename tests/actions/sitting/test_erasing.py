"""Erasing who raters are: what is found nowhere afterwards, what stays, and when it must wait."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.utils import timezone

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.work_pages import make_work_page
from rankme.actions.campaign import campaigns, changes
from rankme.actions.panel import sync
from rankme.actions.sitting import erasing, judgements, participation
from rankme.actions.sitting.withdrawing import withdraw
from rankme.errors import RefusedAction
from rankme.models import (
    Assignment,
    AuditEvent,
    Campaign,
    Complaint,
    Judgement,
    PanelEvent,
    PanelPayment,
    PanelSubmission,
    Participant,
    QuarantinedPayload,
    Submission,
    SubmissionWords,
)
from rankme.models.record import ERASED
from rankme.panel_calls.prolific import SubmissionThere
from rankme.panel_calls.sealed import seal
from rankme.protocols.definition import Definition
from rankme.verification import verify_campaign
from rankme.worker import tasks
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.world import published_run
from tests.panels.loop import study_row
from tests.searching import places_of_all
from tests.sittings import answer, claim, complaint_of, finish

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("the_record_holds", "own_uploads"),
]
PERSONAL = {
    "panel's id": "65d1ab34cd56ef7890ab12cd",
    "session": "75e2bc45de67f08901bc23de",
    "study": "85f3cd56ef78a19012cd34ef",
    "panel's submission": "95a4de67f089b20123de45fa",
    "entry answer": "forty-one and a half",
    "end answer": "a lighthouse keeper",
    "comment": "Minka the cat sat on my keyboard",
    "reported problem": "The text is cut off.",
    "unreadable answer": "unreadable Eulenspiegel",
    "name": "Anneliese Albrechtsberger",
    "comment on a page": "my flat in Waldemarstrasse is cold",
    "note of a mark": "my grandmother spelt it so",
    "personal text": "Ottokar writes this himself",
    "trace": "48215073.6",
}


def wordy_definition(**crowd: Any) -> Definition:
    """Marks with notes, and texts that are personal."""
    spans = {"name": "errors", "question": "?", "instrument": "spans", "required": False}
    text = {"name": "why", "question": "?", "instrument": "text", "required": False}
    return slider_definition(
        raters_per_trial=2,
        criteria=[spans | {"options": {"notes": True}}, text],
        screens=[{"name": "rate", "show": ["outputs"], "ask": ["errors", "why"], "comment": True}],
        crowd={"texts_are": "personal", "traces": True} | crowd,
    )


def words_in(held: Assignment, trial: int) -> list[dict[str, Any]]:
    mark = {"id": 7, "start": 0, "end": 4, "text": "Text", "note": PERSONAL["note of a mark"]}
    marked = {"marks": [mark], "events": [{"do": "add", "at": 5, **mark}]}
    return [
        {"criterion": "errors", "place": 0, "value": marked, "time_ms": 1.0},
        {"criterion": "why", "place": 0, "value": PERSONAL["personal text"], "time_ms": 1.0},
    ]


UNMARKED = [{"criterion": "errors", "place": 0, "value": {"marks": []}, "time_ms": 1.0}]


@pytest.fixture(scope="module")
def made_once(rows_of_the_module: None) -> Campaign:
    """Two raters about whom there is everything; tests roll back what they do to it."""
    campaign = make_campaign(wordy_definition(), items=2, systems=2)
    sent = participation.enter(
        campaign,
        panel="prolific",
        external_id=PERSONAL["panel's id"],
        session_id=PERSONAL["session"],
        study_id=PERSONAL["study"],
    )
    (link,) = invite_raters(campaign, [PERSONAL["name"]], by=campaign.owner)
    make_work_page(link, by=campaign.owner)
    campaign.invitations.update(mail=seal("anneliese@example.org"))
    invited = participation.enter(campaign, panel="invitation", external_id=str(link.pk))
    for rater in (sent, invited):
        participation.give_consent(rater)
        participation.mark_instructed(rater)
    held = claim(sent)
    trace = {"path_px": float(PERSONAL["trace"])}
    said = {"comment": PERSONAL["comment on a page"], "trace": trace}
    for trial in range(len(held.presentation)):
        answer(held, trial, answers=words_in(held, trial), **said)
    finish(held)
    complaint_of(held)
    participation.leave_comment(sent, PERSONAL["comment"])
    judgements.quarantine(sent, PERSONAL["unreadable answer"], reason="version 9")
    Participant.objects.filter(pk=sent.pk).update(
        entry_answers={"age": PERSONAL["entry answer"]},
        end_answers={"job": PERSONAL["end answer"]},
    )
    other = claim(invited)
    for trial in range(len(other.presentation)):
        answer(other, trial, answers=UNMARKED)
    finish(other)
    sent.refresh_from_db()
    study = study_row(campaign, state="COMPLETED", external_id="there", places_cost=400)
    submission = PanelSubmission.objects.create(
        study=study,
        external_id=PERSONAL["panel's submission"],
        person=PERSONAL["panel's id"],
        participant=sent,
        state="APPROVED",
        entered_code=sent.completion_code,
    )
    PanelEvent.objects.create(
        account=study.account,
        event_id="event-1",
        event_type="submission.status.change",
        resource=PERSONAL["panel's submission"],
        done_at=timezone.now(),
    )
    PanelPayment.objects.create(
        study=study,
        submission=submission,
        kind="approval",
        amount=200,
        cost=200,
        currency="GBP",
        state="paid",
        external_id=PERSONAL["panel's submission"],
        problem=f"Paid {sent.external_id}.",
    )
    return campaign


@pytest.fixture
def campaign(made_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=made_once.pk)


@pytest.fixture
def sent(campaign: Campaign) -> Participant:
    """The rater whom a panel sent."""
    return campaign.participants.get(panel="prolific")


def own_texts(sent: Participant) -> dict[str, str]:
    return PERSONAL | {
        "code": sent.completion_code,
        "personal link": sent.campaign.invitations.get().token,
        "page of all work": sent.campaign.invitations.get().work_page,
        "sealed address": sent.campaign.invitations.get().mail,
    }


def close(campaign: Campaign) -> Campaign:
    return campaigns.close_campaign(campaign, by=campaign.owner)


def searched(texts: dict[str, str]) -> dict[str, set[str]]:
    return places_of_all(texts, Path(settings.MEDIA_ROOT))


def test_an_erased_campaign_is_found_nowhere(campaign, sent):
    """In every column of every table, every file and every key: as text, encoded or hashed."""
    published_run(campaign)
    texts = own_texts(sent)
    before = searched(texts)
    assert {name for name, places in before.items() if not places} == set(), before
    assert len(before["panel's id"]) >= 3  # rater, submission, payment
    erasing.erase_campaign(close(campaign), by=campaign.owner)
    assert {name: places for name, places in searched(texts).items() if places} == {}


def test_an_erased_rater_is_found_nowhere_and_others_are(campaign, sent):
    texts = own_texts(sent)
    erasing.erase_rater(sent, by=campaign.owner)
    found = {name for name, places in searched(texts).items() if places}
    assert found == {"name", "personal link", "page of all work", "sealed address"}


def test_a_new_label_does_not_depend_on_who_it_is(campaign, sent):
    keyed = participation.keyed_label(campaign, sent.panel, sent.external_id)
    assert sent.label != keyed
    again = participation.enter(campaign, panel="prolific", external_id=sent.external_id)
    assert again.label == sent.label


def test_judgements_and_what_counts_stay_after_an_erasure(campaign, sent):
    counted = list(campaign.assignments.values_list("pk", "counts", "state"))
    values = list(Judgement.objects.order_by("pk").values_list("value", "text"))
    erasing.erase_campaign(close(campaign), by=campaign.owner)
    assert list(campaign.assignments.values_list("pk", "counts", "state")) == counted
    assert list(Judgement.objects.order_by("pk").values_list("value", "text")) == values


def test_words_on_screens_are_erased_with_their_rater_and_the_record_holds(campaign, sent):
    """`verify` demands all words of raters who are known, and none of those who are erased."""
    other = campaign.participants.get(panel="invitation")
    answer(claim(make_rater(campaign, "w3")), comment="I stay.", answers=UNMARKED)
    chains = list(Submission.objects.order_by("pk").values_list("payload", "chain_sha256"))
    erasing.erase_rater(sent, by=None)
    assert verify_campaign(campaign).fault == ""
    assert list(Submission.objects.order_by("pk").values_list("payload", "chain_sha256")) == chains
    kept = SubmissionWords.objects.exclude(words=[])
    assert [each.words for each in kept] == [[{"at": ["comment"], "text": "I stay."}]]
    # Words that are missing without an erasure of their rater show.
    Participant.objects.filter(pk__in=[sent.pk, other.pk]).update(erased_at=None)
    assert "its words are missing, but its rater was not erased" in verify_campaign(campaign).fault


def test_what_becomes_of_texts_cannot_change_once_raters_agreed(campaign):
    changed = wordy_definition(texts_are="result")
    act = {"reason": "Other.", "by": campaign.owner, "base": campaign.version}
    with pytest.raises(RefusedAction, match="what happens with texts"):
        changes.change_campaign(campaign, changed, **act)
    campaign.participants.update(consent_version=None)
    changes.change_campaign(campaign, changed, **act)


def test_the_history_says_who_erased_what_once(campaign, sent):
    erasing.erase_rater(sent, by=campaign.owner)
    erasing.erase_rater(sent, by=campaign.owner)
    event = AuditEvent.objects.get(campaign=campaign, verb="rater's identity erased")
    assert event.actor == campaign.owner
    assert event.detail == {
        "rater": sent.label,
        "raters": 1,
        "problem_reports": 1,
        "unreadable_answers": 1,
        "screens_with_words": sent.assignments.get().submissions.count(),
    }


def test_links_and_cookies_of_an_erased_rater_end(campaign):
    link = campaign.invitations.get()
    invited = campaign.participants.get(panel="invitation")
    erasing.erase_rater(invited, by=None)
    invited.refresh_from_db()
    assert not campaign.invitations.filter(token=link.token).exists()
    assert invited.generation == 1 and invited.external_id == f"{ERASED} {invited.pk}"


def test_a_rater_at_work_is_not_erased(campaign):
    rater = make_rater(campaign, "w9")
    claim(rater)
    with pytest.raises(RefusedAction, match="during the work"):
        erasing.erase_rater(rater, by=None)
    withdraw(rater)
    assert erasing.erase_rater(rater, by=None).raters == 1


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"state": "AWAITING REVIEW"}, "paid"),
        ({"study__state": "ACTIVE"}, "still open"),
        ({"payment": "lost"}, "paid"),
    ],
)
def test_nobody_is_erased_who_has_still_to_be_paid(campaign, sent, row, reason):
    submission = sent.panel_submissions.get()
    if row.get("payment"):
        study = submission.study
        PanelPayment.objects.create(
            study=study, submission=submission, kind="bonus", amount=1, cost=1, currency="GBP",
            state="lost",
        )  # fmt: skip
    elif "state" in row:
        PanelSubmission.objects.update(state=row["state"])
    else:
        campaign.panel_studies.update(state=row["study__state"])
    with pytest.raises(RefusedAction, match=reason):
        erasing.erase_rater(sent, by=None)
    with pytest.raises(RefusedAction, match=reason):
        erasing.erase_campaign(close(campaign), by=campaign.owner)


def test_a_panels_list_does_not_bring_back_who_was_erased(campaign, sent, monkeypatch):
    study = campaign.panel_studies.get()
    there = SubmissionThere(
        id=PERSONAL["panel's submission"], study="there", person=sent.external_id,
        status="APPROVED", code=None, started_at=None, completed_at=None, seconds=None,
        bonuses=None, return_requested_at=None,
    )  # fmt: skip

    class Panel:
        def submissions(self, study):
            return [there]

    monkeypatch.setattr(sync, "panel_of", lambda account: Panel())
    erasing.erase_rater(sent, by=None)
    sync.sync_submissions(study)
    assert study.submissions.get().person == ERASED
    # Without the guard, the list brings the person back.
    monkeypatch.setattr(sync, "was_forgotten", lambda study, there: False)
    sync.sync_submissions(study)
    assert study.submissions.filter(person=PERSONAL["panel's id"]).exists()


# --- The clock -------------------------------------------------------------------------------


def test_closing_sets_the_day_and_reopening_takes_it_back(campaign):
    campaign = close(campaign)
    assert campaign.identities_until - campaign.closed_at == timedelta(days=90)
    changes.reopen_campaign(campaign, reason="More.", by=campaign.owner, base=1)
    campaign.refresh_from_db()
    assert campaign.identities_until is None


def test_identities_are_erased_when_their_time_has_come_and_not_before(campaign, sent):
    close(campaign)
    tasks.sweep_leftovers()
    sent.refresh_from_db()
    assert sent.erased_at is None
    Campaign.objects.update(identities_until=timezone.now() - timedelta(seconds=1))
    tasks.sweep_leftovers()
    campaign.refresh_from_db()
    sent.refresh_from_db()
    assert campaign.identities_erased_at and sent.erased_at
    event = AuditEvent.objects.get(campaign=campaign, verb="identities erased")
    assert (event.actor, event.detail["raters"]) == (None, 2)


def test_a_campaign_that_must_wait_does_not_keep_others_waiting(campaign, sent):
    other = make_campaign()
    for each in (campaign, other):
        close(each)
    PanelSubmission.objects.update(state="AWAITING REVIEW")
    Campaign.objects.update(identities_until=timezone.now() - timedelta(seconds=1))
    erasing.erase_due()
    campaign.refresh_from_db()
    other.refresh_from_db()
    assert campaign.identities_erased_at is None and other.identities_erased_at


def test_campaigns_that_were_closed_before_there_was_a_clock_are_left_alone(campaign):
    close(campaign)
    Campaign.objects.filter(pk=campaign.pk).update(identities_until=None)
    assert erasing.erase_due() == 0


def test_what_raters_were_told_can_only_be_shortened(campaign):
    def keep(days: int) -> None:
        changes.change_campaign(
            Campaign.objects.get(pk=campaign.pk),
            wordy_definition(keep_identities_days=days),
            reason="Sooner.",
            by=campaign.owner,
            base=Campaign.objects.get(pk=campaign.pk).version,
        )

    close(campaign)
    with pytest.raises(RefusedAction, match="only shorten"):
        keep(91)
    keep(30)
    campaign.refresh_from_db()
    assert campaign.identities_until - campaign.closed_at == timedelta(days=30)
    with pytest.raises(RefusedAction, match="30 days after"):
        keep(60)
    campaign.participants.update(consent_version=None)  # raters from before were told nothing
    keep(60)


def test_an_open_campaign_is_not_erased_as_a_whole(campaign):
    with pytest.raises(RefusedAction, match="Close the campaign"):
        erasing.erase_campaign(campaign, by=campaign.owner)


# --- What the database itself refuses --------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rankme_complaint SET text = 'All is well.'",
        "UPDATE rankme_submissionwords SET salt = '', words = '[]'",  # of nobody who is erased
        "UPDATE rankme_submissionwords SET words = words || words",
        "DELETE FROM rankme_submissionwords",
        "UPDATE rankme_quarantinedpayload SET body = 'other'",
        "UPDATE rankme_quarantinedpayload SET body = '[erased]'",
        "UPDATE rankme_quarantinedpayload SET body = '[erased]', body_sha256 = '', reason = 'x'",
        "DELETE FROM rankme_quarantinedpayload",
    ],
)
def test_words_of_raters_are_erased_and_never_rewritten(campaign, statement):
    with pytest.raises(DatabaseError, match="never changed"), transaction.atomic():
        connection.cursor().execute(statement)
    assert Complaint.objects.update(text=ERASED) == 1
    assert QuarantinedPayload.objects.update(body=ERASED, body_sha256="") == 1
