"""The rater's way through the pages: from the link to the code."""

import json
import re
from datetime import timedelta

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client
from django.test.utils import CaptureQueriesContext

from rankme.actions.campaign.campaigns import close_campaign, launch_campaign, pause_campaign
from rankme.actions.sitting import assignments, screen_rules
from rankme.actions.sitting.assignments import NoBatch
from rankme.models import (
    Campaign,
    Invitation,
    Judgement,
    Output,
    QuarantinedPayload,
    Submission,
    TrialOutput,
)
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import ShownTrial
from rankme.protocols.files import preset
from tests.campaigns import make_campaign, rankme_definition, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import (
    arrival_at,
    arrive,
    begin,
    complete,
    document_of,
    payload_for,
    send,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign(launched_once) -> Campaign:
    return Campaign.objects.get(pk=launched_once.pk)


def test_a_rater_goes_from_the_link_to_the_code(client):
    campaign = make_campaign(rankme_definition())
    document = begin(client, campaign, id="w1")
    for trial in range(len(document["trials"])):
        assert send(client, campaign, payload_for(campaign, document, trial)).status_code == 201
    answer = client.post(address("finish", campaign))
    assert answer.json() == {"next": address("done", campaign)}
    page = client.get(answer.json()["next"])
    rater = campaign.participants.get()
    assert rater.completion_code in page.text
    assert Judgement.objects.count() == len(document["trials"]) * 3
    assert Submission.objects.filter(late=True).count() == 0


# Coming in ---------------------------------------------------------------------------------


def test_nothing_is_stored_before_consent(client, campaign):
    client.get(address("enter", campaign), {"id": "w1"})
    assert not campaign.participants.exists()


def test_a_study_that_needs_a_mouse_or_a_keyboard_admits_nobody_without(client):
    campaign = make_campaign(slider_definition(crowd={"devices": "desktop"}))
    door = address("enter", campaign)
    assert 'name="device"' in client.get(door).text
    arrival = arrival_at(client, door, {})
    for device in ({}, {"device": ""}, {"device": "touch"}):
        answer = client.post(door, {"arrival": arrival, "decision": "agree"} | device)
        assert answer.status_code == 403
        assert "needs a mouse or a keyboard" in answer.text
    assert not campaign.participants.exists()
    client.post(door, {"arrival": arrival, "decision": "agree", "device": "keyboard"})
    assert campaign.participants.get().consented_at is not None


@pytest.mark.parametrize(
    ("devices", "used", "is_flagged"),
    [
        ("desktop", "keyboard+touch", True),
        ("desktop", "pen", True),
        ("desktop", "mouse", False),
        ("any", "touch", False),
    ],
)
def test_a_finger_is_flagged_where_a_mouse_or_a_keyboard_is_needed(
    client, devices, used, is_flagged
):
    campaign = make_campaign(slider_definition(crowd={"devices": devices}))
    document = begin(client, campaign)
    times = {"spent_ms": 1_000, "input": used}
    send(client, campaign, payload_for(campaign, document, times=times))
    assert ("touch screen" in Submission.objects.get().flags) is is_flagged


def test_who_is_too_fast_reads_why_the_work_has_ended(client):
    crowd = {"least_seconds_per_screen": 5, "too_fast": "end"}
    campaign = make_campaign(slider_definition(crowd=crowd))
    payload = payload_for(campaign, begin(client, campaign))
    assert send(client, campaign, payload).json()["ends_the_work"] is True
    page = client.get(address("work", campaign), follow=True)
    assert "in less time than this study allows" in page.text


def test_from_the_link_to_the_work_every_page_is_one_answer(client):
    """Two redirects on this way would take four seconds on a slow line."""
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    page = client.get(address("enter", campaign))
    instructions = address("instructions", campaign)
    for decision, there in (({"decision": "agree"}, instructions), ({}, None)):
        content = page.text
        sent = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', content))
        page = client.post(re.search(r'action="([^"]+)"', content)[1], sent | decision)
        assert page.status_code == 200 and page.headers["Cache-Control"] == "no-store"
        assert there is None or f'<meta name="address" content="{there}">' in page.text
    assert document_of(page)["trials"]
    assert client.get(instructions).headers["Location"] == address("work", campaign)


def test_an_arrival_that_we_did_not_sign_is_not_believed(client, campaign):
    door = address("enter", campaign)
    answer = client.post(door, {"arrival": "generic:w1:forged", "decision": "agree"})
    assert answer.url == door
    assert not campaign.participants.exists()


def test_a_forged_resume_link_is_nobodys(client, campaign):
    rater = arrive(client, campaign)
    forged = address("resume", campaign, f"{rater.pk}:AAAA:BBBB")
    other = Client()
    assert other.get(forged).url == address("enter", campaign)
    assert not other.cookies


def test_the_cookie_of_one_campaign_opens_no_other(client):
    mine, other = make_campaign(), make_campaign()
    rater = arrive(client, mine)
    stolen = client.cookies["rater"].value
    stranger = Client()
    stranger.cookies["rater"] = stolen
    work = address("work", other)
    assert stranger.get(work).url == address("enter", other)
    stranger.cookies["rater"] = f"{rater.pk}:forged:signature"
    work = address("work", mine)
    assert stranger.get(work).url == address("enter", mine)


def test_the_cookie_is_for_this_campaign_alone_and_out_of_reach_of_scripts(client, campaign):
    arrive(client, campaign)
    cookie = client.cookies["rater"]
    assert cookie["path"] == f"/r/{campaign.code}/"
    assert cookie["httponly"] and cookie["samesite"] == "Lax"


def test_a_personal_invitation_names_its_rater(client, campaign):
    invitation = Invitation.objects.create(campaign=campaign, token="t" * 32, name="Ada")
    rater = arrive(client, campaign, invitation=invitation.token)
    assert (rater.panel, rater.external_id) == ("invitation", str(invitation.pk))


def test_the_campaign_may_rename_the_panels_parameters(client):
    crowd = {"panel": "prolific", "id_parameter": "WORKER", "completion_code": "C0DE"}
    campaign = make_campaign(slider_definition(crowd=crowd))
    assert arrive(client, campaign, WORKER="p1").external_id == "p1"


def test_a_draft_has_no_door(client):
    campaign = make_campaign(launch=False)
    assert client.get(address("enter", campaign)).status_code == 404


def test_who_does_not_fit_is_screened_out_for_good(client):
    question = {"name": "native", "question": "Native?", "kind": "yes-no", "accept": ["yes"]}
    campaign = make_campaign(slider_definition(entry_questions=[question]))
    arrive(client, campaign, id="w1")
    questions = address("questions", campaign)
    assert client.post(questions, {}).status_code == 422
    client.post(questions, {"entry-native": "no"})
    assert campaign.participants.get().state == "screened_out"
    # Neither the link nor another answer lets the rater in again.
    answer = client.get(address("enter", campaign), {"id": "w1"}, follow=True)
    assert "do not belong to the group" in answer.text
    client.post(questions, {"entry-native": "yes"})
    assert client.get(address("work", campaign)).url == questions
    assert not campaign.assignments.exists()


def test_no_page_can_be_reached_before_its_turn(client):
    question = {"name": "native", "question": "Native?", "kind": "yes-no"}
    campaign = make_campaign(slider_definition(entry_questions=[question]))
    arrive(client, campaign)
    for page in ("instructions", "work", "done"):
        answer = client.get(address(page, campaign))
        assert answer.url == address("questions", campaign)


# Work --------------------------------------------------------------------------------------


def test_the_page_names_no_system_and_no_output(client):
    campaign = make_campaign(rankme_definition())
    replies = [client.get(address("enter", campaign), {"id": "w1"})]
    document = begin(client, campaign, id="w1")
    replies.append(client.get(address("instructions", campaign)))
    replies.append(client.get(address("work", campaign)))
    for trial in range(len(document["trials"])):
        replies.append(send(client, campaign, payload_for(campaign, document, trial)))
    replies.append(client.post(address("finish", campaign)))
    replies.append(client.get(address("done", campaign)))
    names = [system.name for system in campaign.systems.all()]
    for reply in replies:
        whole = (reply.content + str(reply.headers).encode()).decode().casefold()
        assert not [name for name in names if name.casefold() in whole]
    assert set(document["trials"][0]) == {"places", "input", "outputs"}
    assert all(isinstance(text, str) for text in document["trials"][0]["outputs"])


def test_only_what_the_screens_show_is_sent():
    shown = ShownTrial("name[X]", "A reference.", "Before [[SENTENCE]] after.", ("One.",))
    naturalness = preset("e2e-naturalness")
    assert set(page_document(naturalness, [shown])["trials"][0]) == {"places", "outputs"}
    similarity = page_document(preset("sr11-deep"), [shown])["trials"][0]
    assert set(similarity) == {"places", "reference", "context", "outputs"}


def test_the_order_is_the_assignments_own(client):
    campaign = make_campaign(rankme_definition())
    document = begin(client, campaign)
    assignment = campaign.assignments.get()
    for (trial, places), shown in zip(assignment.presentation, document["trials"], strict=True):
        planned = list(
            TrialOutput.objects.filter(trial=trial)
            .order_by("position")
            .values_list("output__text", flat=True)
        )
        assert shown["outputs"] == [planned[place] for place in places]


def test_pages_are_kept_in_no_cache(client, campaign):
    begin(client, campaign)
    for page in ("work", "done", "instructions"):
        answer = client.get(address(page, campaign))
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("script", ["<script>alert(1)</script>", "</template><img src=x>", "'\"&"])
def test_what_others_wrote_stays_text(client, script):
    definition = slider_definition(
        title=script,
        texts={"consent": script, "instructions": script},
        practice=[{"outputs": [script], "feedback": script}],
    )
    campaign = make_campaign(definition, launch=False, items=1, systems=1)
    campaign.items.update(input=script, reference=script, context=script)
    Output.objects.filter(item__campaign=campaign).update(text=script)
    campaign = launch_campaign(campaign, by=campaign.owner)
    document = begin(client, campaign, id="w1")
    page = client.get(address("work", campaign)).text
    assert "<script>alert" not in page and "<img src=x" not in page
    assert document["trials"][0]["outputs"] == [script]


def test_reloading_brings_the_same_batch_and_says_what_is_stored(client, campaign):
    document = begin(client, campaign)
    send(client, campaign, payload_for(campaign, document, 1))
    again = document_of(client.get(address("work", campaign)))
    assert again["assignment"] == document["assignment"]
    assert (document["stored"], again["stored"]) == ([], [[1, 0]])


def test_practice_is_shown_until_it_was_done(client):
    campaign = make_campaign(slider_definition(practice=[{"outputs": ["Try me."]}]))
    document = begin(client, campaign)
    assert document["practice"][0]["outputs"] == ["Try me."]
    client.post(address("practised", campaign))
    assert document_of(client.get(address("work", campaign)))["practice"] == []


# Submissions -------------------------------------------------------------------------------


def test_the_same_submission_twice_is_one_row(client, campaign):
    document = begin(client, campaign)
    payload = payload_for(campaign, document)
    assert [send(client, campaign, payload).status_code for _ in range(3)] == [201, 200, 200]
    assert Submission.objects.count() == 1


def test_the_same_key_with_other_answers_is_refused_and_logged(client, campaign, caplog):
    document = begin(client, campaign)
    payload = payload_for(campaign, document)
    send(client, campaign, payload)
    payload["answers"][0]["value"] += 1
    answer = send(client, campaign, payload)
    assert (answer.status_code, answer.json()["code"]) == (409, "key_reused")
    assert payload["key"] in caplog.text
    assert not re.search(r"\bw1\b", caplog.text)  # the campaign's code may have it inside


@pytest.mark.parametrize("value", [9999, -1, "50", None, True, [], {"x": 1}])
def test_an_impossible_answer_is_refused_with_its_place(client, at_work, value):
    payload = payload_for(at_work.campaign, at_work.document)
    payload["answers"][0]["value"] = value
    answer = send(client, at_work.campaign, payload)
    assert answer.status_code == 422
    assert answer.json()["problems"][0]["place"] == "fluency[0]"
    assert not Submission.objects.exists()


def test_another_raters_assignment_is_refused(client, campaign):
    document = begin(client, campaign, id="w1")
    thief = Client()
    begin(thief, campaign, id="w2")
    answer = send(thief, campaign, payload_for(campaign, document))
    assert answer.status_code == 422
    assert not Submission.objects.exists()


def test_a_stranger_submits_nothing(client, campaign):
    document = begin(client, campaign)
    answer = send(Client(), campaign, payload_for(campaign, document))
    assert answer.status_code == 401
    assert not Submission.objects.exists()


def test_a_submission_from_another_site_is_refused(client, campaign):
    document = begin(client, campaign)
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = client.cookies
    assert send(strict, campaign, payload_for(campaign, document)).status_code == 403


def test_a_payload_of_another_release_is_kept_for_a_person(client, campaign):
    document = begin(client, campaign)
    answer = send(client, campaign, payload_for(campaign, document, version=2))
    assert answer.status_code == 202
    kept = QuarantinedPayload.objects.get()
    assert json.loads(kept.body)["version"] == 2


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"[]",
        b"\xff",
        b"{",
        b'{"version": 1, "version": 1}',
        b'{"version": 1, "key": NaN}',
        b'{"version": 1, "key": 1e999}',
        b"[" * 100_000,
        b'{"version": 1, "key": ' + b"9" * 5_000 + b"}",
        b'{"version": 1, "comment": "\\u0000"}',
        b'{"version": 1, "comment": "\\ud800"}',
        b'{"version": 1, "key": "x"}',
    ],
)
def test_malformed_submissions_are_refused_without_harm(client, at_work, body):
    assert send(client, at_work.campaign, body).status_code == 422
    assert not Submission.objects.exists()


