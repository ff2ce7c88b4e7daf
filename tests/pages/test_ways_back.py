"""Every rater has a way back, a way out, and nobody else's work to spoil."""

import csv
import io
import re
from datetime import timedelta

import pytest
from django.core import signing
from django.db.models import F
from django.test import Client
from django.urls import reverse

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.runs import run_exclusions
from rankme.actions.sitting import assignments, exclusions, judgements
from rankme.models import AnalysisRun, Assignment, Campaign, Participant, Submission
from rankme.pages.rater.rater_identity import COOKIE_SALT
from rankme.queries.judgement_table import judgement_table
from tests.campaigns import make_campaign, make_rater, rankme_definition
from tests.campaigns import slider_definition as sliders
from tests.invariants import counted_submissions
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
from tests.sittings import run_out

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_record_holds"), pytest.mark.slow]


@pytest.fixture(scope="module")
def one_batch_once(rows_of_the_module: None) -> Campaign:
    """One batch of four screens that one rater does. Tests roll back what they do to it."""
    return make_campaign(sliders(design={"kind": "complete"}), items=4, systems=1)


@pytest.fixture
def campaign(one_batch_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=one_batch_once.pk)


def work_page(client, campaign):
    return client.get(address("work", campaign))


def door_of(campaign):
    return address("enter", campaign)


def lose_the_slot(client, campaign, *, answered: int = 3, other: bool = True):
    """A rater answers, is away for too long, and somebody else takes the batch."""
    document = begin(client, campaign, id="slow")
    for trial in range(answered):
        send(client, campaign, payload_for(campaign, document, trial))
    run_out(campaign.assignments.get())
    if other:
        begin(Client(), campaign, id="quick")
    assignments.expire_overdue()
    return document


# A lease that ran out ----------------------------------------------------------------------


@pytest.mark.parametrize("comes_back_by", ["reload", "link", "open page"])
def test_a_rater_whose_lease_ran_out_finishes_her_own_batch(client, campaign, comes_back_by):
    document = lose_the_slot(client, campaign)
    if comes_back_by == "link":
        page = client.get(door_of(campaign), {"id": "slow"}, follow=True)
    if comes_back_by != "open page":
        page = work_page(client, campaign)
        again = document_of(page)
        assert again["assignment"] == document["assignment"]
        assert again["stored"] == [[0, 0], [1, 0], [2, 0]]
        assert "somebody else has been asked to do it too" in page.text
    assert send(client, campaign, payload_for(campaign, document, 3)).json()["late"]
    answer = client.post(address("finish", campaign))
    assert answer.json()["next"] == address("done", campaign)
    rater = campaign.participants.get(external_id="slow")
    assert rater.completion_code in client.get(answer.json()["next"]).text


def test_who_finishes_late_is_stored_and_counts_once(client):
    crowd = {"completion_code": "FULL", "late_code": "LATE", "late_pay": 2.5}
    definition = sliders(design={"kind": "complete"}, crowd=crowd)
    campaign = make_campaign(definition, items=4, systems=1)
    document = lose_the_slot(client, campaign, other=False)
    quick = Client()
    complete(quick, campaign, begin(quick, campaign, id="quick"))
    send(client, campaign, payload_for(campaign, document, 3))
    client.post(address("finish", campaign))
    page = client.get(address("done", campaign)).text
    assert "LATE" in page and "2.50 GBP" in page
    slow = campaign.participants.get(external_id="slow")
    assert (slow.outcome, slow.completion_code) == ("late", "LATE")
    assert not slow.assignments.get().counts
    assert slow.assignments.get().submissions.count() == 4
    assert campaign.participants.get(external_id="quick").outcome == "completed"


def test_screens_are_missing_from_a_late_batch_too(client, campaign):
    lose_the_slot(client, campaign)
    answer = client.post(address("finish", campaign))
    assert (answer.status_code, len(answer.json()["stored"])) == (409, 3)


def test_a_lease_that_the_organiser_ended_can_be_finished_too(client, campaign):
    document = begin(client, campaign, id="slow")
    send(client, campaign, payload_for(campaign, document, 0))
    assignments.free_lease(campaign.assignments.get(), by=campaign.owner)
    begin(Client(), campaign, id="quick")
    assert document_of(work_page(client, campaign))["assignment"] == document["assignment"]


