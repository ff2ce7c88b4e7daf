"""The language of rules: what it reads, what it refuses, and when it is sure."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.checks.measure_names import known_measures
from analysis.checks.measures import CheckAnswer, measures_of, repeat_icc
from analysis.checks.rules import RuleError, caught_by, parse_rule

EXAMPLE = "corruption.paired_p > .05 or instructed.failed >= 2 or repeat.icc < .3"


def truth(text: str, *, is_final: bool = True, **measures: float | None) -> bool | None:
    named = {name.replace("__", "."): value for name, value in measures.items()}
    return parse_rule(text).truth(named, is_final=is_final)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a.failed >= 2", True),
        ("a.failed > 2", False),
        ("a.failed == 2 and screens < 9", False),
        ("a.failed == 2 and not screens < 9", True),
        ("screens < 9 or a.failed != 3", True),
        ("not (screens < 9 or a.failed != 3)", False),
        # and binds more tightly than or
        ("a.failed == 2 or screens < 9 and screens < 9", True),
        ("(a.failed == 2 or screens < 9) and screens < 9", False),
        ("screens>=-.5", True),
    ],
)
def test_rules_are_evaluated_as_written(text, expected):
    assert truth(text, a__failed=2, screens=10) is expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "ends where there should be the name of a measure"),
        ("a.failed", "ends where there should be one of < <= > >= == !="),
        ("a.failed >=", "ends where there should be a number"),
        ("a.failed >= b.failed", "“b.failed” (character 13): there should be a number"),
        ("a.failed >= 1 b", "“b” (character 15): there should be and, or, or the end"),
        ("(a.failed >= 1", "a closing bracket"),
        ("and a.failed >= 1", "“and” (character 1): there should be the name of a measure"),
        ("__import__('os')", "“_” (character 1) cannot be in a rule"),
        ("a.failed >= 1; b", "“;” (character 14) cannot be in a rule"),
        ("Look.failed >= 1", "“Look.failed” (character 1): rules are written in small letters"),
        ("a < 1 AND b < 1", "(character 7): rules are written in small letters: “and”"),
        ("(" * 11 + "a < 1" + ")" * 11, "nested at most 10 deep"),
        ("a < 1 or " * 30 + "a < 1", "at most 30 comparisons"),
        ("a < 1 or " * 200, "at most 1,000 characters"),
    ],
)
def test_unreadable_input_is_refused_with_its_place(text, said):
    with pytest.raises(RuleError) as refusal:
        parse_rule(text)
    assert said in str(refusal.value)


@given(st.text(alphabet="ab.<>=!()0123 -andornotfailed", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        rule = parse_rule(text)
    except RuleError:
        return
    assert rule.truth({}, is_final=True) is None


def test_the_parts_that_caught_a_rater_are_named_as_they_were_written():
    rule = parse_rule(EXAMPLE)
    measures = {"corruption.paired_p": 0.2, "instructed.failed": 0, "repeat.icc": 0.1}
    assert caught_by(rule, measures, is_final=True) == (
        "corruption.paired_p > .05",
        "repeat.icc < .3",
    )
    assert caught_by(rule, measures | {"corruption.paired_p": None}, is_final=True) == (
        "repeat.icc < .3",
    )


def test_unknown_measures_catch_no_rater():
    assert truth("repeat.icc < .3", repeat__icc=None) is None
    assert truth("not repeat.icc < .3", repeat__icc=None) is None
    assert truth("repeat.icc < .3 or a.failed >= 1", repeat__icc=None, a__failed=1) is True
    assert truth("repeat.icc < .3 and a.failed >= 1", repeat__icc=None, a__failed=0) is False


def test_only_final_measures_decide_during_the_work():
    early = {"corruption__paired_p": 1.0, "instructed__failed": 2.0, "repeat__icc": 0.0}
    assert truth("corruption.paired_p > .05", is_final=False, **early) is None
    assert truth(EXAMPLE, is_final=False, **early) is True
    assert truth("instructed.failed < 2", is_final=False, **early) is False
    assert truth("instructed.failed < 3", is_final=False, **early) is None
    assert truth("not instructed.failed < 2", is_final=False, **early) is True


def test_measures_by_the_name_and_by_the_kind_of_a_check():
    answers = [
        CheckAnswer("look", "instructed", passed=False),
        CheckAnswer("again", "instructed", passed=True),
        CheckAnswer("again", "instructed", passed=False),
        *(CheckAnswer("corruption", "corruption", value=80 + k, other=20.0) for k in range(5)),
    ]
    checks = [("look", "instructed"), ("again", "instructed"), ("corruption", "corruption")]
    found = measures_of(answers, seconds=[4.0, 6.0, 20.0], checks=[*checks, ("r", "repeat")])
    assert found["instructed.failed"] == 2
    assert (found["look.failed"], found["again.failed"]) == (1, 1)
    assert found["again.failed_share"] == 0.5
    assert found["corruption.paired_p"] == pytest.approx(1 / 32)
    assert found["corruption.mean_drop"] == 62
    assert (found["median_seconds"], found["median_active_seconds"]) == (6, None)
    assert (found["r.answered"], found["repeat.icc"]) == (0, None)
    assert set(found) == known_measures([*checks, ("r", "repeat")])


def test_the_consistency_of_repeats_is_that_of_the_textbook():
    """ICC(2,1) from the mean squares of a two-way table (Shrout & Fleiss 1979)."""
    pairs = np.array([(10.0, 14.0), (50.0, 47.0), (80.0, 90.0), (30.0, 36.0)])
    grand, n = pairs.mean(), len(pairs)
    rows = 2 * np.sum((pairs.mean(axis=1) - grand) ** 2) / (n - 1)
    columns = n * np.sum((pairs.mean(axis=0) - grand) ** 2)
    error = (np.sum((pairs - grand) ** 2) - rows * (n - 1) - columns) / (n - 1)
    expected = (rows - error) / (rows + error + 2 * (columns - error) / n)
    assert repeat_icc([tuple(pair) for pair in pairs]) == pytest.approx(expected)
    assert repeat_icc([(10.0, 14.0), (50.0, 47.0)]) is None
    assert repeat_icc([(50.0, 50.0)] * 5) is None
