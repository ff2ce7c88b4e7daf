"""Answers to practice examples are compared with what their authors expect."""

import pytest

from rankme.errors import InvalidDefinition
from rankme.protocols.answers import Reading
from rankme.protocols.expectations import compared, passes
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from rankme.protocols.instruments import Subject
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


def test_derived_answers_can_be_expected():
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
    assert rows[0].given == "mentioned: 1, missing: 1, wrong: 1, added: 1"
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
def test_impossible_expectations_are_refused(expect, problem):
    with pytest.raises(InvalidDefinition, match=problem) as refused:
        definition(expect)
    assert refused.value.problems[0].place == "practice[0].expect"


def rows_of(name, number, value, position=0):
    found = preset(name)
    trial = found.practice[number]
    readings = [marked(found, trial, position, value)]
    return [row for row in compared(trial, found.criteria, readings) if row.position == position]


def test_marks_are_compared_in_the_words_of_the_rater():
    [marks, score] = rows_of("esa", 0, "The/minor")
    assert (marks.given, marks.expected, marks.fits) == ("“The” (Minor)", "“under” (Major)", False)
    assert [(mark["start"], mark["level"]) for mark in marks.own_marks] == [(0, 1)]
    assert [(mark["start"], mark["level"]) for mark in marks.expected_marks] == [(12, 2)]
    assert (score.question, score.given, score.expected) == ("Score", "–", "33–66")


def test_no_error_is_said_in_words_and_not_as_a_penalty():
    [marks, _] = rows_of("esa", 0, "")
    assert (marks.given, marks.expected) == ("no errors", "“under” (Major)")
    [marks, _] = rows_of("esa", 2, "The/minor")
    assert (marks.given, marks.expected, marks.fits) == ("“The” (Minor)", "no errors", False)
    [marks, _] = rows_of("contrastive-esa", 0, "Dog/major", position=2)
    assert (marks.expected, marks.fits) == ("at least one error", True)


def test_facts_are_compared_one_by_one():
    found = preset("e2e-coverage")
    text = '{"attributes": ["mentioned", "mentioned", "wrong"], "added": 1}'
    [row] = compared(found.practice[0], found.criteria, [Reading("coverage", 0, 3, text, 900)])
    assert row.given == "name: mentioned, food: mentioned, priceRange: wrong, added: 1"
    assert row.expected == "name: mentioned, food: missing, priceRange: wrong, added: 1"
    assert not row.fits


@pytest.mark.parametrize(
    ("expect", "problem"),
    [
        ([{"text": "over"}], "“over” is not in the text"),
        ([{"text": "under", "severity": "grave"}], "there is no severity “grave”"),
        ([{"text": "under", "category": "Style"}], "there is no category “Style”"),
        ([{"text": "Hund", "side": "source"}], "“source” cannot be marked"),
        ([{"words": "under"}], "write each mark with its text"),
        ([{"text": 12}], "write each mark with its text"),
        ([{"text": "under"}] * 21, "at most 20 marks"),
        ([[{"text": "over"}]], "“over” is not in the text"),
    ],
)
def test_impossible_marks_cannot_be_expected(expect, problem):
    document = definition_to_document(preset("esa"))
    document["practice"][0]["expect"] = {"errors": expect}
    with pytest.raises(InvalidDefinition, match=problem):
        definition_from_document(document)