def test_a_batch_that_was_begun_can_be_finished_after_the_close(client, campaign):
    document = lose_the_slot(client, campaign)
    close_campaign(campaign, by=campaign.owner)
    assert document_of(work_page(client, campaign))["assignment"] == document["assignment"]


def test_who_had_answered_nothing_gets_another_batch(client):
    campaign = make_campaign(items=4, systems=4)  # four batches
    document = lose_the_slot(client, campaign, answered=0)
    assert document_of(work_page(client, campaign))["assignment"] != document["assignment"]


def test_pages_without_work_send_what_the_browser_still_keeps(client, campaign):
    lose_the_slot(client, campaign, answered=0)
    page = work_page(client, campaign).text
    assert "Your time for this work ran out" in page
    assert 'id="leftovers"' in page


# Giving back -------------------------------------------------------------------------------


def give_back(client, campaign, decision="give-back"):
    address = reverse("rankme:give-back", args=[campaign.code])
    return client.post(address, {"decision": decision}, follow=True)


def test_a_rater_gives_the_rest_back_after_being_asked(client, campaign):
    document = begin(client, campaign, id="w1")
    send(client, campaign, payload_for(campaign, document, 0))
    assert address("give-back", campaign) in work_page(client, campaign).text
    asked = client.get(address("give-back", campaign)).text
    assert "You have answered 1 of 4 pages." in asked
    assert campaign.assignments.get().state == "held"
    page = give_back(client, campaign).text
    rater = campaign.participants.get()
    assert (rater.state, rater.outcome) == ("returned", "returned")
    assert rater.completion_code and rater.completion_code in page
    assert campaign.slots.get().state == "free"
    assert Submission.objects.count() == 1
    assert document_of(open_as(campaign, "w2"))["assignment"] != document["assignment"]


def open_as(campaign, name):
    other = Client()
    begin(other, campaign, id=name)
    return work_page(other, campaign)


def test_who_gave_nothing_gets_no_code(client, campaign):
    begin(client, campaign, id="w1")
    page = give_back(client, campaign).text
    assert "There is no completion code for a batch that you give back" in page
    assert campaign.participants.get().completion_code == ""


def test_the_organisers_code_and_pay_for_a_part(client):
    crowd = {"panel": "prolific", "completion_code": "FULL"}
    paid = make_campaign(sliders(crowd=crowd | {"partial_code": "PART", "partial_pay": 1.5}))
    document = begin(client, paid, PROLIFIC_PID="p1")
    send(client, paid, payload_for(paid, document, 0))
    page = give_back(client, paid).text
    assert "submissions/complete?cc=PART" in page and "1.50 GBP" in page
    # A code that Prolific does not know would pay nobody.
    unpaid = make_campaign(sliders(crowd=crowd))
    document = begin(client, unpaid, PROLIFIC_PID="p1")
    send(client, unpaid, payload_for(unpaid, document, 0))
    assert "There is no completion code" in give_back(client, unpaid).text


def test_who_gave_back_can_go_on_after_all(client, campaign):
    document = begin(client, campaign, id="w1")
    send(client, campaign, payload_for(campaign, document, 0))
    give_back(client, campaign)
    link = client.get(door_of(campaign), {"id": "w1"})
    assert link.url == address("give-back", campaign)
    page = give_back(client, campaign, "go-on")
    assert document_of(page)["assignment"] == document["assignment"]
    assert campaign.assignments.get().state == "held"
    complete_rest(client, campaign, document, 1)
    assert campaign.participants.get().outcome == "completed"


def complete_rest(client, campaign, document, first):
    for trial in range(first, len(document["trials"])):
        send(client, campaign, payload_for(campaign, document, trial))
    return client.post(address("finish", campaign))


def test_who_has_finished_one_batch_and_gives_the_next_back_gets_the_code(client):
    definition = sliders(crowd={"batches_per_rater": 2, "completion_code": "FULL"})
    campaign = make_campaign(definition)
    complete(client, campaign, begin(client, campaign, id="w1"))
    work_page(client, campaign)
    assert "FULL" in give_back(client, campaign).text
    assert campaign.participants.get().outcome == "completed"


