"""The server takes from the browser only what the campaign's own screen could have sent."""

import itertools
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankme.errors import InvalidAnswer, InvalidDefinition
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import ShownTrial
from rankme.protocols.answers import read_answers
from rankme.protocols.files import definition_from_document, definition_to_document, preset
from tests.campaigns import rankme_definition, slider_definition


def answer(value, *, criterion="fluency", place=0, **more):
    return {"criterion": criterion, "place": place, "value": value, **more}


def read(definition, answers, *, outputs=1, item_input="", screen=0):
    return read_answers(definition, screen, answers, outputs=outputs, item_input=item_input)


def asking(instrument, options=None, **changes):
    criterion = {"name": "fluency", "question": "?", "instrument": instrument}
    return slider_definition(criteria=[criterion | {"options": options or {}} | changes])


@pytest.mark.parametrize(
    "value", [-1, 100.5, 9999, 10**400, "50", True, None, [50], math.inf, math.nan]
)
def test_a_slider_takes_only_numbers_between_its_ends(value):
    with pytest.raises(InvalidAnswer):
        read(slider_definition(), [answer(value)])


def test_valid_answers_are_read():
    (reading,) = read(slider_definition(), [answer(37.5, time_ms=812.5)])
    assert (reading.criterion, reading.position, reading.number) == ("fluency", 0, 37.5)
    assert reading.time_ms == 812.5


def test_every_missing_answer_is_named():
    with pytest.raises(InvalidAnswer) as refused:
        read(rankme_definition(), [answer(90, criterion="quality", place=1)], outputs=3)
    assert [problem.place for problem in refused.value.problems] == ["quality[0]", "quality[2]"]


@pytest.mark.parametrize(
    "answers",
    [
        [answer(50), answer(51)],
        [answer(50), answer(50, place=1)],
        [answer(50), answer(50, criterion="other")],
        [answer(50), "fifty"],
        {"fluency": 50},
        None,
    ],
)
def test_answers_that_were_not_asked_are_refused(answers):
    with pytest.raises(InvalidAnswer):
        read(slider_definition(), answers)


def test_an_optional_question_may_stay_open():
    assert read(asking("slider", required=False), []) == []


@pytest.mark.parametrize(
    ("instrument", "options", "right", "wrong"),
    [
        ("rankme", {}, [0.5, 100, 250.5, 999_999], [-1, 0, 1_000_000, "9"]),
        ("likert", {"points": 7}, [1, 7], [0, 8, 3.5, "4"]),
        ("count", {"most": 20}, [0, 20], [-1, 21, 1.5]),
        ("choice", {"choices": {"a": "A", "b": "B"}}, ["a", "b"], ["c", 0, ["a"]]),
        (
            "checklist",
            {"choices": {"a": "A", "b": "B"}},
            [[], ["a"], ["b", "a"]],
            ["a", ["c"], ["a", "a"], [["a"]]],
        ),
        (
            "text",
            {"least": 3, "most": 9, "characters": ",."},
            ["Hallo", "a, b."],
            ["ab", "far too long a text", "so?", 5],
        ),
        ("response_time", {"timeout_ms": 15_000}, [0.4, 15_000, None], [0, -5, 99_999, "1"]),
    ],
)
def test_each_instrument_accepts_its_own_answers(instrument, options, right, wrong):
    definition = asking(instrument, options)
    for value in right:
        assert read(definition, [answer(value)])
    for value in wrong:
        with pytest.raises(InvalidAnswer):
            read(definition, [answer(value)])


def test_a_checklist_is_coded_as_the_coverage_categories():
    coverage = preset("e2e-quality").criterion("coverage")
    coded = {
        tuple(ticked): coverage.tool.clean(ticked, coverage.settings, None).number
        for ticked in ([], ["added"], ["missing"], ["missing", "added"])
    }
    assert list(coded.values()) == [0, 1, 2, 3]
    assert preset("e2e-quality").labels["coverage"][3.0] == "added+missing"


DOMAIN = json.dumps({"images": [{"name": "sofa"}, {"name": "desk"}], "target": "desk"})


