"""Questions after the last batch: they never keep the code from a rater."""

import pytest

from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import arrive, begin, payload_for, send

pytestmark = pytest.mark.django_db

AGE = {"name": "age", "question": "How old are you?", "kind": "text", "required": True}
NATIVE = {"name": "native", "question": "Native?", "kind": "yes-no"}
WHERE = {
    "name": "where",
    "question": "Where did you learn it?",
    "kind": "text",
    "show_if": {"question": "native", "is": "no"},
}


def page(campaign, name):
    return address(name, campaign)


def finish(client, campaign, document):
    for trial in range(len(document["trials"])):
        send(client, campaign, payload_for(campaign, document, trial))
    return client.post(page(campaign, "finish")).json()["next"]


@pytest.fixture
def campaign():
    return make_campaign(slider_definition(end_questions=[AGE, NATIVE, WHERE]))


def test_answers_come_after_the_work_and_before_the_code(client, campaign):
    document = begin(client, campaign, id="w1")
    assert client.get(page(campaign, "end-questions")).url == page(campaign, "work")
    assert finish(client, campaign, document) == page(campaign, "end-questions")
    rater = campaign.participants.get()
    # The pay is safe before the first question is read.
    assert rater.state == "completed" and rater.completion_code
    assert client.post(page(campaign, "end-questions"), {"end-native": "no"}).status_code == 422
    sent = {"end-age": "41", "end-native": "no", "end-where": "At school"}
    assert client.post(page(campaign, "end-questions"), sent).url == page(campaign, "done")
    rater.refresh_from_db()
    assert rater.end_answers == {"age": "41", "native": "no", "where": "At school"}
    assert rater.completion_code in client.get(page(campaign, "done")).text
    # The answers are given once.
    client.post(page(campaign, "end-questions"), sent | {"end-age": "14"})
    rater.refresh_from_db()
    assert rater.end_answers["age"] == "41"


def test_nobody_has_to_answer(client, campaign):
    finish(client, campaign, begin(client, campaign, id="w1"))
    rater = campaign.participants.get()
    # The last page has the code, and the way back to the questions.
    done = client.get(page(campaign, "done")).text
    assert rater.completion_code in done and page(campaign, "end-questions") in done
    assert client.post(page(campaign, "end-questions"), {"skip": "yes"}).url == page(
        campaign, "done"
    )
    rater.refresh_from_db()
    assert rater.end_answers == {} and rater.end_answered_at
    assert page(campaign, "end-questions") not in client.get(page(campaign, "done")).text


def test_an_answer_to_a_hidden_question_is_not_kept(client, campaign):
    finish(client, campaign, begin(client, campaign, id="w1"))
    sent = {"end-age": "41", "end-native": "yes", "end-where": "Nowhere"}
    client.post(page(campaign, "end-questions"), sent)
    assert campaign.participants.get().end_answers == {"age": "41", "native": "yes"}


def test_a_question_that_was_not_asked_screens_nobody_out(client):
    fluent = {
        "name": "fluent",
        "question": "Are you fluent?",
        "kind": "yes-no",
        "accept": ["yes"],
        "show_if": {"question": "native", "is": "no"},
    }
    campaign = make_campaign(slider_definition(entry_questions=[NATIVE, fluent]))
    arrive(client, campaign, id="w1")
    assert b"data-after" in client.get(page(campaign, "questions")).content
    client.post(page(campaign, "questions"), {"entry-native": "yes"})
    assert campaign.participants.get().state == "working"
    client.cookies.clear()
    arrive(client, campaign, id="w2")
    client.post(page(campaign, "questions"), {"entry-native": "no", "entry-fluent": "no"})
    assert campaign.participants.get(external_id="w2").state == "screened_out"


def test_answers_are_exported_and_can_be_erased(client, campaign):
    finish(client, campaign, begin(client, campaign, id="w1"))
    client.post(page(campaign, "end-questions"), {"end-age": "=41", "end-native": "yes"})
    rater = campaign.participants.get()
    client.force_login(make_owner())
    files = page(campaign, "export-judgements")
    assert b"?format=answers" in client.get(files).content
    rows = b"".join(client.get(files, {"format": "answers"}).streaming_content).decode()
    assert rows.splitlines() == [
        "rater,when,question,answer,excluded",
        f"{rater.label},end,age,'=41,0",
        f"{rater.label},end,native,yes,0",
    ]
    client.post(address("campaign-rater-erase-answers", campaign, rater.label))
    rater.refresh_from_db()
    assert rater.end_answers == {} and rater.end_answered_at
    assert campaign.audit_events.filter(verb="rater's answers erased").exists()


def test_a_second_browser_answers_nothing(client, campaign):
    finish(client, campaign, begin(client, campaign, id="w1"))
    client.cookies.clear()
    client.get(page(campaign, "enter"), {"id": "w1"})
    for sent in ({"end-age": "14", "end-native": "yes"}, {"skip": "yes"}):
        assert client.post(page(campaign, "end-questions"), sent).url == page(campaign, "done")
    rater = campaign.participants.get()
    assert rater.end_answers == {} and rater.end_answered_at is None
