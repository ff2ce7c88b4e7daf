"""Every last page gives the code, the address and the pay of its outcome."""

import pytest
from django.test import Client
from django.urls import reverse

from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.sitting import participation
from rankme.errors import InvalidDefinition
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.files import definition_from_document, definition_to_document
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import begin, complete, payload_for, send

pytestmark = pytest.mark.django_db
CODES = {outcome.value: f"CODE-{outcome.value.upper()}" for outcome in Outcome}
QUESTION = {"name": "native", "question": "Native?", "kind": "yes-no", "accept": ["yes"]}


def door_of(campaign):
    return address("enter", campaign)


def work_page(client, campaign):
    return client.get(address("work", campaign), follow=True)


def prolific(**changes):
    crowd = {"panel": "prolific", "completion_codes": CODES} | changes.pop("crowd", {})
    return make_campaign(slider_definition(crowd=crowd, **changes))


def assert_ends_with(page, outcome):
    text = page.text
    code = CODES[outcome]
    assert f"https://app.prolific.com/submissions/complete?cc={code}" in text
    assert [other for other in CODES.values() if f">{other}<" in text] == [code]


def arrive(client, campaign, person="p1"):
    return client.get(door_of(campaign), {"PROLIFIC_PID": person})


def decide(client, campaign, decision, person="p1"):
    arrival = arrive(client, campaign, person).context["arrival"]
    data = {"arrival": arrival, "decision": decision}
    return client.post(door_of(campaign), data, follow=True)


def test_who_declines_gets_the_code_for_no_consent(client):
    campaign = prolific()
    assert_ends_with(decide(client, campaign, "decline"), "no_consent")
    assert not campaign.participants.exists()


def test_a_device_that_does_not_fit(client):
    campaign = prolific(crowd={"devices": "desktop"})
    assert_ends_with(decide(client, campaign, "agree"), "incompatible_device")


def test_screened_out_raters_get_their_code_and_pay(client):
    pay = {"pay_by_outcome": {"screened_out": 0.1}}
    campaign = prolific(entry_questions=[QUESTION], crowd=pay)
    decide(client, campaign, "agree")
    page = client.post(address("questions", campaign), {"entry-native": "no"}, follow=True)
    assert_ends_with(page, "screened_out")
    assert "0.10 GBP" in page.text
    rater = campaign.participants.get()
    assert (rater.outcome, rater.completion_code) == ("screened_out", CODES["screened_out"])


def test_raters_whose_answer_is_full_read_so_and_get_their_code():
    limited = QUESTION | {"accept": [], "most": {"yes": 1}}
    campaign = prolific(entry_questions=[limited])
    first, second = Client(), Client()
    for number, browser in enumerate((first, second)):
        decide(browser, campaign, "agree", person=f"p{number}")
    address = reverse("rankme:questions", args=[campaign.code])
    assert "complete?cc" not in first.post(address, {"entry-native": "yes"}).text
    page = second.post(address, {"entry-native": "yes"}, follow=True)
    assert_ends_with(page, "quota_full")
    assert "Enough people who answered as you did" in page.text
    work_page(second, campaign)  # coming back changes nothing
    rater = campaign.participants.get(external_id="p1")
    assert (rater.outcome, rater.completion_code) == ("quota_full", CODES["quota_full"])


@pytest.mark.parametrize("outcome", ["failed_checks", "too_fast"])
def test_work_that_the_rules_end(client, outcome):
    campaign = prolific()
    begin(client, campaign, PROLIFIC_PID="p1")
    participation.end_work(campaign.participants.get(), Outcome(outcome))
    assert_ends_with(work_page(client, campaign), outcome)
    assert campaign.slots.filter(state="held").count() == 0


def test_only_rules_end_the_work(client):
    campaign = prolific()
    begin(client, campaign, PROLIFIC_PID="p1")
    with pytest.raises(ValueError, match="completed"):
        participation.end_work(campaign.participants.get(), Outcome.COMPLETED)


def test_the_quota_is_full(client):
    campaign = prolific(raters_per_trial=1)
    for number in range(campaign.batches.count()):
        other = Client()
        complete(other, campaign, begin(other, campaign, PROLIFIC_PID=f"other{number}"))
    assert_ends_with(arrive(client, campaign), "quota_full")


def test_a_closed_campaign_has_no_place_left_either(client):
    campaign = prolific()
    close_campaign(campaign, by=campaign.owner)
    assert_ends_with(arrive(client, campaign), "quota_full")


def test_who_gives_the_rest_back(client):
    campaign = prolific()
    document = begin(client, campaign, PROLIFIC_PID="p1")
    send(client, campaign, payload_for(campaign, document))
    address = reverse("rankme:give-back", args=[campaign.code])
    page = client.post(address, {"decision": "give-back"}, follow=True)
    assert_ends_with(page, "returned")


def test_a_platforms_codes_are_not_for_strangers(client):
    campaign = prolific(crowd={"open_link": True})
    arrival = client.get(door_of(campaign)).context["arrival"]
    page = client.post(door_of(campaign), {"arrival": arrival, "decision": "decline"})
    text = page.text
    assert CODES["no_consent"] not in text and "app.prolific.com" not in text


def test_an_outcome_can_have_an_address_of_its_own(client):
    crowd = {
        "return_url": "https://panel.example/done?cc={code}",
        "return_urls": {"no_consent": "https://panel.example/declined"},
    }
    campaign = make_campaign(slider_definition(crowd=crowd))
    arrival = client.get(door_of(campaign), {"id": "w1"}).context["arrival"]
    page = client.post(door_of(campaign), {"arrival": arrival, "decision": "decline"})
    assert 'href="https://panel.example/declined"' in page.text


def test_settings_of_earlier_files_are_those_of_today():
    before = slider_definition(
        crowd={
            "completion_code": "FULL",
            "late_code": "LATE",
            "partial_code": "PART",
            "late_pay": 2,
            "partial_pay": 1,
        }
    ).crowd
    assert before.completion_codes.completed == "FULL"
    assert before.completion_codes.late == "LATE"
    assert before.completion_codes.returned == "PART"
    assert (before.pay_by_outcome.late, before.pay_by_outcome.returned) == (2, 1)
    written = definition_to_document(slider_definition(crowd={"completion_code": "FULL"}))
    assert written["crowd"] == {"completion_codes": {"completed": "FULL"}}
    assert definition_from_document(written).crowd.completion_codes.completed == "FULL"


def test_one_setting_has_one_place():
    crowd = {"completion_code": "A", "completion_codes": {"completed": "B"}}
    with pytest.raises(InvalidDefinition, match="give one of them"):
        slider_definition(crowd=crowd)


def test_an_unsafe_address_of_an_outcome_is_refused():
    with pytest.raises(InvalidDefinition, match=r"crowd\.return_urls\.quota_full.*https"):
        slider_definition(crowd={"return_urls": {"quota_full": "http://example.org/"}})
