"""The server takes only marks whose text is in the output, and keeps them exactly."""

import hashlib
import json
import random

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from rankme.errors import InvalidAnswer, InvalidDefinition
from rankme.protocols.answers import read_answers
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from rankme.protocols.instruments import INSTRUMENTS
from rankme.protocols.instruments.spans import SpansOptions
from tests.campaigns import slider_definition

TEXT = "The dog walked over the bridge."
SCRIPTS = (
    "القطةُ نامتْ على الأريكةِ.\r\nثم استيقظتْ.",
    "แมวนอนหลับอยู่บนโซฟาในบ้าน",
    "👩‍👩‍👧‍👦 went 👍🏽 to 🇩🇪🇫🇷 é é",
    "Ne\u0301vada\r\nn\u0303o 각 한국",
    "क्षत्रिय धर्म\tનમસ્તે",
)


def asking(**options):
    criterion = {"name": "errors", "question": "?", "instrument": "spans"}
    return slider_definition(
        criteria=[criterion | {"options": {"severities": {"minor": "", "major": ""}} | options}],
        screens=[{"name": "mark", "show": ["input", "outputs"], "ask": ["errors"]}],
    )


def mark(start, end, text=TEXT, **more):
    place = {"start": start, "end": end, "text": text[start:end]}
    return {"id": 1, "severity": "minor"} | place | more


def read(definition, value, *, output=TEXT, item_input=""):
    answer = {"criterion": "errors", "place": 0, "value": value}
    return read_answers(definition, 0, [answer], outputs=1, texts=[output], item_input=item_input)


def marks_of(reading):
    return json.loads(reading.text)["marks"]


def refusal(definition, value, **about):
    with pytest.raises(InvalidAnswer) as refused:
        read(definition, value, **about)
    return refused.value.problems[0].message


def test_a_mark_is_kept_with_its_text_and_the_hash_of_its_output():
    (reading,) = read(asking(), {"marks": [mark(8, 14, severity="major")]})
    kept = json.loads(reading.text)
    assert reading.number == 5
    assert kept["sha256"] == hashlib.sha256(TEXT.encode()).hexdigest()
    assert (kept["length"], kept["words"]) == (len(TEXT), 6)
    (found,) = kept["marks"]
    assert (found["start"], found["end"], found["text"]) == (8, 14, "walked")


@given(st.sampled_from(SCRIPTS), st.data())
def test_marks_on_whole_characters_come_back_exactly_in_every_script(text, data):
    edges = [0, *(found.end() for found in regex.finditer(r"\X", text))]
    start, end = sorted(
        data.draw(st.lists(st.sampled_from(edges), min_size=2, max_size=2, unique=True))
    )
    (reading,) = read(asking(), {"marks": [mark(start, end, text)]}, output=text)
    (found,) = marks_of(reading)
    assert (found["start"], found["end"], found["text"]) == (start, end, text[start:end])


@given(st.sampled_from(SCRIPTS), st.data())
def test_a_mark_that_cuts_a_character_is_widened_to_all_of_it(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    (reading,) = read(asking(), {"marks": [mark(start, end, text)]}, output=text)
    (found,) = marks_of(reading)
    assert found["start"] <= start < end <= found["end"]
    assert found["text"] == text[found["start"] : found["end"]]
    assert "".join(regex.findall(r"\X", found["text"])) == found["text"]
    edges = {0, *(each.end() for each in regex.finditer(r"\X", text))}
    assert {found["start"], found["end"]} <= edges


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "walkeb"},
        {"text": 7},
        {"start": -1},
        {"end": len(TEXT) + 1},
        {"start": 14, "end": 8},
        {"start": 8, "end": 8, "text": ""},
        {"start": 8.5},
        {"start": True, "end": 2, "text": "h"},
        {"start": None, "end": None},
        {"severity": "huge"},
        {"severity": None},
        {"category": "Style"},
        {"side": "reference"},
        {"side": "source"},
        {"missing": True},
        {"missing": "no"},
        {"note": "a note where none is asked for"},
        {"surprise": 1},
        {"id": -1},
        {"id": 2**60},
    ],
)
def test_a_mark_that_no_page_sends_is_refused(wrong):
    assert refusal(asking(), {"marks": [mark(8, 14) | wrong]})


