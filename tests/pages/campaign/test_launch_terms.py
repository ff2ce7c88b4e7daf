"""What the launch page says about fairness: the pay per hour, and the speed of reading."""

import re

import pytest
from django.urls import reverse

from rankme.models import Campaign
from rankme.queries.reading import count_words
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address

pytestmark = pytest.mark.django_db


def page_of(client, campaign: Campaign) -> str:
    client.force_login(campaign.owner)
    page = client.get(address("campaign-launch", campaign)).text
    return " ".join(re.sub(r"<[^>]+>", " ", page).split())


def draft(**crowd: object) -> Campaign:
    """Four trials in a batch of 60 seconds each: 15 batches an hour."""
    terms = {"expected_seconds_per_screen": 60, "completion_codes": {"completed": "C"}} | crowd
    design = {"kind": "complete", "options": {"trials_per_batch": 4}}
    return make_campaign(slider_definition(crowd=terms, design=design), launch=False)


def test_the_pay_per_hour_follows_from_pay_and_time(client):
    page = page_of(client, draft(pay_per_batch=0.5, currency="EUR"))
    assert "7.50 EUR per hour at the expected time" in page
    assert "asks for" not in page


def test_less_than_the_panel_asks_for_is_a_warning_with_the_amount_that_is_enough(client):
    poor = draft(panel="prolific", pay_per_batch=0.2, currency="GBP")
    page = page_of(client, poor)
    assert "3.00 GBP per hour at the expected time; prolific asks for 6.00 or more" in page
    assert "Pay at least 0.40 GBP per batch" in page
    fair = page_of(client, draft(panel="prolific", pay_per_batch=0.4, currency="GBP"))
    assert "6.00 GBP per hour" in fair and "Pay at least" not in fair


def test_the_speed_of_reading_is_counted_in_the_campaigns_own_texts(client):
    campaign = draft()
    campaign.items.update(input=" ".join(["word"] * 96))
    for item in campaign.items.all():
        item.outputs.update(text=" ".join(["word"] * 24))
    page = page_of(client, campaign)
    assert "120 words/min to read the 120 words of a screen" in page
    assert "reading alone takes" not in page
    campaign.items.update(input=" ".join(["word"] * 452))
    assert "reading alone takes 120 seconds, and you expect 60 seconds" in page_of(client, campaign)


@pytest.mark.parametrize(
    ("text", "words"), [("", 0), ("two words", 2), ("今天天气很好", 4), ("Tokyo 東京都", 3)]
)
def test_words_are_counted_in_scripts_with_and_without_spaces(text, words):
    assert count_words(text) == words


def test_a_study_without_pay_says_nothing_of_money(client):
    assert "GBP" not in page_of(client, draft())


def test_the_batches_of_each_rater_follow_from_the_number_of_raters(client):
    """Sixteen trials in batches of four, each judged by three raters: twelve sittings."""
    campaign = draft()
    Campaign.objects.filter(pk=campaign.pk).update(
        definition=campaign.definition | {"raters_per_trial": 3}
    )
    assert "12 raters are needed, at 1 batch each" in page_of(client, campaign)
    address = reverse("rankme:campaign-launch", args=[campaign.code])
    for raters, said in (
        ("3", "Each rater may now do 4 batches, so 3 raters are enough."),
        ("2", "Each batch is judged by 3 different raters"),
        ("many", "Enter how many raters you have"),
    ):
        page = client.post(address, {"raters": raters}, follow=True).text
        assert said in page
    assert "3 raters are needed, at up to 4 batches each" in page_of(client, campaign)