# A second browser ----------------------------------------------------------------------------


def test_a_stranger_with_a_panel_id_displaces_no_answer(client, campaign):
    document = begin(client, campaign, id="w1")
    send(client, campaign, spoken(campaign, document, 0, 10))
    stranger = Client()
    stranger.get(door_of(campaign), {"id": "w1"})
    page = work_page(stranger, campaign)
    # An answer where there is none, and one in place of the rater's.
    early = spoken(campaign, document, 1, 90)
    assert send(stranger, campaign, early).status_code == 201
    mine = Submission.objects.earliest("id")
    thrust = spoken(campaign, document, 0, 90, replaces=str(mine.key))
    assert send(stranger, campaign, thrust).json()["surplus"]
    # The rater's own answer counts, though the stranger's came first.
    assert not send(client, campaign, spoken(campaign, document, 1, 20)).json()["surplus"]
    assert send(stranger, campaign, spoken(campaign, document, 1, 95)).json()["surplus"]
    complete_rest(client, campaign, document, 2)
    counted = counted_submissions(campaign)
    assert not [found for found in counted if "second browser" in found.flags]
    assert campaign.participants.get().second_browser_at is not None
    assert give_back(stranger, campaign).redirect_chain[-1][0].endswith("/done/")
    assert "resume" in page.text


def spoken(campaign, document, trial, value, **more):
    payload = payload_for(campaign, document, trial, **more)
    payload["answers"][0]["value"] = value
    return payload


def test_a_sitting_that_a_stranger_finished_stays_the_raters_own(client, campaign):
    document = begin(client, campaign, id="w1")
    stranger = Client()
    stranger.get(door_of(campaign), {"id": "w1"})
    for trial in range(4):
        send(stranger, campaign, spoken(campaign, document, trial, 99))
    stranger.post(address("finish", campaign))
    for trial in range(4):
        assert not send(client, campaign, spoken(campaign, document, trial, 1)).json()["surplus"]
    values = judgements.Judgement.objects.filter(
        submission__in=counted_submissions(campaign)
    ).values_list("value", flat=True)
    assert list(values) == [1] * 4


def test_a_second_browser_cannot_use_up_what_the_rater_may_send(client, campaign):
    document = begin(client, campaign, id="w1")
    stranger = Client()
    stranger.get(door_of(campaign), {"id": "w1"})
    statuses = {
        send(stranger, campaign, spoken(campaign, document, 0, 90)).status_code for _ in range(12)
    }
    assert statuses == {201, 422}
    assert not send(client, campaign, spoken(campaign, document, 0, 20)).json()["surplus"]


def test_without_the_rule_of_browsers_the_stranger_would_count(client, campaign, monkeypatch):
    """The control: if every browser is the rater's, the stranger's answer displaces theirs."""
    monkeypatch.setattr("rankme.pages.rater.rater_identity.seen_from", lambda rater, browser: rater)
    document = begin(client, campaign, id="w1")
    stranger = Client()
    stranger.get(door_of(campaign), {"id": "w1"})
    send(stranger, campaign, spoken(campaign, document, 1, 90))
    assert send(client, campaign, spoken(campaign, document, 1, 20)).json()["surplus"]


def test_an_honest_rater_in_another_browser_finishes_and_is_paid(client):
    crowd = {"panel": "prolific", "completion_code": "FULL"}
    campaign = make_campaign(sliders(crowd=crowd))
    document = begin(client, campaign, PROLIFIC_PID="p1", SESSION_ID="s1")
    send(client, campaign, payload_for(campaign, document, 0))
    other = Client()
    other.get(door_of(campaign), {"PROLIFIC_PID": "p1", "SESSION_ID": "s2"})
    complete_rest(other, campaign, document, 1)
    page = other.get(address("done", campaign)).text
    assert "cc=FULL" in page
    assert len(counted_submissions(campaign)) == 4
    assert campaign.participants.count() == 1


def test_the_link_in_the_first_browser_changes_nothing(client, campaign):
    begin(client, campaign, id="w1")
    client.get(door_of(campaign), {"id": "w1"})
    send(client, campaign, payload_for(campaign, document_of(work_page(client, campaign)), 0))
    assert Submission.objects.get().flags == []
    assert campaign.participants.get().second_browser_at is None