@pytest.mark.parametrize(("clicked", "error"), [(1, 0.0), (0, 1.0), (None, None)])
def test_a_click_is_an_error_unless_it_meets_the_target(clicked, error):
    definition = preset("tuna08-identification")
    clicks = [answer(clicked, criterion="identification", time_ms=900.0)]
    error_reading, time_reading = read(definition, clicks, item_input=DOMAIN, screen=1)
    assert (error_reading.criterion, error_reading.number) == ("identification", error)
    expected = None if clicked is None else 900.0
    assert (time_reading.criterion, time_reading.number) == ("identification_time", expected)


def test_a_click_outside_the_pictures_is_refused():
    definition = preset("tuna08-identification")
    for clicked in (2, -1, 0.5, "1", True):
        with pytest.raises(InvalidAnswer):
            read(
                definition,
                [answer(clicked, criterion="identification")],
                item_input=DOMAIN,
                screen=1,
            )


@pytest.mark.parametrize(
    ("values", "fits"),
    [((1, 0), True), ((0.5, 0.5), True), ((1, 1), False), ((0, 0), False), ((1, 0.5), False)],
)
def test_a_preference_is_one_choice_between_two(values, fits):
    answers = [
        answer(value, criterion="preference", place=place) for place, value in enumerate(values)
    ]
    if fits:
        assert len(read(preset("pairwise-preference"), answers, outputs=2)) == 2
    else:
        with pytest.raises(InvalidAnswer):
            read(preset("pairwise-preference"), answers, outputs=2)


@pytest.mark.parametrize(
    ("values", "fits"),
    [((1, 0, 0, -1), True), ((1, 1, 0, -1), False), ((0, 0, 0, -1), False), ((0, 0, 0, 0), False)],
)
def test_a_screen_has_one_best_and_one_worst_output(values, fits):
    answers = [answer(value, criterion="choice", place=place) for place, value in enumerate(values)]
    if fits:
        assert len(read(preset("best-worst"), answers, outputs=4)) == 4
    else:
        with pytest.raises(InvalidAnswer):
            read(preset("best-worst"), answers, outputs=4)


@pytest.mark.parametrize(
    ("attributes", "added", "number", "rate"),
    [
        (["mentioned", "mentioned"], 0, 0, 0.0),
        (["mentioned", "missing"], 0, 2, 0.5),
        (["mentioned", "mentioned"], 1, 1, 0.5),
        (["wrong", "mentioned"], 0, 3, 0.5),
        (["missing", "missing"], 2, 3, 2.0),
    ],
)
def test_attributes_make_the_category_and_the_slot_error_rate(attributes, added, number, rate):
    given_answer = answer({"attributes": attributes, "added": added}, criterion="coverage")
    category, slot_error_rate = read(
        preset("e2e-coverage"), [given_answer], item_input="name[A], food[Soup]"
    )
    assert category.number == number
    assert (slot_error_rate.criterion, slot_error_rate.number) == ("coverage_slot_error_rate", rate)


def test_an_answer_must_cover_every_attribute():
    short = answer({"attributes": ["mentioned"], "added": 0}, criterion="coverage")
    with pytest.raises(InvalidAnswer):
        read(preset("e2e-coverage"), [short], item_input="name[A], food[Soup]")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(), parts, max_size=4),
    max_leaves=8,
)


@given(value=JSON, place=JSON, criterion=st.sampled_from(["q0", "q1", "q2", "q3", "q4", "q5"]))
def test_arbitrary_answers_never_crash_the_reading(value, place, criterion):
    instruments = ["slider", "rankme", "likert", "count", "text", "response_time"]
    document = definition_to_document(slider_definition()) | {
        "criteria": [
            {"name": f"q{number}", "question": "?", "instrument": instrument, "required": False}
            for number, instrument in enumerate(instruments)
        ],
        "screens": [{"name": "s", "show": ["outputs"], "ask": [f"q{n}" for n in range(6)]}],
    }
    definition = definition_from_document(document)
    try:
        readings = read(definition, [answer(value, place=place, criterion=criterion)])
    except InvalidAnswer:
        return
    assert all(reading.number is None or math.isfinite(reading.number) for reading in readings)


# Pictures to click -------------------------------------------------------------------------

