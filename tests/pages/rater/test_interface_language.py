"""Buttons speak the campaign's language or English; the organiser's words say which they are."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests.campaigns import make_campaign, rankme_definition, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive

pytestmark = pytest.mark.django_db
ENTRY = [
    {"name": "native", "question": "Langue maternelle ?", "kind": "yes-no"},
    {"name": "where", "question": "Où ?", "choices": {"fr": "en France", "be": "en Belgique"}},
]


def french(**changes):
    return slider_definition(language="fr", entry_questions=ENTRY, **changes)


def pages_in(browser: str, campaign) -> dict[str, str]:
    """The pages up to the work, as a rater with this browser sees them."""
    client = Client(headers={"accept-language": browser})
    address = {
        name: reverse(f"rankme:{name}", args=[campaign.code])
        for name in ("enter", "questions", "instructions", "work")
    }
    pages = {"enter": client.get(address["enter"], {"id": browser}).text}
    arrive(client, campaign, id=browser)
    pages["questions"] = client.get(address["questions"]).text
    client.post(address["questions"], {"entry-native": "yes", "entry-where": "fr"})
    pages["instructions"] = client.get(address["instructions"]).text
    client.post(address["instructions"])
    pages["work"] = client.get(address["work"]).text
    return pages


def without_nonce(page: str) -> str:
    return re.sub(r'nonce="[^"]+"', "", page)


def test_without_a_translation_every_browser_gets_english():
    campaign = make_campaign(french(raters_per_trial=3))
    shown = [pages_in(browser, campaign) for browser in ("de", "ar", "fr")]
    for pages in shown:
        for page in pages.values():
            assert '<html lang="en" dir="ltr">' in page
            assert 'lang="fr"' in page
    assert "I agree to take part" in shown[0]["enter"]
    assert re.search(r'<bdi\s+lang="fr"\s*>en Belgique</bdi>', shown[1]["questions"])
    assert re.search(r"<bdi\s*>Yes</bdi>", shown[1]["questions"]), "a word of the site's own"
    instructions = [without_nonce(page["instructions"]).split("csrf")[0] for page in shown]
    assert set(instructions) == {instructions[0]}


@pytest.mark.parametrize(("given", "shown"), [("", "fr"), ("cs", "cs")])
def test_a_page_says_the_language_of_the_inputs(given, shown):
    """For screen readers, and for the letters of Chinese, Japanese and Korean."""
    work = pages_in("en", make_campaign(french(input_language=given)))["work"]
    assert re.search(rf'<div\s+lang="{shown}"\s+translate="no"\s+data-fill="input"', work)
    assert re.search(r'lang="fr"\s+translate="no"\s+data-fill="output"', work)


def test_with_a_translation_the_browser_does_not_matter_either():
    campaign = make_campaign(slider_definition(language="de-AT"))
    for browser in ("en", "ar", "fr"):
        page = Client(headers={"accept-language": browser}).get(address("enter", campaign))
        assert '<html lang="de" dir="ltr">' in page.text
        assert 'lang="de-AT"' in page.text


def test_the_organiser_is_told_when_a_file_is_saved_and_before_the_launch(client):
    campaign = make_campaign(french(), launch=False)
    client.force_login(campaign.owner)
    file = client.get(address("campaign-file", campaign)).text
    saved = client.post(reverse("rankme:campaign-load"), {"text": file}, follow=True)
    assert "no translation for the language “fr”" in saved.text
    launch = address("campaign-launch", campaign)
    assert "no translation for the language “fr”" in client.get(launch).text
    known = make_campaign(rankme_definition(language="cs"), owner=campaign.owner, launch=False)
    launch = address("campaign-launch", known)
    assert "no translation" not in client.get(launch).text
