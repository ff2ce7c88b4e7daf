"""CV* as its authors' script and paper have it; comparisons of two studies by hand."""

import pytest

from analysis.errors import Undefined
from analysis.scales.reproduction import reproduction, small_sample_cv

# Scores, mean and CV* of the example in the authors' repository (github.com/asbelz/coeff-var, CC0);
# the scores are Table 4 of Belz, Popović & Mille (2022): BLEU of NTS_def in seven reproductions.
BLEU = [84.51, 84.50, 87.46, 85.60, 84.20, 86.61, 86.20]


def test_the_published_example_is_reproduced():
    assert sum(BLEU) / 7 == pytest.approx(85.58285714285714, rel=1e-14)
    assert small_sample_cv(BLEU) == pytest.approx(1.5616560359100269, rel=1e-12)


def test_the_scale_is_moved_to_zero_and_its_unit_does_not_matter():
    assert small_sample_cv([2, 3], lowest=1) == small_sample_cv([1, 2])
    assert small_sample_cv([10, 20]) == pytest.approx(small_sample_cv([1, 2]), rel=1e-14)
    for scores, lowest in (([1], 0), ([1, 1], 1), ([-1, -2], 0)):
        with pytest.raises(Undefined):
            small_sample_cv(scores, lowest=lowest)


def test_orders_of_pairs_are_compared():
    found = reproduction("q", {"a": 1, "b": 2, "c": 3, "x": 9}, {"a": 1, "b": 3, "c": 2, "y": 1})
    assert (found.same_order, found.pairs) == (2, 3)
    assert found.missing == ("x", "y")
    assert found.spearman == pytest.approx(0.5)
    assert found.systems[0].cv == 0
    tied = reproduction("q", {"a": 1, "b": 1}, {"a": 2, "b": 2})
    assert (tied.same_order, tied.pearson) == (1, None)
    with pytest.raises(Undefined):
        reproduction("q", {"a": 1}, {"b": 1})


def test_conclusions_are_the_same_where_both_or_neither_tell_systems_apart():
    scores = dict.fromkeys("abcd", 1.0)
    earlier, now = {("a", "b"), ("a", "c"), ("c", "d")}, {("a", "b"), ("d", "c"), ("b", "d")}
    found = reproduction("q", scores, scores, claims=(earlier, now)).conclusions
    # Same: a b (both), a d and b c (neither); earlier only: a c; now only: b d; opposite: c d.
    assert (found.same, found.earlier_only, found.now_only, found.opposite) == (3, 1, 1, 1)
    assert reproduction("q", scores, scores).conclusions is None
