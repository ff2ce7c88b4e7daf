"""Practice that checks answers: feedback with one's own answer, tries, and a gate."""

import json
import random

import pytest
from django.urls import reverse

from rankme.actions.campaign.campaigns import refuse_without_code
from rankme.actions.sitting.practice import try_example
from rankme.errors import RefusedAction
from rankme.models import Submission
from rankme.protocols.files import preset
from rankme.simulation.answers import Taste, answers_to
from rankme.simulation.practising import corrected
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import begin, payload_for, send

pytestmark = pytest.mark.django_db
PRACTICE = [
    {"outputs": ["An example."], "feedback": "A good one.", "expect": {"fluency": [80, 100]}}
]


def gated(client, tries=2, **changes):
    settings = {"practice": PRACTICE, "practice_tries": tries, "practice_gate": True}
    definition = slider_definition(**(settings | changes))
    campaign = make_campaign(definition, items=1, systems=1)
    return campaign, begin(client, campaign, id="w1")


def answer(client, campaign, value, time_ms=900):
    given = {"criterion": "fluency", "place": 0, "value": value, "time_ms": time_ms}
    body = json.dumps({"trial": 0, "screens": [[given]]})
    address = reverse("rankme:practice-feedback", args=[campaign.code])
    return client.post(address, body, content_type="application/json")


def practised(client, campaign):
    return client.post(address("practised", campaign)).status_code


def test_the_rater_sees_the_answer_next_to_what_was_expected(client):
    campaign, _ = gated(client)
    reply = answer(client, campaign, 30).json()
    assert reply["feedback"] == "A good one."
    assert [(row["given"], row["expected"], row["fits"]) for row in reply["answers"]] == [
        ("30", "80–100", False)
    ]
    assert (reply["passed"], reply["may_try_again"]) == (False, True)


def test_work_begins_only_behind_the_gate(client):
    campaign, document = gated(client)
    answer(client, campaign, 30)
    refused = send(client, campaign, payload_for(campaign, document))
    assert refused.status_code == 422 and "practice" in refused.text
    assert practised(client, campaign) == 409
    assert answer(client, campaign, 90).json()["passed"]
    assert practised(client, campaign) == 200
    assert send(client, campaign, payload_for(campaign, document)).status_code == 201


def test_who_fails_the_last_try_is_screened_out(client):
    crowd = {"completion_codes": {"screened_out": "OUT"}}
    campaign, _ = gated(client, crowd=crowd)
    answer(client, campaign, 30)
    assert answer(client, campaign, 31).json()["ends_the_work"]
    rater = campaign.participants.get()
    assert (rater.state, rater.outcome) == ("screened_out", "screened_out")
    assert campaign.slots.filter(state="held").count() == 0
    page = client.get(address("work", campaign), follow=True).text
    assert "practice" in page and "OUT" in page
    assert answer(client, campaign, 90).status_code == 422
    assert not Submission.objects.exists()


def test_the_same_answers_sent_again_are_one_try(client):
    campaign, _ = gated(client)
    for _ in range(3):
        assert answer(client, campaign, 30).json()["may_try_again"]
    assert not answer(client, campaign, 30, time_ms=1_500).json()["may_try_again"]


def test_who_has_passed_once_cannot_fail_later(client):
    campaign, _ = gated(client, tries=1)
    answer(client, campaign, 90)
    assert not answer(client, campaign, 30).json()["ends_the_work"]
    assert practised(client, campaign) == 200


def test_without_a_gate_practice_only_teaches(client):
    campaign, document = gated(client, tries=1, practice_gate=False)
    reply = answer(client, campaign, 30).json()
    assert (reply["passed"], reply["may_try_again"], reply["ends_the_work"]) == (
        *(False, False),
        False,
    )
    assert send(client, campaign, payload_for(campaign, document)).status_code == 201


def test_a_gate_without_feedback_says_only_whether_it_was_passed(client):
    campaign, document = gated(client, practice_feedback=False)
    assert document["practice"][0]["has_feedback"] and document["practice_gate"]
    reply = answer(client, campaign, 30).json()
    assert (reply["feedback"], reply["answers"], reply["passed"]) == ("", [], False)