def test_a_submission_may_not_be_endless(client, campaign):
    document = begin(client, campaign)
    payload = payload_for(campaign, document, comment="x" * 200_001)
    assert send(client, campaign, payload).status_code == 413


def test_a_sitting_that_floods_gets_429_and_its_outbox_tries_again(client, campaign, monkeypatch):
    monkeypatch.setattr(screen_rules, "MOST_IN_A_MINUTE", 1)
    document = begin(client, campaign)
    assert send(client, campaign, payload_for(campaign, document)).status_code == 201
    payload = payload_for(campaign, document, 1)
    refused = send(client, campaign, payload)
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "30")
    monkeypatch.setattr(screen_rules, "MOST_IN_A_MINUTE", 2)
    assert send(client, campaign, payload).status_code == 201


def test_an_unreadable_body_that_is_too_long_is_refused_and_not_cut(client, campaign):
    document = begin(client, campaign)
    payload = payload_for(campaign, document, version=9, comment="x" * 20_000)
    assert send(client, campaign, payload).status_code == 422
    assert not QuarantinedPayload.objects.exists()


def statements_of(captured) -> list[str]:
    """The captured statements without those that begin, divide or end a transaction."""
    control = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")
    return [query["sql"] for query in captured if not query["sql"].startswith(control)]


