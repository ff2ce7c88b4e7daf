"""Limits of agreement and confusion of two raters: published figures, brute force, coverage."""

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.reliability.two_raters import (
    BETWEEN,
    AgreementLimits,
    agreement_limits,
    cohen_kappa,
    confusion,
)
from tests.analysis.published import published

FIGURES = published("two-raters")


def test_limits_of_agreement_are_those_that_bland_and_altman_published():
    figures = FIGURES["peak flow"]
    found = agreement_limits(figures["first"], figures["second"], np.arange(17))
    assert found.bias.value == pytest.approx(figures["bias"], abs=0.05)
    assert found.deviation == pytest.approx(figures["deviation"], abs=0.05)
    assert found.bias[1:] == pytest.approx(figures["bias interval"], abs=0.1)
    # They wrote 2 for 1.96: −79.7 and 75.5.
    for limit, sign in ((found.lower, -1), (found.upper, 1)):
        assert limit.value == pytest.approx(found.bias.value + sign * 1.96 * 38.765, abs=0.01)
        # The variance of Bland & Altman (1999), where each item has one output.
        half = 2.1199 * 38.765 * np.sqrt(1 / 17 + 1.96**2 / 32)
        assert limit.high - limit.value == pytest.approx(half, rel=1e-3)


def test_two_items_have_no_limits():
    with pytest.raises(Undefined, match="fewer than 3 items"):
        agreement_limits([1, 2, 3, 4], [1, 1, 1, 1], np.array([0, 0, 1, 1]))


def test_intervals_cover_where_differences_on_an_item_resemble_each_other():
    rng = np.random.default_rng(26)
    items = np.repeat(np.arange(12), 5)
    alone = np.arange(len(items))
    true = (0.0, -BETWEEN, BETWEEN)
    by_item, as_if_alone = np.zeros(3), np.zeros(3)
    repetitions = 400
    for _ in range(repetitions):
        of_item, own = rng.normal(size=12)[items], rng.normal(size=len(items))
        differences = np.sqrt(0.5) * (of_item + own)
        for covered, units in ((by_item, items), (as_if_alone, alone)):
            found = agreement_limits(differences, np.zeros(len(items)), units)
            covered += covers(found, true)
    assert (by_item / repetitions > 0.92).all()
    assert (as_if_alone / repetitions < 0.85).all()


def covers(found: AgreementLimits, true: tuple[float, ...]) -> list[bool]:
    ends = (found.bias, found.lower, found.upper)
    return [each.low <= value <= each.high for each, value in zip(ends, true, strict=True)]


@pytest.mark.parametrize(("weighted", "figure"), [(False, "kappa"), (True, "weighted kappa")])
def test_kappa_is_the_one_that_sas_prints(weighted, figure):
    figures = FIGURES["skin condition"]
    found = cohen_kappa(np.array(figures["counts"], dtype=float), weighted=weighted)
    assert found.value == pytest.approx(figures[figure], abs=5e-5)
    assert found.units == 88


def test_kappa_says_why_it_is_undefined():
    with pytest.raises(Undefined, match="one value throughout"):
        cohen_kappa(np.array([[0.0, 0.0], [0.0, 5.0]]))
    with pytest.raises(Undefined, match="no output in common"):
        cohen_kappa(np.zeros((2, 2)))


def test_a_confusion_table_counts_each_pair_of_values():
    rng = np.random.default_rng(1)
    first, second = rng.integers(4, size=(2, 50))
    counts = confusion(first, second, 4)
    assert all(
        counts[a, b]
        == sum(one == a and other == b for one, other in zip(first, second, strict=True))
        for a in range(4)
        for b in range(4)
    )
