"""What else the work page asks for: feedback on the practice, a new token."""

import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from rankme.models import Submission
from rankme.pages.previews.preview import work_context
from rankme.pages.rater.work_files import work_scripts
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive, begin, payload_for

pytestmark = pytest.mark.django_db

SECRET = "The second text leaves out the price."
PRACTICE = [{"outputs": ["An example."], "feedback": SECRET}, {"outputs": ["Another."]}]


def practising(client: Client, **changes):
    campaign = make_campaign(slider_definition(practice=PRACTICE, **changes), items=1, systems=1)
    return campaign, begin(client, campaign, id="w1")


def ask(client: Client, campaign, document):
    address = reverse("rankme:practice-feedback", args=[campaign.code])
    body = document if isinstance(document, str) else json.dumps(document)
    return client.post(address, body, content_type="application/json")


def answers(value=50):
    return [{"criterion": "fluency", "place": 0, "value": value, "time_ms": 900}]


def test_the_page_does_not_hold_the_feedback_on_the_practice(client):
    campaign, document = practising(client)
    page = client.get(address("work", campaign)).text
    assert SECRET not in page
    assert [trial.get("has_feedback", False) for trial in document["practice"]] == [True, False]


def test_the_feedback_comes_for_the_answer_and_nothing_is_stored(client):
    campaign, _ = practising(client)
    reply = ask(client, campaign, {"trial": 0, "screens": [answers()]})
    given = {"criterion": "fluency", "position": 0, "text": "An example.", "given": "50"}
    given |= {"question": "How fluent is this text?", "own_marks": [], "expected_marks": None}
    assert (reply.status_code, reply.json()) == (
        200,
        {
            "feedback": SECRET,
            "answers": [given | {"expected": "", "fits": True}],
            "passed": None,
            "may_try_again": False,
            "tries_left": 0,
            "ends_the_work": False,
        },
    )
    assert reply.headers["Cache-Control"] == "no-store"
    assert not Submission.objects.exists()


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        "no JSON",
        {"trial": 0, "screens": []},
        {"trial": 0, "screens": [[]]},
        {"trial": 0, "screens": [answers("50")]},
        {"trial": 0, "screens": [answers(101)]},
        {"trial": 0, "screens": [answers(), answers()]},
        {"trial": 2, "screens": [answers()]},
        {"trial": -2, "screens": [answers()]},
        {"trial": True, "screens": [answers()]},
        {"trial": "0", "screens": [answers()]},
    ],
)
def test_without_an_answer_there_is_no_feedback(client, document):
    campaign, _ = practising(client)
    reply = ask(client, campaign, document)
    assert reply.status_code == 422
    assert SECRET not in reply.text


def test_a_campaign_without_feedback_gives_none(client):
    campaign, document = practising(client, practice_feedback=False)
    assert "has_feedback" not in document["practice"][0]
    assert ask(client, campaign, {"trial": 0, "screens": [answers()]}).status_code == 422


def test_a_stranger_gets_neither_feedback_nor_token(client):
    campaign, _ = practising(client)
    stranger = Client()
    assert ask(stranger, campaign, {"trial": 0, "screens": [answers()]}).status_code == 401
    assert stranger.get(address("session", campaign)).status_code == 401


def test_an_organisers_preview_has_the_feedback_at_once():
    document = work_context(slider_definition(practice=PRACTICE), [])["document"]
    assert document["practice"][0]["feedback"] == SECRET


def test_the_personal_link_and_a_new_token_let_an_open_page_go_on():
    """All cookies are lost while the page is open: its old token is worth nothing any more."""
    client = Client(enforce_csrf_checks=True)
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    ready = Client()
    document = begin(ready, campaign, id="w1")
    link = ready.get(address("work", campaign)).context["resume_link"]
    submit = address("submit", campaign)

    def send(token: str):
        payload = json.dumps(payload_for(campaign, document))
        headers = {"X-CSRFToken": token}
        return client.post(submit, payload, content_type="application/json", headers=headers)

    assert send("lost").status_code == 403
    client.get(link)
    token = client.get(address("session", campaign)).json()["token"]
    assert send(token).status_code == 201
    assert campaign.participants.count() == 1


def test_the_consent_page_has_the_scripts_of_the_work_page_fetched_ahead(client):
    needy = slider_definition(practice=PRACTICE, problem_button=True, crowd={"devices": "desktop"})
    campaign = make_campaign(needy, items=1, systems=1)
    consent = client.get(address("enter", campaign)).text
    assert re.findall(r'<link rel="prefetch" href="([^"]+)">', consent) == work_scripts(needy)


def test_the_instructions_name_every_script_of_the_work_page(client):
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    arrive(client, campaign, id="w1")
    instructions = client.get(reverse("rankme:instructions", args=[campaign.code]))
    client.post(reverse("rankme:instructions", args=[campaign.code]))
    work = client.get(reverse("rankme:work", args=[campaign.code]))
    modules = instructions.context["modules"]()
    assert modules == work.context["modules"]()
    for module in modules:
        link = f'<link rel="modulepreload" href="{module}">'
        assert link in instructions.text and link in work.text