@pytest.mark.parametrize("fresh", [True, False])
def test_a_submission_takes_five_statements_at_most(client, fresh):
    campaign = make_campaign(rankme_definition())
    document = begin(client, campaign)
    if not fresh:  # the lease was renewed a while ago: this one renews it
        campaign.assignments.update(leased_until=Now() + timedelta(minutes=30))
    payload = payload_for(campaign, document)
    with CaptureQueriesContext(connection) as captured:
        assert send(client, campaign, payload).status_code == 201
    statements = statements_of(captured)
    assert len(statements) <= (4 if fresh else 5), statements


def test_entering_takes_few_statements(client):
    """Two thousand people can come within seconds: five statements to agree, six to hold work."""
    campaign = make_campaign(rankme_definition())
    door = address("enter", campaign)
    asked = {"arrival": arrival_at(client, door, {}), "decision": "agree", "at_once": "1"}
    with CaptureQueriesContext(connection) as captured:
        assert client.post(door, asked).status_code == 200
    assert len(statements_of(captured)) == 5, statements_of(captured)
    instructions = address("instructions", campaign)
    with CaptureQueriesContext(connection) as captured:
        page = client.post(instructions, {"at_once": "1"})
    assert len(statements_of(captured)) == 6, statements_of(captured)
    assert document_of(page)["assignment"] == campaign.assignments.get().pk