def test_the_resume_link_makes_no_second_browser_and_a_strangers_no_first(client, campaign):
    begin(client, campaign, id="w1")
    other, stranger, friend = Client(), Client(), Client()
    other.get(resume_link(work_page(client, campaign)))
    document = document_of(work_page(other, campaign))
    send(other, campaign, payload_for(campaign, document, 0))
    assert Submission.objects.get().flags == []
    stranger.get(door_of(campaign), {"id": "w1"})
    friend.get(resume_link(work_page(stranger, campaign)))
    send(friend, campaign, payload_for(campaign, document, 1))
    assert Submission.objects.latest("id").flags == ["second browser"]


def resume_link(page) -> str:
    return re.search(r'id="resume-link" value="([^"]+)"', page.text)[1]


def test_an_old_consent_page_does_not_open_the_work_of_others(client, campaign):
    stranger = Client()
    arrival = arrival_at(stranger, door_of(campaign), {"id": "w1"})
    document = begin(client, campaign, id="w1")
    stranger.post(door_of(campaign), {"arrival": arrival, "decision": "agree"})
    send(stranger, campaign, payload_for(campaign, document, 0))
    assert Submission.objects.get().flags == ["second browser"]


def test_a_consent_form_that_was_sent_twice_is_one_browser(client, campaign):
    arrival = arrival_at(client, door_of(campaign), {"id": "w1"})
    for _ in range(2):
        client.post(door_of(campaign), {"arrival": arrival, "decision": "agree"})
    assert campaign.participants.count() == 1
    client.post(address("instructions", campaign))
    send(client, campaign, payload_for(campaign, document_of(work_page(client, campaign)), 0))
    assert Submission.objects.get().flags == []


def test_a_personal_link_is_a_secret_and_opens_any_browser(campaign):
    invite_raters(campaign, ["Ada"], by=campaign.owner)
    token = campaign.invitations.get().token
    first, second = Client(), Client()
    document = begin(first, campaign, invitation=token)
    second.get(door_of(campaign), {"invitation": token})
    send(second, campaign, payload_for(campaign, document, 0))
    assert Submission.objects.get().flags == []


def test_a_second_browser_screens_nobody_out_and_reads_no_comment(client):
    question = {"name": "native", "question": "Native?", "kind": "yes-no", "accept": ["yes"]}
    campaign = make_campaign(sliders(entry_questions=[question]))
    arrive(client, campaign, id="w1")
    stranger = Client()
    stranger.get(door_of(campaign), {"id": "w1"})
    questions = address("questions", campaign)
    refused = stranger.post(questions, {"entry-native": "no"})
    assert "do not belong to the group" in refused.text
    assert campaign.participants.get().state == "working"
    client.post(questions, {"entry-native": "yes"})
    client.post(address("instructions", campaign))
    complete(client, campaign, document_of(work_page(client, campaign)))
    done = address("done", campaign)
    client.post(done, {"comment": "My secret."})
    assert "My secret." in client.get(done).text
    assert "My secret." not in stranger.get(done).text
    stranger.post(done, {"comment": "Mine now."})
    assert campaign.participants.get().comment == "My secret."


# Doors ---------------------------------------------------------------------------------------


def test_without_an_open_link_a_nameless_visitor_stays_outside(client):
    campaign = make_campaign(sliders(crowd={"open_link": False}))
    names = ("{{%PROLIFIC_PID%}}", "x" * 201, " ", "invented")
    for link in ({}, *({"id": name} for name in names)):
        page = client.get(door_of(campaign), link)
        assert page.status_code == 403
        assert "This link is incomplete" in page.text and "arrival" not in page.text
    invite_raters(campaign, ["Ada"], by=campaign.owner)
    begin(client, campaign, invitation=campaign.invitations.get().token)


def test_a_panels_ids_come_in_where_the_campaign_names_the_panel(client):
    named = make_campaign(sliders(crowd={"open_link": False, "id_parameter": "worker"}))
    assert client.get(door_of(named), {"worker": "w1"}).status_code == 200
    assert client.get(door_of(named), {"id": "w1"}).status_code == 403
    prolific = {"panel": "prolific", "completion_code": "C0DE"}
    campaign = make_campaign(sliders(crowd=prolific))
    assert client.get(door_of(campaign), {"PROLIFIC_PID": "p1"}).status_code == 200
    assert client.get(door_of(campaign)).status_code == 403


