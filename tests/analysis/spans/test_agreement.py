"""Agreement on error spans: against plain definitions, at its ends, and in published data."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.spans.agreement import (
    ALPHA,
    CHARACTERS,
    MARKS,
    SOURCE_CHARACTERS,
    WEIGHTED,
    span_agreement,
)
from analysis.spans.files import read_spans
from analysis.spans.model import SOURCE, Mark, MarkedOutput, SpanTable
from analysis.spans.weights import parse_weights
from tests.analysis.published import oracle_data

pytestmark = pytest.mark.slow

TEXT = "The dog walked home today."
WEIGHTS = parse_weights()


def span(start: int, end: int, severity: str = "minor", side: str = "output") -> Mark:
    return Mark(start, end, "", severity, side=side)


def judged(*raters: list[Mark], item: str = "1", text: str | None = TEXT) -> list[MarkedOutput]:
    return [
        MarkedOutput(f"r{number}", "s", item, tuple(marks), text)
        for number, marks in enumerate(raters)
    ]


def compare(*outputs: MarkedOutput, resamples: int = 50):
    return span_agreement(SpanTable(outputs), WEIGHTS, resamples=resamples)


def values(*outputs: MarkedOutput) -> dict[str, float | None]:
    return {each.name: each.value for each in compare(*outputs).coefficients}


# --- by hand ---------------------------------------------------------------------------------


def test_characters_count_once_with_their_heaviest_severity():
    one = [span(0, 4), span(2, 6, "major")]
    other = [span(3, 8)]
    found = values(*judged(one, other))
    # 0–6 against 3–8: three are shared, and all of them are major for the first rater.
    assert found[CHARACTERS] == pytest.approx(2 * 3 / (6 + 5))
    assert found[WEIGHTED] == pytest.approx(2 * 1.5 / (6 + 5))
    (pair,) = compare(*judged(one, other)).raters
    assert (pair.precision, pair.recall) == (pytest.approx(3 / 6), pytest.approx(3 / 5))


def test_marks_are_matched_one_to_one_with_credit_for_their_overlap():
    one = [span(0, 10)]
    other = [span(0, 5), span(5, 10), span(20, 25)]
    (pair,) = compare(*judged(one, other)).raters
    # One of the halves is the counterpart: half of the long mark, all of the short one.
    assert pair.marks_precision == pytest.approx(0.5)
    assert pair.marks_recall == pytest.approx(1 / 3)
    assert pair.marks_f1.value == pytest.approx(2 * 0.5 / 3 / (0.5 + 1 / 3))
    assert values(*judged(one, other))[MARKS] == pytest.approx((0.5 + 1) / 4)


def test_marks_in_the_source_have_a_share_of_their_own():
    shared = [span(0, 4), span(2, 6, side=SOURCE)]
    found = values(*judged(shared, [span(0, 4), span(4, 10, side=SOURCE)]))
    assert found[CHARACTERS] == found[MARKS] == 1.0
    assert found[SOURCE_CHARACTERS] == pytest.approx(2 * 2 / (4 + 6))
    assert SOURCE_CHARACTERS not in values(*judged([span(0, 4)], [span(0, 4)]))


def test_the_same_offsets_in_source_and_output_are_not_the_same():
    found = compare(*judged([span(0, 4)], [span(0, 4, side=SOURCE)]))
    assert [each.value for each in found.coefficients[:4]] == [0.0, 0.0, 0.0, 0.0]
    assert found.one_empty == 1


def test_raters_who_mark_the_same_agree_and_others_do_not():
    same = [span(4, 7), span(8, 14, "major")]
    outputs = [*judged(same, same), *judged([], [], item="2")]
    assert values(*outputs) == {CHARACTERS: 1.0, WEIGHTED: 1.0, MARKS: 1.0, ALPHA: 1.0}
    apart = values(*judged([span(0, 3)], [span(4, 7)]))
    assert (apart[CHARACTERS], apart[MARKS]) == (0.0, 0.0)
    assert compare(*judged([span(0, 3)], [span(4, 7)])).raters[0].marks_f1.value == 0.0


# --- what is undefined -----------------------------------------------------------------------


def test_without_two_raters_nothing_is_defined():
    for each in compare(*judged([span(0, 3)])).coefficients:
        assert each.value is None and each.reason == "No output was judged by two raters."


def test_without_marks_agreement_is_undefined_and_the_empty_pairs_are_counted():
    found = compare(*judged([], []), *judged([], [], item="2"))
    assert (found.pairs, found.both_empty) == (2, 2)
    characters, weighted, marks, alpha = found.coefficients
    assert characters.value is weighted.value is marks.value is None
    assert characters.reason.startswith("Nobody marked a character")
    assert alpha.value is None and alpha.reason
    assert found.raters[0].precision is None and found.raters[0].f1.value is None


def test_marks_without_characters_count_in_the_penalty_only():
    missing = Mark(None, None, "", "major", missing=True)
    found = compare(*judged([span(0, 3), missing], [span(0, 3), Mark(2, 2)]))
    assert found.coefficients[0].value == found.coefficients[2].value == 1.0
    assert found.notes[0].startswith("2 marks without characters")


def test_different_texts_are_left_out_and_spaces_at_the_end_are_not():
    one = MarkedOutput("r0", "s", "1", (span(0, 3),), "The dog")
    longer = MarkedOutput("r1", "s", "1", (span(0, 3),), "The dog ")
    another = MarkedOutput("r2", "s", "1", (span(0, 3),), "A dog walked")
    found = compare(one, longer, another)
    assert found.pairs == 1
    assert found.notes == (
        "2 pairs of raters saw different texts of one output and were left out.",
    )


# --- against plain definitions ---------------------------------------------------------------

MARKS_OF_A_RATER = st.lists(
    st.builds(
        lambda ends, severity: span(min(ends), max(ends) + 1, severity),
        st.tuples(st.integers(0, 11), st.integers(0, 11)),
        st.sampled_from(["minor", "major"]),
    ),
    max_size=3,
)


def plain_shares(one: list[Mark], other: list[Mark]) -> tuple[float, ...]:
    """The sums of `Overlap`, as their definitions say and slowly."""
    heaviest = [
        {
            place: max(
                (mark for mark in marks if mark.start <= place < mark.end),
                key=lambda mark: ("minor", "major").index(mark.severity),
            ).severity
            for mark in marks
            for place in range(mark.start, mark.end)
        }
        for marks in (one, other)
    ]
    shared = heaviest[0].keys() & heaviest[1].keys()
    weighted = sum(1 if heaviest[0][x] == heaviest[1][x] else 0.5 for x in shared)

    def inside(a: Mark, b: Mark) -> int:
        return len({*range(a.start, a.end)} & {*range(b.start, b.end)})

    few, many = sorted((one, other), key=len)
    best = 0.0
    for chosen in permutations(many, len(few)):
        pairs = zip(few, chosen, strict=True)
        best = max(best, sum(inside(a, b) / a.length + inside(a, b) / b.length for a, b in pairs))
    return len(heaviest[0]), len(heaviest[1]), len(shared), weighted, best


@settings(max_examples=150, deadline=None)
@given(items=st.lists(st.lists(MARKS_OF_A_RATER, min_size=2, max_size=3), min_size=1, max_size=4))
def test_the_shares_are_those_of_the_definitions(items):
    outputs = [
        each for number, raters in enumerate(items) for each in judged(*raters, item=str(number))
    ]
    sums = np.sum(
        [plain_shares(*pair) for raters in items for pair in combinations(raters, 2)], axis=0
    )
    count = sum(len(a) + len(b) for raters in items for a, b in combinations(raters, 2))
    found = values(*outputs)
    for name, part, whole in (
        (CHARACTERS, 2 * sums[2], sums[0] + sums[1]),
        (WEIGHTED, 2 * sums[3], sums[0] + sums[1]),
        (MARKS, sums[4], count),
    ):
        assert found[name] == (pytest.approx(part / whole) if whole else None)


def test_swapping_two_raters_swaps_precision_and_recall():
    one, other = [span(0, 9), span(12, 14)], [span(3, 6, "major")]
    (pair,) = compare(*judged(one, other)).raters
    (swapped,) = compare(*judged(other, one)).raters
    assert (pair.precision, pair.recall) == (swapped.recall, swapped.precision)
    assert (pair.marks_precision, pair.marks_recall) == (
        swapped.marks_recall,
        swapped.marks_precision,
    )
    assert pair.f1 == swapped.f1 and pair.marks_f1 == swapped.marks_f1


# --- intervals -------------------------------------------------------------------------------


def test_intervals_draw_items_and_cover_the_share_as_often_as_they_say():
    """Items of two kinds, agreeing or not: the share of all is .5, and an item is one draw."""
    rng = np.random.default_rng(5)
    covered = 0
    for _ in range(100):
        outputs = []
        for item in range(60):
            other = [span(0, 4)] if rng.random() < 0.5 else [span(8, 12)]
            for system in "st":  # two outputs of an item are alike: they are drawn together
                outputs += [
                    MarkedOutput("a", system, str(item), (span(0, 4),)),
                    MarkedOutput("b", system, str(item), tuple(other)),
                ]
        f1 = compare(*outputs, resamples=200).coefficients[0]
        covered += f1.low <= 0.5 <= f1.high
    assert 88 <= covered <= 100


def test_three_raters_of_2023():
    table = read_spans(oracle_data("mqm-2023-ende-3raters/mqm_generalMT2023_ende_3raters.tsv"))
    found = span_agreement(table, WEIGHTS, resamples=200)
    assert (found.outputs, found.pairs) == (1040, 3120)
    assert len(found.raters) == 20
    characters, weighted, marks, source, alpha = found.coefficients
    # As a reviewer counted them with sets of characters of the output alone.
    assert found.both_empty == 473
    assert characters.value == pytest.approx(0.3268, abs=5e-5)
    assert weighted.value < characters.value
    for each in (characters, weighted, marks, source, alpha):
        assert each.low < each.value < each.high
        assert 0.02 < each.high - each.low < (0.6 if each is source else 0.2)
