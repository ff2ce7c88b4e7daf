"""Answers to practice examples are compared with what their authors expect."""

import pytest

from rankme.errors import InvalidDefinition
from rankme.protocols.answers import Reading
from rankme.protocols.expectations import compared, passes
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from tests.campaigns import slider_definition


def choice(name, **options):
    return {"name": name, "question": f"{name}?", "instrument": "choice", "options": options}


CRITERIA = [
    {"name": "fluency", "question": "Fluent?", "instrument": "slider"},
    choice("kind", choices={"news": "A news text", "story": "A story"}) | {"about": "item"},
]
SCREENS = [{"name": "rate", "show": ["outputs"], "ask": ["fluency", "kind"]}]
OUTPUTS = ["A text.", "text A"]


def definition(expect, **changes):
    trial = {"outputs": OUTPUTS, "expect": expect}
    return slider_definition(criteria=CRITERIA, screens=SCREENS, practice=[trial], **changes)


def answered(expect, fluency=(90, 10), kind="news"):
    found = definition(expect)
    readings = [Reading("fluency", place, value, "", 900) for place, value in enumerate(fluency)]
    readings.append(Reading("kind", None, ["news", "story"].index(kind), kind, 900))
    return compared(found.practice[0], found.criteria, readings)


@pytest.mark.parametrize(
    ("expect", "passed"),
    [
        ({"fluency": [[80, 100], [0, 20]]}, True),
        ({"fluency": [[80, 100], [20, 30]]}, False),
        ({"fluency": [0, 100]}, True),  # a range for both
        ({"fluency": [20, 100]}, False),
        ({"fluency": [90, 10]}, True),  # no range, because 90 is more than 10
        ({"fluency": [None, 10]}, True),
        ({"kind": "news"}, True),
        ({"kind": "story"}, False),
        ({"kind": ["news", "story"]}, True),
        ({"kind": 0}, True),
        ({}, True),
    ],
)
def test_answers_fit_or_not(expect, passed):
    assert passes(answered(expect)) is passed


def test_answers_and_expectations_are_in_the_words_of_the_rater():
    rows = answered({"fluency": [[80, 100], None], "kind": ["news", "story"]}, kind="story")
    assert [(row.text, row.given, row.expected) for row in rows] == [
        ("A text.", "90", "80–100"),
        ("text A", "10", ""),
        ("", "A story", "A news text / A story"),
    ]


def test_what_follows_from_an_answer_can_be_expected_too():
    found = preset("e2e-coverage")
    trial = found.practice[0].model_copy(update={"expect": {"coverage_slot_error_rate": [0.6, 1]}})
    text = '{"attributes": ["mentioned", "missing", "wrong"], "added": 1}'
    rows = compared(
        trial,
        found.criteria,
        [
            Reading("coverage", 0, 3, text, 900),
            Reading("coverage_slot_error_rate", 0, 1, "", 900),
        ],
    )
    assert rows[0].given == "mentioned: 1, missing: 1, wrong: 1, +1"
    assert (rows[1].given, rows[1].expected, rows[1].fits) == ("1", "0.6–1", True)


def test_an_answer_that_was_left_out_is_not_the_expected_one():
    found = definition({"fluency": [0, 100]})
    assert not passes(compared(found.practice[0], found.criteria, []))


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ({"fluenzy": 3}, "there is no criterion"),
        ({"fluency": [[80, 100]]}, "2 outputs but 1 expected"),
        ({"fluency": {"low": 3}}, "write a number"),
        ({"fluency": True}, "write a number"),
        ({"kind": "novel"}, "no answer “novel”: choose news, story"),
        ({"kind": [["news"], ["story"]]}, "write a number"),
    ],
)
def test_what_cannot_be_expected_is_refused(expect, problem):
    with pytest.raises(InvalidDefinition, match=problem) as refused:
        definition(expect)
    assert refused.value.problems[0].place == "practice[0].expect"


def test_a_gate_needs_something_to_check():
    with pytest.raises(InvalidDefinition, match="no practice trial says"):
        definition({}, practice_gate=True)


def test_expectations_are_written_and_read_back():
    found = definition({"fluency": [[80, 100], None], "kind": "news"}, practice_gate=True)
    assert definition_from_document(definition_to_document(found)) == found


# By preset and example: what its feedback says, and an answer that contradicts it.
EXAMPLES = [
    ("best-worst", 0, {"choice": (1, 0, 0, -1)}, {"choice": (-1, 0, 0, 1)}),
    ("pairwise-preference", 0, {"preference": (1, 0)}, {"preference": (0.5, 0.5)}),
    ("direct-assessment", 0, {"adequacy": (92,)}, {"adequacy": (30,)}),
    ("direct-assessment", 1, {"adequacy": (8,)}, {"adequacy": (90,)}),
    (
        "likert-criteria",
        0,
        {"fluency": (1,), "adequacy": (5,)},
        {"fluency": (5,), "adequacy": (5,)},
    ),
    ("mqm", 0, {"errors": (5,)}, {"errors": (0,)}),
    ("mqm", 1, {"errors": (5,)}, {"errors": (25,)}),
    ("fact-spans", 0, {"errors": (2,)}, {"errors": (0,)}),
    (
        "contrastive-esa",
        0,
        {"errors": (0, 5, 10), "errors_score": (95, 40, 5)},
        {"errors": (0, 0, 10), "errors_score": (95, 95, 5)},
    ),
]


@pytest.mark.parametrize(("name", "number", "right", "careless"), EXAMPLES)
def test_examples_of_presets_expect_what_their_feedback_says(name, number, right, careless):
    found = preset(name)

    def answered_with(values):
        readings = [
            Reading(criterion, place, value, "", 900)
            for criterion, each in values.items()
            for place, value in enumerate(each)
        ]
        return passes(compared(found.practice[number], found.criteria, readings))

    assert answered_with(right) and not answered_with(careless)