# The end -----------------------------------------------------------------------------------


def test_nobody_finishes_with_screens_missing(client, campaign):
    document = begin(client, campaign)
    send(client, campaign, payload_for(campaign, document, 2))
    answer = client.post(address("finish", campaign))
    assert answer.status_code == 409
    assert answer.json()["stored"] == [[2, 0]]
    assert campaign.participants.get().completion_code == ""


def test_the_end_of_the_work_takes_four_statements(client, campaign):
    """Who is it, lock, read, write: the sitting, its slot and the visit end together."""
    document = begin(client, campaign)
    for trial in range(len(document["trials"])):
        send(client, campaign, payload_for(campaign, document, trial))
    with CaptureQueriesContext(connection) as captured:
        answer = client.post(address("finish", campaign))
    assert answer.json()["next"] == address("done", campaign)
    assert len(statements_of(captured)) == 4, statements_of(captured)
    assert campaign.slots.filter(state="done").count() == 1
    assert campaign.participants.get().state == "completed"


def of_two_batches() -> Campaign:
    options = {"outputs_per_screen": 3, "trials_per_batch": 2}
    design = {"kind": "random_blocks", "options": options}
    return make_campaign(rankme_definition(design=design, crowd={"batches_per_rater": 2}))


def test_a_rater_may_do_several_batches_or_stop(client):
    campaign = of_two_batches()
    document = begin(client, campaign)
    answer = complete(client, campaign, document)
    assert answer.json()["next"] == address("more", campaign)
    assert "stop here" in client.get(answer.json()["next"]).text
    document = document_of(client.get(address("work", campaign)))
    answer = complete(client, campaign, document)
    assert answer.json()["next"] == address("done", campaign)


