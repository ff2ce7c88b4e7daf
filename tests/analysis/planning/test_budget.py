"""Time and money of a campaign, and the best one for them, against trying all."""

from dataclasses import replace

import pytest

from analysis.errors import OptionsError, Undefined
from analysis.planning.budget import (
    Limits,
    Terms,
    affordable_judgements,
    best_size,
    divisible_raters,
    price,
)
from analysis.planning.prospects import report_test
from analysis.planning.sizes import Size, Spreads, difference_error

SPREADS = Spreads(0.3, 0.4, 1.0, item=0.5)
TERMS = Terms(seconds=40, fixed_minutes=5, pay=12, fee=0.33, lost=0.05)
SIZE = Size(3, 3, 1, systems=4)


def detectable(size: Size) -> float:
    return report_test(size, difference_error(size, SPREADS)).detectable()


def best_of_all(terms: Terms, limits: Limits) -> float:
    """Try every number of raters, items and repeats within the limits."""
    least = float("inf")
    for raters in range(1, limits.raters + 1):
        judgements = affordable_judgements(SIZE, raters, terms, limits)
        for repeats in range(1, raters + 1):
            for items in range(3, min(limits.items, int(judgements / repeats + 1e-9)) + 1):
                each = replace(SIZE, raters=raters, items=items, repeats=repeats)
                if each.claims and each.judgements_of_a_rater >= 2:
                    least = min(least, detectable(each))
    return least


@pytest.mark.parametrize(
    "limits",
    [
        Limits(money=22, raters=7, items=14),
        Limits(minutes=12, raters=5, items=12),
        Limits(money=30, minutes=25, raters=6, items=9),
    ],
)
def test_no_other_campaign_within_the_limits_is_better(limits):
    found = best_size(SIZE, SPREADS, TERMS, limits)
    assert detectable(found) <= best_of_all(TERMS, limits) * 1.005
    cost = price(found, TERMS)
    assert limits.money is None or cost.money <= limits.money + 1e-6
    assert limits.minutes is None or cost.minutes_of_a_rater <= limits.minutes + 1e-6
    assert found.items <= limits.items
    assert found.raters <= limits.raters


def test_an_output_is_judged_again_only_where_the_items_are_used_up():
    many = best_size(SIZE, SPREADS, TERMS, Limits(money=300, raters=60, items=5_000))
    few = best_size(SIZE, SPREADS, TERMS, Limits(money=300, raters=60, items=40))
    assert many.repeats == 1
    assert few.items == 40
    assert few.repeats > 1


def test_where_all_is_divisible_the_best_raters_are_those_of_the_formula():
    """Cochran's optimum, without the gain of a smaller t from more raters, where t matters not."""
    found = best_size(SIZE, SPREADS, TERMS, Limits(money=3_000, raters=3_000, items=100_000))
    expected = divisible_raters(SPREADS, TERMS, found.judgements_of_a_system)
    assert found.raters == pytest.approx(expected, rel=0.05)


def test_money_counts_pay_fees_and_what_is_lost():
    size = Size(10, 30, 2, systems=4)
    plain = price(size, Terms(seconds=60, pay=10))
    assert plain.screens == 60
    assert plain.hours == pytest.approx(1)
    assert plain.money == pytest.approx(10)
    assert plain.minutes_of_a_rater == pytest.approx(6)
    assert price(size, Terms(seconds=60, pay=10, fee=0.4)).money == pytest.approx(14)
    assert price(size, Terms(seconds=60, pay=10, overhead=0.5)).money == pytest.approx(15)
    assert price(size, Terms(seconds=60, pay=10, fixed_minutes=6)).money == pytest.approx(20)
    excluded = price(size, Terms(seconds=60, pay=10, lost=0.2))
    assert excluded.money == pytest.approx(12.5)
    assert excluded.lost_pay == pytest.approx(2.5)
    assert excluded.recruited == 13
    left = price(size, Terms(seconds=60, pay=10, dropouts=0.2))
    assert left.money == pytest.approx(10)  # those who leave get nothing by default
    assert left.hours > plain.hours
    paid = price(size, Terms(seconds=60, pay=10, dropouts=0.2, dropout_pay=1.0))
    assert paid.money == pytest.approx(12.5)


def test_limits_that_allow_no_claim_are_refused_with_a_remedy():
    with pytest.raises(Undefined, match="Raise the limits"):
        best_size(SIZE, SPREADS, TERMS, Limits(money=1, raters=10, items=10))
    with pytest.raises(OptionsError, match="minutes"):
        best_size(SIZE, SPREADS, Terms(), Limits(money=100))


@pytest.mark.parametrize(
    "wrong", [{"seconds": 0}, {"lost": 1.0}, {"pay": -1}, {"fee": float("nan")}]
)
def test_impossible_terms_are_refused_by_name(wrong):
    with pytest.raises(OptionsError, match=next(iter(wrong))):
        Terms(**wrong)