def test_the_same_letters_in_another_normal_form_are_another_text():
    composed, decomposed = "é", "e\u0301"
    sent = {"id": 1, "severity": "minor", "start": 0, "end": 1, "text": decomposed}
    assert refusal(asking(), {"marks": [sent]}, output=composed)


@pytest.mark.parametrize("value", [None, [], "x", 3, {}, {"marks": {}}, {"marks": [], "x": 1}])
def test_anything_but_marks_is_refused(value):
    assert refusal(asking(), value)


def test_no_marks_are_an_answer_of_zero():
    (reading,) = read(asking(), {"marks": []})
    assert (reading.number, marks_of(reading)) == (0, [])


def test_marks_overlap_only_where_the_campaign_allows_it():
    both = {"marks": [mark(0, 7), mark(4, 14, id=2)]}
    assert refusal(asking(), both)
    (reading,) = read(asking(overlaps=True), both)
    assert reading.number == 2


def test_marks_that_touch_do_not_overlap():
    (reading,) = read(asking(), {"marks": [mark(0, 4), mark(4, 7, id=2)]})
    assert len(marks_of(reading)) == 2


def test_the_same_error_is_not_marked_twice():
    twice = {"marks": [mark(0, 3), mark(0, 3, id=2)]}
    assert refusal(asking(overlaps=True), twice)
    assert refusal(asking(), {"marks": [mark(0, 3), mark(4, 7)]})  # one id


def test_there_is_a_limit_to_marks():
    assert refusal(asking(most=1), {"marks": [mark(0, 3), mark(4, 7, id=2)]})


def test_the_input_is_marked_where_it_may_be():
    source = mark(4, 8, "Der Hund lief.", side="source")
    (reading,) = read(asking(source=True), {"marks": [source]}, item_input="Der Hund lief.")
    assert marks_of(reading)[0]["text"] == "Hund"
    assert "source_sha256" in json.loads(reading.text)
    assert refusal(asking(source=True), {"marks": [source]}, item_input="Die Katze lief.")


def test_something_missing_needs_no_place():
    lost = {"id": 1, "severity": "major", "start": None, "end": None, "text": "", "missing": True}
    (reading,) = read(asking(missing=True), {"marks": [lost]})
    assert (reading.number, marks_of(reading)[0]["start"]) == (5, None)


def test_words_are_marked_whole_where_the_campaign_says_so():
    (reading,) = read(asking(whole_words=True), {"marks": [mark(9, 12)]})
    assert marks_of(reading)[0]["text"] == "walked"


def test_weights_are_those_of_the_campaign():
    options = {
        "categories": {"Fluency/Punctuation": "", "Style": ""},
        "weights": "major:3 minor:1 minor/Fluency/Punctuation:0.25",
    }
    marks = [
        mark(0, 3, category="Fluency/Punctuation"),
        mark(4, 7, id=2, category="Style", severity="major"),
    ]
    (reading,) = read(asking(**options), {"marks": marks})
    assert reading.number == 3.25


def test_a_score_comes_with_the_marks_and_fills_its_own_criterion():
    definition = asking(score=True)
    _errors, score = read(definition, {"marks": [mark(0, 3)], "score": 70})
    assert (score.criterion, score.number) == ("errors_score", 70)
    assert definition.kinds == {"errors": "scale", "errors_score": "scale"}
    assert definition.lower_is_better == {"errors"}
    for wrong in ({}, {"score": 101}, {"score": -1}, {"score": "70"}, {"score": None}):
        assert refusal(definition, {"marks": []} | wrong)
    assert refusal(asking(), {"marks": [], "score": 70})


def test_a_low_score_needs_a_mark_unless_there_is_nothing_to_mark():
    definition = asking(score=True, needs_mark_below=85)
    assert "85" in refusal(definition, {"marks": [], "score": 84})
    assert read(definition, {"marks": [], "score": 85})
    assert read(definition, {"marks": [mark(0, 3)], "score": 10})
    assert read(definition, {"marks": [], "score": 0}, output=" ")