PICTURES = {
    "target": "the one",
    "images": [
        {"name": "the one", "svg": "<svg>1</svg>", "x": 3, "y": 2},
        {"name": "second", "svg": "<svg>2</svg>", "x": 1, "y": 1},
        {"name": "third", "svg": "<svg>3</svg>", "x": 2, "y": 2},
    ],
}


def clicked(value, pictures=PICTURES, **more):
    definition = asking("click_target", about="item").model_copy(update={"input_kind": "images"})
    item_input = json.dumps(pictures)
    return read(definition, [answer(value, place=None, **more)], item_input=item_input)


def test_a_click_names_the_picture_by_its_place_in_reading_order():
    names = [clicked({"shown": shown})[0].text for shown in range(3)]
    assert names == ["second", "third", "the one"]
    assert [clicked({"shown": shown})[0].number for shown in range(3)] == [1, 1, 0]


def test_a_click_as_earlier_releases_stored_it_still_means_the_same():
    assert [clicked(place)[0].text for place in range(3)] == ["the one", "second", "third"]


@pytest.mark.parametrize("shown", [3, -1, "0", True, None, {}])
def test_a_click_on_no_picture_is_refused(shown):
    for value in ({"shown": shown}, {"shown": 0, "x": shown}):
        with pytest.raises(InvalidAnswer):
            clicked(value)


@pytest.mark.parametrize("placed", [True, False])
def test_pictures_are_shown_independently_of_their_order_in_the_file(placed):
    images = [dict(image) for image in PICTURES["images"]]
    for image in images:
        if not placed:
            del image["x"], image["y"]
    definition = preset("tuna08-identification").model_copy(update={"practice": []})
    pages = []
    for order in itertools.permutations(images):
        text = json.dumps(PICTURES | {"images": order})
        page = page_document(definition, [ShownTrial(text, "", "", ("the red one",))])
        pages.append((page["trials"], page["pictures"]))
    assert all(page == pages[0] for page in pages)


@pytest.mark.parametrize(
    ("value", "time_ms", "expected"),
    [({"shown": 0}, 150, True), ({"shown": 0}, 200, False), ({"shown": 0}, None, False)],
)
def test_a_click_before_anybody_can_have_seen_the_pictures_is_known_as_such(
    value, time_ms, expected
):
    assert clicked(value, time_ms=time_ms)[0].is_anticipated is expected


@pytest.mark.parametrize(("value", "expected"), [(120, True), (200, False), (None, False)])
def test_impossible_reading_times_are_recognised(value, expected):
    definition = asking("response_time", about="item")
    assert read(definition, [answer(value, place=None)])[0].is_anticipated is expected


def test_quick_answers_on_ordinary_scales_are_not_anticipations():
    assert not read(slider_definition(), [answer(50, time_ms=10)])[0].is_anticipated


def chosen(both_bad=True):
    return asking("preference", {"ties": True, "both_bad": both_bad})


def pair(first, second):
    return [answer(first), answer(second, place=1)]


def test_both_bad_counts_as_a_tie_and_fills_a_second_criterion():
    definition = chosen()
    assert definition.kinds == {"fluency": "relative", "fluency_bad": "category"}
    assert definition.labels["fluency_bad"] == {0.0: "not said", 1.0: "both bad"}
    bad = read(definition, pair("bad", "bad"), outputs=2)
    assert [(one.criterion, one.number, one.text) for one in bad] == [
        *[("fluency", 0.5, "bad"), ("fluency_bad", 1, "")] * 2
    ]
    tie = read(definition, pair(0.5, 0.5), outputs=2)
    assert [(one.criterion, one.number, one.text) for one in tie] == [
        *[("fluency", 0.5, ""), ("fluency_bad", 0, "")] * 2
    ]


@pytest.mark.parametrize("answers", [pair("bad", 0.5), pair("bad", 1), pair("good", "good")])
def test_both_bad_is_said_of_both(answers):
    with pytest.raises(InvalidAnswer):
        read(chosen(), answers, outputs=2)


def test_both_bad_is_refused_unless_it_is_an_answer():
    with pytest.raises(InvalidAnswer):
        read(chosen(both_bad=False), pair("bad", "bad"), outputs=2)
    with pytest.raises(InvalidDefinition):
        asking("preference", {"ties": False, "both_bad": True})
