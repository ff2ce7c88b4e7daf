"""People know what they agree to: time, pages, pay, what they need, and how to withdraw."""

import re

import pytest

from rankme.actions.accounts.invitations import invite_raters, refuse_broken_promise
from rankme.actions.campaign.changes import checked_change
from rankme.errors import RefusedAction
from rankme.protocols.files import preset, preset_names
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address

pytestmark = pytest.mark.django_db


def door(client, definition, **material):
    campaign = make_campaign(definition, **material)
    text = client.get(address("enter", campaign)).text
    return re.sub(r"\s+", " ", text)


def test_the_door_says_how_long_it_takes_and_what_it_pays(client):
    crowd = {
        "expected_seconds_per_screen": 60,
        "pay_per_batch": 2.5,
        "currency": "EUR",
        "pay_by_outcome": {"returned": 1},
    }
    texts = {"consent": "Agree?", "instructions": "Move.", "contact": "Ann <ann@example.org>"}
    practice = [{"outputs": ["A text."]}, {"outputs": ["Another."]}]
    definition = slider_definition(crowd=crowd, texts=texts, practice=practice)
    page = door(client, definition, items=8, systems=2)
    assert "about 10 minutes" in page
    assert "8 pages" in page and "2 examples, which do not count" in page
    assert "2.50 EUR" in page and "You are then paid 1.00 EUR." in page
    assert "a computer, tablet or phone" in page
    assert "give the rest back" in page
    assert 'href="mailto:ann@example.org"' in page and "<ann@" not in page


def test_without_pay_nothing_is_said_about_it(client):
    page = door(client, slider_definition())
    assert "<dt>Pay</dt>" not in page and "paid" not in page


def test_several_parts_are_counted_and_paid_separately(client):
    crowd = {"batches_per_rater": 3, "pay_per_batch": 1}
    page = door(client, slider_definition(crowd=crowd))
    assert "you may do up to 3" in page
    assert "1.00 GBP for each part" in page
    assert "Work that you give back is not paid." in page


def test_people_read_that_their_name_is_stored_with_their_link(client):
    campaign = make_campaign()
    named, unnamed = invite_raters(campaign, ["Anna Albrecht", ""], by=campaign.owner)
    door = address("enter", campaign)
    pages = [
        client.get(door, query).text
        for query in ({"invitation": named.token}, {"invitation": unnamed.token}, {})
    ]
    assert ["<dt>Your name</dt>" in page for page in pages] == [True, False, False]
    assert "“Anna Albrecht”" in pages[0]


def test_no_preset_promises_more_than_a_named_link_keeps():
    for name in preset_names():
        refuse_broken_promise(preset(name).texts.consent)


def test_a_needed_device_is_named_before_the_consent(client):
    page = door(client, slider_definition(crowd={"devices": "desktop"}))
    assert "a computer with a mouse or a keyboard" in page
    assert page.index("a mouse or a keyboard") < page.index("I agree to take part")


@pytest.mark.parametrize(
    "promise",
    [
        "We do not store your name or your address.",
        "Ihren Namen und Ihre Adresse speichern wir nicht.",
        "Vaše jméno ani adresu neukládáme.",
        "ولا نحفظ اسمك ولا عنوانك.",
    ],
)
def test_no_name_is_stored_under_a_consent_that_promises_otherwise(promise):
    texts = {"consent": f"Hello. {promise}", "instructions": "Rate."}
    campaign = make_campaign(slider_definition(texts=texts))
    with pytest.raises(RefusedAction, match="make untrue"):
        invite_raters(campaign, ["Anna Albrecht", ""], by=campaign.owner)
    assert len(invite_raters(campaign, [""], by=campaign.owner)) == 1
    named = make_campaign(slider_definition())
    invite_raters(named, ["Anna Albrecht"], by=named.owner)
    with pytest.raises(RefusedAction, match="make untrue"):
        checked_change(named, slider_definition(texts=texts))
