"""Answers without an answer, and choices in an order of the rater's own."""

import pytest

from rankme.errors import InvalidAnswer, InvalidDefinition
from rankme.protocols.answers import read_answers
from rankme.protocols.files import definition_from_document, definition_to_document
from rankme.protocols.option_order import option_orders, order_problems
from tests.campaigns import slider_definition

REASONS = {"unclear": "I do not understand it", "language": "It is not in English"}
CHOICES = {"a": "First", "b": "Second", "c": "Third", "d": "Fourth"}


def criterion(instrument="slider", name="fluency", **changes):
    return {"name": name, "question": "?", "instrument": instrument} | changes


def definition(*criteria, **screen):
    return slider_definition(
        criteria=list(criteria),
        screens=[
            {"name": "rate", "show": ["outputs"], "ask": [one["name"] for one in criteria]} | screen
        ],
    )


DECLINABLE = criterion(cannot_judge=True, cannot_judge_reasons=REASONS)


def read(definition, *answers, outputs=1):
    sent = [{"place": 0, "time_ms": 5} | answer for answer in answers]
    return read_answers(definition, 0, sent, outputs=outputs, item_input="")


def refusal(definition, *answers, outputs=1):
    with pytest.raises(InvalidAnswer) as refused:
        read(definition, *answers, outputs=outputs)
    return str(refused.value)


def test_who_cannot_judge_gives_a_reason_and_no_number():
    (reading,) = read(definition(DECLINABLE), {"criterion": "fluency", "cannot_judge": "language"})
    assert (reading.number, reading.text, reading.cannot_judge) == (None, "", "language")
    (judged,) = read(definition(DECLINABLE), {"criterion": "fluency", "value": 50})
    assert judged.cannot_judge is None


@pytest.mark.parametrize("reason", ["", "laziness", None, 3, ["language"]])
def test_only_the_campaigns_reasons_count(reason):
    sent = {"criterion": "fluency", "cannot_judge": reason}
    assert "Please say why" in refusal(definition(DECLINABLE), sent)


def test_without_reasons_none_is_given():
    plain = definition(criterion(cannot_judge=True))
    (reading,) = read(plain, {"criterion": "fluency", "cannot_judge": ""})
    assert reading.cannot_judge == ""
    assert "say why" in refusal(plain, {"criterion": "fluency", "cannot_judge": "x"})


def test_an_answer_has_either_a_value_or_a_reason():
    both = {"criterion": "fluency", "cannot_judge": "language", "value": 50}
    assert "needs an answer" in refusal(definition(DECLINABLE), both)
    assert "needs an answer" in refusal(
        definition(criterion()), {"criterion": "fluency", "cannot_judge": ""}
    )


def test_a_comparison_is_declined_for_all_its_texts():
    compared = definition(criterion("preference", cannot_judge=True))
    said = [{"criterion": "fluency", "place": place, "cannot_judge": ""} for place in (0, 1)]
    assert [one.cannot_judge for one in read(compared, *said, outputs=2)] == ["", ""]
    half = [said[0], {"criterion": "fluency", "place": 1, "value": 1}]
    assert "Choose one of the two" in refusal(compared, *half, outputs=2)


def test_declined_answers_fill_no_derived_criteria():
    spans = criterion(
        "spans", cannot_judge=True, options={"score": True, "severities": {"minor": "minor"}}
    )
    readings = read(definition(spans), {"criterion": "fluency", "cannot_judge": ""})
    assert [one.criterion for one in readings] == ["fluency"]


def test_conflicting_settings_are_named():
    for wrong, words in (
        (criterion(cannot_judge_reasons=REASONS), "only asked for with cannot_judge"),
        (criterion(cannot_judge=True, cannot_judge_reasons={"": "x"}), "needs a name"),
        (criterion("likert", options={"points": 5, "shuffle": True}), "cannot be shuffled"),
    ):
        with pytest.raises(InvalidDefinition, match=words):
            definition(wrong)
    with pytest.raises(InvalidDefinition, match="is timed"):
        definition(DECLINABLE, timed={"timeout_ms": 500})


def test_reasons_keep_their_order_in_the_database():
    document = definition_to_document(definition(DECLINABLE))
    assert document["criteria"][0]["cannot_judge_reasons"][0][0] == "unclear"
    assert definition_from_document(document) == definition(DECLINABLE)


SHUFFLED = criterion("choice", options={"choices": CHOICES, "shuffle": True})


def test_each_rater_and_trial_has_an_order_that_can_be_drawn_again():
    criteria = definition(SHUFFLED, criterion("choice", "other", options={"choices": CHOICES}))
    drawn = [option_orders(criteria.criteria, (7, rater, 3)) for rater in range(60)]
    assert drawn == [option_orders(criteria.criteria, (7, rater, 3)) for rater in range(60)]
    assert all(set(one) == {"fluency"} for one in drawn)
    orders = [one["fluency"] for one in drawn]
    assert all(sorted(order) == list(CHOICES) for order in orders)
    # Every choice comes first about equally often: 60 raters, four choices.
    firsts = [sum(order[0] == name for order in orders) for name in CHOICES]
    assert min(firsts) >= 6
    assert option_orders(criteria.criteria, (7, 1, 4)) != option_orders(
        criteria.criteria, (7, 1, 3)
    )


def test_the_number_is_that_of_the_choice_wherever_it_was():
    (reading,) = read(definition(SHUFFLED), {"criterion": "fluency", "value": "c"})
    assert reading.number == 2


def test_an_order_that_was_not_drawn_is_refused():
    shown = {"fluency": ["c", "a", "d", "b"]}
    told = {"criterion": "fluency", "value": "c", "order": shown["fluency"]}
    assert order_problems([told], shown) == []
    assert order_problems([told | {"order": list(CHOICES)}], shown)
    assert order_problems([{"criterion": "fluency", "value": "c"}], shown)