def consent_and_instructions(client, campaign):
    pages = [client.get(reverse("rankme:enter", args=[campaign.code]), {"id": "w9"})]
    arrival = pages[0].context["arrival"]
    address = reverse("rankme:enter", args=[campaign.code])
    pages.append(client.post(address, {"arrival": arrival, "decision": "agree"}, follow=True))
    return [" ".join(page.text.split()) for page in pages]


@pytest.mark.parametrize(
    ("crowd", "words"),
    [
        ({}, "If you do not succeed, the study ends there."),
        ({"pay_per_batch": 3}, "the study ends there, and you are not paid."),
        (
            {"pay_per_batch": 3, "pay_by_outcome": {"screened_out": 0.5}},
            "the study ends there, and you are paid 0.50 GBP.",
        ),
    ],
)
def test_the_gate_is_announced_before_anybody_works(client, crowd, words):
    campaign = make_campaign(
        slider_definition(practice=PRACTICE * 3, practice_tries=2, practice_gate=True, crowd=crowd),
        items=1,
        systems=1,
    )
    for page in consent_and_instructions(client, campaign):
        assert "You need to pass 3 examples to take part. You have 2 tries for each." in page
        assert words in page


def test_without_a_gate_none_is_announced(client):
    campaign = make_campaign(slider_definition(practice=PRACTICE), items=1, systems=1)
    for page in consent_and_instructions(client, campaign):
        assert "You need to pass" not in page and "the study ends there" not in page


def test_the_feedback_says_how_many_tries_are_left(client):
    campaign, _ = gated(client, tries=3)
    left = [answer(client, campaign, value).json()["tries_left"] for value in (1, 2, 2)]
    assert left == [2, 1, 1]


def test_a_platforms_gate_needs_a_way_back_before_the_launch(client):
    settings = {"practice": PRACTICE, "practice_gate": True}
    crowd = {"panel": "prolific", "completion_codes": {"completed": "DONE"}}
    with pytest.raises(RefusedAction, match="fail the practice cannot end their visit"):
        refuse_without_code(slider_definition(**settings, crowd=crowd))
    crowd["completion_codes"]["screened_out"] = "OUT"
    refuse_without_code(slider_definition(**settings, crowd=crowd))


def test_the_launch_page_warns_of_a_gate_that_pays_nothing(client):
    settings = {"practice": PRACTICE, "practice_gate": True}
    campaign = make_campaign(
        slider_definition(**settings, crowd={"pay_per_batch": 3}), items=1, systems=1, launch=False
    )
    client.force_login(campaign.owner)
    page = client.get(address("campaign-launch", campaign))
    assert "Raters who fail the practice" in page.text


def test_a_second_browser_does_not_end_the_visit(client):
    campaign, _ = gated(client, tries=1)
    rater = campaign.participants.get()
    rater.is_second_browser = True
    definition = slider_definition(practice=PRACTICE, practice_gate=True)
    result = try_example(rater, definition, 0, passed=False, digest="x")
    assert not result.ends_the_work
    assert campaign.participants.get().state == "working"


def test_the_page_does_not_say_what_is_expected(client):
    _, document = gated(client)
    assert "expect" not in json.dumps(document["practice"])


@pytest.mark.parametrize("seed", range(3))
def test_the_tutorial_of_esa_has_to_be_passed_and_can_be(client, seed):
    definition = preset("esa")
    assert definition.practice_gate
    campaign = make_campaign(definition, items=1, systems=1)
    document = begin(client, campaign, id=f"w{seed}")
    rng = random.Random(seed)
    taste = Taste(rng, {}, 0)

    def work():
        given = answers_to(document["screens"][0], document["trials"][0], taste)
        return send(client, campaign, payload_for(campaign, document, answers=given)).status_code

    assert work() == 422
    address = reverse("rankme:practice-feedback", args=[campaign.code])
    for number, trial in enumerate(document["practice"]):
        answers = [answers_to(screen, trial, taste) for screen in document["screens"]]
        for _ in range(definition.practice_tries):
            body = json.dumps({"trial": number, "screens": answers})
            told = client.post(address, body, content_type="application/json").json()
            if told["passed"]:
                break
            answers = corrected(document["screens"], trial, told["answers"], rng)
        assert told["passed"], told
    assert practised(client, campaign) == 200 and work() == 201
