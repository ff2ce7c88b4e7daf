"""Checks with several tries: raters are told of a wrong answer, and the first one counts."""

from typing import Any

import pytest
from django.test import Client
from pydantic import ValidationError

from rankme.errors import InvalidDefinition
from rankme.exporting.rater_files import checks_csv
from rankme.models import CheckTrial, Submission
from rankme.pages.rater.participant_words import script_words
from rankme.protocols.checks import CheckSpec
from rankme.queries.check_answers import measures_by_rater
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.rater.visits import begin, payload_for, send
from tests.sittings import answer, claim, finish, store
from tests.sittings import payload_for as screen_of

pytestmark = pytest.mark.django_db
LOOK = {
    "name": "look",
    "kind": "instructed",
    "criterion": "fluency",
    "options": {"text": "Move this to {value}.", "value": 20, "tolerance": 3, "tries": 3},
}


def look(**options: Any) -> list[dict[str, Any]]:
    return [LOOK | {"options": LOOK["options"] | options}]


def campaign_with(checks: list[dict[str, Any]], **rules: str):
    definition = slider_definition(checks=checks, rules=rules)
    return make_campaign(definition, items=6, systems=2)


def at_the_check(campaign):
    """A sitting, and the place of the check in it."""
    assignment = claim(make_rater(campaign))
    checks = set(CheckTrial.objects.values_list("trial_id", flat=True))
    trials = [trial for trial, _ in assignment.presentation]
    return assignment, next(place for place, trial in enumerate(trials) if trial in checks)


def answered(assignment, place: int, *values: float) -> list[bool]:
    """Answer the page again and again; whether the server asked for another answer each time."""
    asked, before = [], None
    for value in values:
        payload = screen_of(assignment, place, value=value, replaces=before)
        asked.append(store(assignment.participant, payload).try_again)
        before = payload["key"]
    return asked


def measured(assignment) -> dict[str, float | None]:
    rater = assignment.participant_id
    return measures_by_rater(assignment.campaign, [rater])[rater]


def test_the_first_answer_stays_the_failed_one():
    assignment, place = at_the_check(campaign_with(look()))
    assert answered(assignment, place, 60, 22) == [True, False]
    assert measured(assignment)["look.failed"] == 1
    revisions = Submission.objects.filter(assignment=assignment).order_by("revision")
    assert [found.surplus for found in revisions] == [False, False]
    row = b"".join(checks_csv(assignment.campaign)).decode().splitlines()[1].split(",")
    assert row[6] == "60.0" and row[8] == "0", "the value and the result of the first answer"
    assert row[-3:-1] == ["2", "1"], "two tries, and the last one was right"


def test_tries_end():
    assignment, place = at_the_check(campaign_with(look()))
    assert answered(assignment, place, 60, 61, 62, 63) == [True, True, False, False]
    assert measured(assignment)["look.failed"] == 1


def test_who_was_right_at_first_cannot_fail_afterwards():
    assignment, place = at_the_check(campaign_with(look()))
    assert answered(assignment, place, 21, 90) == [False, True]
    assert measured(assignment)["look.failed"] == 0


def test_a_repeated_answer_is_asked_for_again_too():
    assignment, place = at_the_check(campaign_with(look()))
    payload = screen_of(assignment, place, value=60)
    receipts = [store(assignment.participant, payload) for _ in range(2)]
    assert [(receipt.is_new, receipt.try_again) for receipt in receipts] == [
        (True, True),
        (False, True),
    ]


def test_a_known_answer_is_told_too():
    known = {"outputs": ["Asdf."], "at_most": 20, "tries": 2}
    checks = [LOOK | {"kind": "known_answer", "name": "known", "options": known}]
    assignment, place = at_the_check(campaign_with(checks))
    assert answered(assignment, place, 60, 10) == [True, False]


def test_nothing_is_said_about_silent_checks_and_judgements():
    assignment, place = at_the_check(campaign_with(look(tries=1)))
    assert answered(assignment, place, 60, 61) == [False, False]
    assert measured(assignment)["look.failed"] == 1
    loud, place = at_the_check(campaign_with(look()))
    others = [number for number in range(len(loud.presentation)) if number != place]
    assert not any(answer(loud, number, value=60).try_again for number in others)


def test_a_rule_that_the_first_answer_fulfils_ends_the_work_at_once():
    assignment, place = at_the_check(campaign_with(look(), exclude_if="look.failed >= 1"))
    receipt = answer(assignment, place, value=60)
    assert (receipt.ends_the_work, receipt.try_again) == (True, False)


def test_a_batch_can_be_finished_without_another_try():
    assignment, _place = at_the_check(campaign_with(look()))
    for number in range(len(assignment.presentation)):
        answer(assignment, number, value=60)
    finish(assignment)
    assert measured(assignment)["look.failed"] == 1


def test_the_answers_of_the_server_have_the_same_form_for_all_pages():
    """A silent check tells nothing, not even by what else the answer has."""
    client, campaign = Client(), campaign_with(look(tries=1))
    document = begin(client, campaign, id="w1")
    answers = [
        send(client, campaign, payload_for(campaign, document, trial)).json()
        for trial in range(len(document["trials"]))
    ]
    assert len({tuple(sorted(found)) for found in answers}) == 1
    assert {found["try_again"] for found in answers} == {False}
    assert "try_again" not in script_words(slider_definition(checks=look(tries=1)))


def test_a_file_that_did_not_load_has_other_words_than_an_unexpected_answer():
    screen = slider_definition().screens[0].model_dump(mode="json")
    shown = [{"block": "input", "files": True}, {"block": "outputs"}]
    definition = slider_definition(checks=look(tries=2), screens=[screen | {"show": shown}])
    assert script_words(definition)["try_again"].startswith("This was not the expected answer.")


def test_tries_belong_to_checks_with_one_right_answer():
    repeat = {"kind": "repeat", "name": "again", "options": {"tries": 2}}
    with pytest.raises(ValidationError, match="tries"):
        CheckSpec(**LOOK | repeat)


def test_no_timed_screen_is_answered_twice():
    screens = [{"name": "rate", "show": ["outputs"], "ask": ["fluency"], "timed": {}}]
    with pytest.raises(InvalidDefinition, match="cannot be answered again"):
        slider_definition(checks=look(), screens=screens)