def test_events_are_kept_with_their_times():
    events = [
        {"do": "add", "at": 1_700_000_000_000, **mark(8, 14)},
        {"do": "remove", "at": 1, "id": 1},
    ]
    (reading,) = read(asking(), {"marks": [], "events": events})
    assert json.loads(reading.text)["events"] == events
    for wrong in ([{"do": "add"}], [{"do": "hack", "at": 1, "id": 1}], {}, [1], events * 251):
        assert refusal(asking(), {"marks": [], "events": wrong})


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": "界" * 32},
        {"text": {"much": "more"}},
        {"note": "x" * 501},
        {"severity": "x" * 201},
        {"category": ["x"]},
        {"side": None},
        {"start": -1},
        {"end": 32},
        {"start": 1.5},
        {"missing": 0},
        {"undo": "x" * 1_000},
        {"prefilled": "x" * 201},
        {"other": 1},
    ],
)
def test_an_event_says_no_more_than_a_mark(wrong):
    event = {"do": "add", "at": 1_700_000_000_000, "id": 1}
    assert read(asking(), {"marks": [], "events": [event]})
    assert refusal(asking(), {"marks": [], "events": [event | wrong]})


def test_the_events_of_one_answer_are_bounded_together():
    output = "界" * 1_000
    event = {"do": "add", "at": 1_700_000_000_000, "id": 1, "text": output}
    assert read(asking(), {"marks": [], "events": [event] * 12}, output=output)
    assert refusal(asking(), {"marks": [], "events": [event] * 14}, output=output)


def test_the_events_of_an_hour_of_marking_are_taken():
    """Thirty marks of a phrase, each changed and taken back."""
    output = "Der Zug fährt über die Brücke nach Süden. " * 30
    events = []
    for number in range(30):
        start = 42 * number
        made = mark(start, start + 28, output, side="output", category="Accuracy/Mistranslation")
        made |= {"id": number + 1, "note": "", "missing": False}
        at = {"at": 1_700_000_000_000 + number}
        events += [{"do": "add", **at, **made}, {"do": "change", **at, "undo": True, **made}]
        events += [{"do": "remove", **at, "id": number + 1}]
    assert read(asking(), {"marks": [], "events": events}, output=output)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"severities": {"critical": ""}}, "has no weight"),
        ({"weights": "much"}, "is not a weight"),
        ({"needs_mark_below": 80}, "needs score"),
        ({"score": True, "anchors": {"x": "good"}}, "is not a score"),
        ({"score": True, "anchors": {"9" * 5_000: "good"}}, "is not a score"),
    ],
)
def test_options_that_do_not_fit_are_refused(options, words):
    with pytest.raises(ValueError, match=words):
        SpansOptions(**options)


def test_marks_need_the_text_on_the_screen():
    document = definition_to_document(asking())
    document["screens"][0]["show"] = [{"block": "input"}]
    with pytest.raises(InvalidDefinition, match="marks outputs"):
        definition_from_document(document)


@pytest.mark.parametrize("name", ["mqm", "esa", "contrastive-esa", "fact-spans", "document-esa"])
def test_the_server_accepts_simulated_marks(name):
    definition = preset(name)
    criterion = definition.criteria[0]
    options = {
        key: list(value.items()) if isinstance(value, dict) else value
        for key, value in criterion.settings.model_dump(mode="json").items()
    }
    rng = random.Random(3)
    texts = [TEXT, "", "\u0e41\u0e21\u0e27 a\r\nb", "one"]
    for impression in (-3, 0, 3):
        values = INSTRUMENTS["spans"].simulate_together(
            [impression] * len(texts), options, {"outputs": texts}, rng
        )
        answers = [
            {"criterion": "errors", "place": place, "value": value}
            for place, value in enumerate(values)
        ]
        assert read_answers(definition, 0, answers, outputs=len(texts), texts=texts, item_input="")


@pytest.mark.parametrize(
    ("options", "digits"),
    [
        ({"severities": {"minor": "Minor", "major": "Major"}}, "1–2"),
        ({"categories": {str(number): "x" for number in range(12)}}, "1–9"),
        ({}, "Enter"),
    ],
)
def test_the_keys_name_the_digits_that_mark(options, digits):
    tool = INSTRUMENTS["spans"]
    assert (digits, "mark the selection") in tool.keys_for(tool.Options(**options))
