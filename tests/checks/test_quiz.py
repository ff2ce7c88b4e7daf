"""Questions about the instructions: tries are counted, and a rule may turn raters away."""

import pytest

from rankme.models import QuizAttempt, RuleDecision
from tests.campaigns import make_campaign, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive

pytestmark = pytest.mark.django_db

QUIZ = {
    "name": "what",
    "kind": "quiz",
    "options": {
        "question": "What do you rate?",
        "choices": ["Facts", "Smoothness"],
        "answer": "Smoothness",
        "tries": 2,
    },
}


@pytest.fixture
def campaign():
    rules = {"gate_if": "quiz.failed >= 1"}
    return make_campaign(slider_definition(checks=[QUIZ], rules=rules))


def at_the_quiz(client, campaign):
    rater = arrive(client, campaign)
    client.post(address("instructions", campaign))
    assert client.get(address("work", campaign)).headers["Location"] == address("quiz", campaign)
    return rater


def answer(client, campaign, choice: str):
    return client.post(address("quiz", campaign), {"quiz-what": choice})


def test_the_right_answer_leads_to_the_work_and_is_not_on_the_page(client, campaign):
    rater = at_the_quiz(client, campaign)
    page = client.get(address("quiz", campaign)).content.decode()
    assert "Move the slider." in page
    assert page.count("Facts") == page.count("Smoothness") > 0
    assert answer(client, campaign, "Smoothness").headers["Location"] == address("work", campaign)
    assert client.get(address("work", campaign)).status_code == 200
    assert rater.quiz_attempts.get().answers == {"what": "Smoothness"}


def test_a_wrong_answer_may_be_tried_again(client, campaign):
    at_the_quiz(client, campaign)
    page = answer(client, campaign, "Facts")
    assert page.status_code == 422 and "Not all answers are correct" in page.content.decode()
    assert answer(client, campaign, "Smoothness").headers["Location"] == address("work", campaign)
    assert not RuleDecision.objects.exists()


def test_who_has_no_try_left_is_turned_away_by_the_rule(client, campaign):
    rater = at_the_quiz(client, campaign)
    answer(client, campaign, "Facts")
    answer(client, campaign, "Facts")
    rater.refresh_from_db()
    assert (rater.state, rater.outcome) == ("screened_out", "failed_quiz")
    assert RuleDecision.objects.get().parts == ["quiz.failed >= 1"]
    page = client.get(address("work", campaign), follow=True).content.decode()
    assert "questions about the instructions were not correct" in page
    assert not campaign.assignments.exists()
    answer(client, campaign, "Smoothness")
    assert QuizAttempt.objects.count() == 2


def test_without_a_rule_nobody_is_turned_away(client):
    campaign = make_campaign(slider_definition(checks=[QUIZ]))
    at_the_quiz(client, campaign)
    answer(client, campaign, "Facts")
    assert answer(client, campaign, "Facts").headers["Location"] == address("work", campaign)
    assert client.get(address("work", campaign)).status_code == 200