def test_who_stops_after_a_batch_gets_the_code(client):
    campaign = of_two_batches()
    complete(client, campaign, begin(client, campaign))
    page = client.post(address("done", campaign), follow=True)
    assert campaign.participants.get().completion_code in page.text


def test_a_last_comment_is_kept(client, campaign):
    complete(client, campaign, begin(client, campaign))
    done = address("done", campaign)
    page = client.post(done, {"comment": "Well made.\x00"}, follow=True)
    assert "Well made." in page.text
    assert campaign.participants.get().comment == "Well made."


@pytest.mark.parametrize(
    ("reason", "sentence", "asks_again"),
    [
        ("busy", "One moment", True),
        ("later", "There is no free work at the moment", True),
        ("paused", "This study is paused", True),
        ("closed", "This study is closed", False),
        ("complete", "There is no work left for you", False),
        ("enough", "You have done your part", False),
    ],
)
def test_no_work_is_said_plainly_and_why(
    client, campaign, monkeypatch, reason, sentence, asks_again
):
    begin(client, campaign)
    monkeypatch.setattr(assignments, "claim_batch", lambda rater: NoBatch(reason))
    page = client.get(address("work", campaign)).text
    assert sentence in page
    assert ("wait.js" in page) == asks_again


def test_when_all_work_is_done_a_newcomer_is_told_before_the_consent(client):
    campaign = make_campaign(items=1, systems=1)
    complete(client, campaign, begin(client, campaign, id="w1"))
    page = Client().get(address("enter", campaign), {"id": "w2"}).text
    assert "There is no work left for you" in page
    assert 'name="arrival"' not in page
    assert campaign.participants.count() == 1


def test_when_others_hold_the_rest_a_rater_is_asked_to_wait_and_then_told(client):
    campaign = make_campaign(items=1, systems=1)
    document = begin(client, campaign, id="w1")
    late = Client()
    arrive(late, campaign, id="w2")
    late.post(address("instructions", campaign))
    work = address("work", campaign)
    assert "There is no free work at the moment" in late.get(work).text
    complete(client, campaign, document)
    assert "There is no work left for you" in late.get(work).text


def test_a_paused_or_closed_campaign_says_so_on_entry(client, campaign):
    pause_campaign(campaign, by=campaign.owner)
    door = address("enter", campaign)
    assert "This study is paused" in client.get(door).text
    close_campaign(campaign, by=campaign.owner)
    assert "This study is closed" in client.get(door).text


def test_work_that_was_handed_out_can_be_sent_after_the_close(client, campaign):
    document = begin(client, campaign)
    close_campaign(campaign, by=campaign.owner)
    assert complete(client, campaign, document).json()["next"].endswith("/done/")


def test_the_buttons_speak_the_campaigns_language(client):
    campaign = make_campaign(slider_definition(language="ar"))
    page = client.get(address("enter", campaign)).text
    assert '<html lang="ar" dir="rtl">' in page