def test_strangers_with_an_open_link_do_not_get_the_panels_code(client):
    crowd = {"panel": "prolific", "completion_code": "C0DE", "open_link": True}
    campaign = make_campaign(sliders(crowd=crowd))
    complete(client, campaign, begin(client, campaign))
    assert campaign.participants.get().completion_code != "C0DE"


# Declining -----------------------------------------------------------------------------------


def test_who_declines_leaves_a_number_and_nothing_else_and_may_take_it_back(client, campaign):
    door = door_of(campaign)
    arrival = arrival_at(client, door, {"id": "secret-id", "session": "secret-session"})
    told = client.post(door, {"arrival": arrival, "decision": "decline"}).text
    assert "You chose not to take part" in told and "Nothing about you was collected" in told
    assert not Participant.objects.exists()
    campaign.refresh_from_db()
    assert campaign.refusals == 1
    client.force_login(campaign.owner)
    assert "1 person did not agree" in client.get(address("campaign-raters", campaign)).text
    client.post(door, {"arrival": arrival, "decision": "agree"})
    assert campaign.participants.get().consented_at is not None


def test_who_has_agreed_cannot_decline_from_an_old_page(client, campaign):
    arrival = arrival_at(client, door_of(campaign), {"id": "w1"})
    client.post(door_of(campaign), {"arrival": arrival, "decision": "agree"})
    answer = client.post(door_of(campaign), {"arrival": arrival, "decision": "decline"})
    assert answer.url == address("instructions", campaign)
    campaign.refresh_from_db()
    assert campaign.refusals == 0


# How long a cookie and a link last -----------------------------------------------------------


def age(campaign, days):
    """Let everything that the record knows of the raters be so many days older."""
    back = timedelta(days=days)
    campaign.participants.update(arrived_at=F("arrived_at") - back)
    campaign.participants.exclude(completed_at=None).update(completed_at=F("completed_at") - back)
    campaign.assignments.update(leased_until=F("leased_until") - back)
    campaign.assignments.exclude(ended_at=None).update(ended_at=F("ended_at") - back)


def test_cookies_and_resume_links_end_some_time_after_the_work(client, campaign):
    document = begin(client, campaign, id="w1")
    link = resume_link(work_page(client, campaign))
    complete(client, campaign, document)
    done = address("done", campaign)
    age(campaign, 59)
    assert client.get(done).status_code == 200
    assert Client().get(link).url == address("work", campaign)
    age(campaign, 2)
    assert client.get(done).url == door_of(campaign)
    assert Client().get(link).url == door_of(campaign)


def test_nobody_is_sent_away_in_the_middle_of_a_batch_whatever_the_clock_says(client, campaign):
    document = begin(client, campaign, id="w1")
    campaign.participants.update(arrived_at="1970-01-01T00:00:00Z")
    campaign.assignments.update(
        claimed_at="1970-01-01T00:00:00Z", leased_until="1970-01-01T01:00:00Z"
    )
    assert send(client, campaign, payload_for(campaign, document, 0)).status_code == 201


def test_the_organiser_ends_a_cookie_and_a_resume_link(client, campaign):
    begin(client, campaign, id="w1")
    link = resume_link(work_page(client, campaign))
    rater = campaign.participants.get()
    client.force_login(campaign.owner)
    client.post(address("campaign-rater-end-access", campaign, rater.label))
    assert work_page(client, campaign).url == door_of(campaign)
    assert Client().get(link).url == door_of(campaign)
    assert campaign.audit_events.filter(verb="rater's access ended").exists()


def test_a_cookie_of_the_last_release_still_opens_the_work(client, campaign):
    begin(client, campaign, id="w1")
    rater = campaign.participants.get()
    Participant.objects.filter(pk=rater.pk).update(browser="")
    old = Client()
    old.cookies["rater"] = signing.get_cookie_signer(salt="rater" + COOKIE_SALT).sign(rater.pk)
    send(old, campaign, payload_for(campaign, document_of(work_page(old, campaign)), 0))
    assert Submission.objects.get().flags == []


