"""Questions that depend on others: which are asked, and which conditions can be written."""

import pytest

from rankme.errors import InvalidDefinition
from rankme.forms.entry import QuestionsForm
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_document,
    definition_to_yaml,
)
from tests.campaigns import slider_definition

NATIVE = {"name": "native", "question": "Native speaker?", "kind": "yes-no"}
SINCE = {
    "name": "since",
    "question": "Since when?",
    "kind": "text",
    "show_if": {"question": "native", "is": "no"},
}
COURSE = {
    "name": "course",
    "question": "In a course?",
    "kind": "yes-no",
    "show_if": {"question": "since", "is": ["school", "later"]},
}


def places(**changes):
    with pytest.raises(InvalidDefinition) as refused:
        slider_definition(**changes)
    return {problem.place: problem.message for problem in refused.value.problems}


def test_a_condition_names_an_earlier_question():
    found = places(entry_questions=[SINCE, NATIVE])
    assert "must be asked before" in found["entry_questions[0].show_if.question"]
    themselves = SINCE | {"show_if": {"question": "since", "is": "x"}}
    assert "must be asked before" in str(places(entry_questions=[themselves]))
    assert "there is no question “nativ”" in str(
        places(entry_questions=[NATIVE, SINCE | {"show_if": {"question": "nativ", "is": "no"}}])
    )


def test_a_condition_names_an_answer_that_can_be_given():
    wrong = SINCE | {"show_if": {"question": "native", "is": "never"}}
    found = places(entry_questions=[NATIVE, wrong])
    assert "choose yes, no" in found["entry_questions[1].show_if.answers"]


def test_a_question_at_the_end_can_depend_on_an_entry_question():
    definition = slider_definition(entry_questions=[NATIVE], end_questions=[SINCE])
    assert definition.end_questions[0].show_if.answers == ["no"]
    assert not definition.end_questions[0].required
    assert "used more than once" in str(places(entry_questions=[NATIVE], end_questions=[NATIVE]))


def test_conditions_survive_the_file_and_the_database():
    choices = {"b": "Second", "a": "First"}
    chosen = {"name": "pick", "question": "Which?", "choices": choices}
    definition = slider_definition(entry_questions=[NATIVE, SINCE], end_questions=[chosen, COURSE])
    read = definition_from_yaml(definition_to_yaml(definition))
    assert read == definition
    document = definition_to_document(definition)
    assert document["end_questions"][0]["choices"] == [["b", "Second"], ["a", "First"]]
    assert definition_from_document(document) == definition


def form_of(data, *questions, known=None):
    definition = slider_definition(entry_questions=list(questions))
    sent = {f"entry-{name}": value for name, value in data.items()}
    return QuestionsForm(definition.entry_questions, sent, known=known)


def test_a_hidden_question_is_not_required():
    form = form_of({"native": "yes"}, NATIVE, SINCE, COURSE)
    assert form.is_valid() and form.answers() == {"native": "yes"}


def test_a_question_that_is_asked_is_required():
    form = form_of({"native": "no"}, NATIVE, SINCE, COURSE)
    assert not form.is_valid() and set(form.errors) == {"since"}


def test_a_hidden_question_keeps_no_answer_and_shows_no_other():
    # A rater answers, then changes what the answer depended on.
    sent = {"native": "yes", "since": "school", "course": "no"}
    form = form_of(sent, NATIVE, SINCE, COURSE)
    assert form.is_valid() and form.answers() == {"native": "yes"}


def test_answers_of_an_earlier_form_decide_too():
    definition = slider_definition(entry_questions=[NATIVE], end_questions=[SINCE, COURSE])
    hidden = QuestionsForm(definition.end_questions, {}, prefix="end", known={"native": "yes"})
    assert not hidden.fields
    shown = QuestionsForm(
        definition.end_questions, {"end-since": "later"}, prefix="end", known={"native": "no"}
    )
    assert list(shown.fields) == ["since", "course"] and shown.is_valid()