def test_marks_are_not_expected_of_a_number():
    for expect in ({"errors_score": [{"text": "under"}]}, {"errors_score": []}):
        document = definition_to_document(preset("esa"))
        document["practice"][0]["expect"] = expect
        with pytest.raises(InvalidDefinition, match="write a number"):
            definition_from_document(document)


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
    ("mqm", 0, {"errors": ("walks/major/Fluency/Grammar",)}, {"errors": ("",)}),
    (
        "mqm",
        1,
        {"errors": ("gestern/major/Accuracy/Omission",)},
        {"errors": ("across/major/Accuracy/Omission",)},
    ),
    (
        "fact-spans",
        0,
        {"errors": ("12//Incorrect/Number, a full house//Not checkable",)},
        {"errors": ("Tom//Incorrect/Number, a full house//Not checkable",)},
    ),
    (
        "contrastive-esa",
        0,
        {"errors": ("", "under/major", "Dog/major"), "errors_score": (95, 40, 5)},
        {"errors": ("", "The/minor", "Dog/major"), "errors_score": (95, 40, 5)},
    ),
    *(
        ("esa", 0, {"errors": ("under/major",), "errors_score": (50,)}, wrong)
        for wrong in (
            {"errors": ("The/minor",), "errors_score": (50,)},
            {"errors": ("under/minor",), "errors_score": (50,)},
            {"errors": ("under/major, The/minor",), "errors_score": (50,)},
            {"errors": ("dog ran under the bridge/major",), "errors_score": (50,)},
            {"errors": ("under/major",), "errors_score": (95,)},
        )
    ),
    (
        "esa",
        1,
        {"errors": ("yesterday ran/minor",), "errors_score": (80,)},
        {"errors": ("The/major",), "errors_score": (80,)},
    ),
    (
        "esa",
        2,
        {"errors": ("",), "errors_score": (99,)},
        {"errors": ("The/minor",), "errors_score": (99,)},
    ),
    ("chat-arena", 0, {"preference": (1, 0)}, {"preference": (0, 1)}),
    (
        "chat-likert",
        0,
        {"correctness": (1,), "helpfulness": (1,), "writing": (4,)},
        {"correctness": (5,), "helpfulness": (1,), "writing": (4,)},
    ),
    (
        "e2e-quality",
        0,
        {
            "quality": (100, 50, 90, 90, 110),
            "coverage": ("ok", "missing", "missing", "added", "ok"),
        },
        {"quality": (100, 50, 90, 90, 110), "coverage": ("ok", "ok", "ok", "ok", "ok")},
    ),
    (
        "e2e-naturalness",
        0,
        {"naturalness": (100, 20, 90, 60, 110)},
        {"naturalness": (100, 120, 90, 60, 110)},
    ),
    (
        "sr11-deep",
        2,
        {"clarity": (90,), "readability": (90,), "meaning_similarity": (10,)},
        {"clarity": (90,), "readability": (90,), "meaning_similarity": (90,)},
    ),
    (
        "rotowire-facts",
        0,
        {"supported": (2,), "contradicted": (1,)},
        {"supported": (3,), "contradicted": (0,)},
    ),
    ("rotowire-ordering", 0, {"ordering": (2,)}, {"ordering": (7,)}),
]


def marked(found, trial, place, written):
    """The reading of marks that are written as TEXT/SEVERITY/CATEGORY, with commas between them."""
    marks = []
    for number, mark in enumerate(part for part in written.split(", ") if part):
        text, severity, category = (*mark.split("/", 2), "", "")[:3]
        side = "output" if text in trial.outputs[place] else "source"
        start = (trial.outputs[place] if side == "output" else trial.input).index(text)
        places = {"id": number, "side": side, "start": start, "end": start + len(text)}
        marks.append(places | {"text": text, "severity": severity, "category": category})
    answer = {"criterion": "errors", "place": place, "value": {"marks": marks}}
    answer["value"] |= {"score": 100} if found.criteria[0].settings.score else {}
    subject = Subject(trial.input, "", {}, output=trial.outputs[place])
    value = found.criteria[0].tool.clean(answer["value"], found.criteria[0].settings, subject)
    return Reading("errors", place, value.number, value.text, 900)


def read(found, trial, criterion, place, value):
    if criterion == "errors":
        return marked(found, trial, place, value)
    if isinstance(value, str):
        return Reading(criterion, place, None, value, 900)
    return Reading(criterion, place, value, "", 900)


@pytest.mark.parametrize(("name", "number", "right", "careless"), EXAMPLES)
def test_expected_answers_of_presets_agree_with_their_feedback(name, number, right, careless):
    found = preset(name)

    def answered_with(values):
        trial = found.practice[number]
        readings = [
            read(found, trial, criterion, place, value)
            for criterion, each in values.items()
            for place, value in enumerate(each)
        ]
        return passes(compared(found.practice[number], found.criteria, readings))

    assert answered_with(right) and not answered_with(careless)