# What the organiser sees ---------------------------------------------------------------------


def test_the_organiser_sees_every_code_and_outcome(client, campaign):
    complete(client, campaign, begin(client, campaign, id="panel-id-1"))
    rater = campaign.participants.get()
    client.force_login(campaign.owner)
    page = client.get(address("campaign-rater", campaign, rater.label))
    assert rater.completion_code in page.text
    file = client.get(address("campaign-raters-file", campaign))
    (row,) = csv.DictReader(io.StringIO(file.text))
    assert (row["completion_code"], row["outcome"]) == (rater.completion_code, "completed")
    assert "panel-id-1" not in file.text


def test_the_raters_file_holds_no_formula(olga, campaign):
    invite_raters(campaign, ["=cmd|calc"], by=campaign.owner)
    begin(Client(), campaign, invitation=campaign.invitations.get().token)
    file = olga.get(address("campaign-raters-file", campaign))
    (row,) = csv.DictReader(io.StringIO(file.text))
    assert row["name"].startswith("'=")


# An excluded rater's places ------------------------------------------------------------------


def test_an_excluded_raters_places_are_open_again(client, campaign):
    complete(client, campaign, begin(client, campaign, id="w1"))
    odd = campaign.participants.get()
    assert campaign.slots.get().state == "done"
    exclusions.exclude_rater(odd, reason="Always 50.", by=campaign.owner)
    assert campaign.slots.get().state == "free"
    assert odd.assignments.get().counts, "the record keeps the work while nobody replaces it"
    other = Client()
    complete(other, campaign, begin(other, campaign, id="w2"))
    assert campaign.slots.get().state == "done"
    assert Assignment.objects.get(counts=True).participant.external_id == "w2"
    assert odd.assignments.get().submissions.count() == 4
    run = AnalysisRun(campaign=campaign, options={"exclude_raters": []})
    said = [{"rater": odd.label, "reason": "Always 50."}]
    still_named = run_exclusions.exclusions(run, judgement_table(campaign))
    assert still_named == said, "the report still names the rater"
    exclusions.readmit_rater(odd, by=campaign.owner)
    assert Assignment.objects.get(counts=True).participant.external_id == "w2"


def test_a_readmitted_rater_counts_where_nobody_has_finished_meanwhile(client, campaign):
    complete(client, campaign, begin(client, campaign, id="w1"))
    odd = campaign.participants.get()
    exclusions.exclude_rater(odd, reason="Always 50.", by=campaign.owner)
    other = Client()
    document = begin(other, campaign, id="w2")
    exclusions.readmit_rater(odd, by=campaign.owner)
    assert Assignment.objects.get(counts=True).participant == odd
    # The rater who replaces them finishes anyway.
    assert complete(other, campaign, document).json()["next"].endswith("/done/")
    assert Assignment.objects.get(counts=True).participant == odd


def test_an_excluded_rater_gets_no_new_batch_but_may_finish(client):
    campaign = make_campaign(
        rankme_definition(
            raters_per_trial=1,
            crowd={"batches_per_rater": 3},
            design={
                "kind": "random_blocks",
                "options": {"outputs_per_screen": 3, "trials_per_batch": 2},
            },
        )
    )
    document = begin(client, campaign, id="w1")
    send(client, campaign, payload_for(campaign, document, 0))
    odd = campaign.participants.get()
    exclusions.exclude_rater(odd, reason="Odd.", by=campaign.owner)
    held = campaign.assignments.get()
    assert (held.state, held.slot.state) == ("freed", "free")
    assert document_of(work_page(client, campaign))["assignment"] == held.pk
    complete_rest(client, campaign, document, 1)
    page = client.get(address("work", campaign), follow=True)
    assert "completion code" in page.text
    assert campaign.assignments.count() == 1
    assert campaign.slots.get(pk=held.slot_id).state == "free"


def test_somebody_else_than_the_excluded_rater_takes_the_place(campaign):
    first = make_rater(campaign, "w1")
    exclusions.exclude_rater(first, reason="Odd.", by=campaign.owner)
    assert assignments.claim_batch(first) == assignments.NoBatch("enough")
    assert isinstance(assignments.claim_batch(make_rater(campaign, "w2")), Assignment)
