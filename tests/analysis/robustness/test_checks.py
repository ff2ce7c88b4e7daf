"""Circles, order, drift, scales and agreement: what they find, and what they must not say."""

import re
from dataclasses import replace

import numpy as np
import pytest

from analysis.errors import Undefined
from analysis.ranking.pairs import pairs_from_table
from analysis.reliability.generalisability import generalisability
from analysis.report.make import make_report
from analysis.report.options import ReportOptions
from analysis.report.robustness_section import robustness_section
from analysis.report.robustness_sentences import said_of
from analysis.robustness.agreement_range import agreement_range
from analysis.robustness.cycles import cycles
from analysis.robustness.more_units import more_units_of_pairs
from analysis.robustness.order_effects import places_of, shares_of_work
from analysis.robustness.scale_use import scale_use
from analysis.scales.rater_tests import Comparisons
from benchmarks.robustness_level import (
    Planted,
    campaign,
    checks,
    circle_campaign,
    claimed,
    independent,
    judged,
)
from tests.analysis.studies import from_rows

pytestmark = pytest.mark.slow

# How sentences claim something.
CLAIMS = {
    "circles": r"preferred in a circle, such as",
    "place on screen": r"judged (better|worse) with every later place",
    "length": r"more of length are judged (better|worse)",
    "drift": r"there moved between versions",
    "suggestions": r"With suggestions, (values are|screens take)",
    "time": r"first screen to the last, (outputs are judged|comparisons go)",
}
CHECKS = {check.name: check for check in checks()}


def sentences(case) -> str:
    section = robustness_section(case)
    return " ".join(each.sentence for each in said_of(section, "both", 0.05))


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_a_claim_is_rarely_made_of_what_is_not_there_and_made_of_what_is(name):
    """The draws are fixed; .05 of the campaigns plus 2.5 standard errors."""
    check, campaigns = CHECKS[name], 30
    case = judged(check.campaign(1, 24, 40, check.planted), relative=check.relative)
    said = CLAIMS[name.partition(",")[0]]
    assert re.search(said, sentences(case)), "planted"
    false = [
        claimed(check, judged(check.campaign(seed, 8, 12, Planted()), relative=check.relative))
        for seed in range(campaigns)
    ]
    assert None not in false
    assert sum(false) <= campaigns * 0.05 + 2.5 * (campaigns * 0.05 * 0.95) ** 0.5
    quiet = judged(check.campaign(false.index(False), 8, 12, Planted()), relative=check.relative)
    assert not re.search(said, sentences(quiet))


def test_taking_judgements_for_independent_finds_effects_that_are_not_there():
    """The control: raters to whom length matters differently, with a mean of nothing."""
    check = CHECKS["length, values"]
    false = [
        claimed(check, independent(judged(campaign(seed, 8, 12, Planted()), relative=False)))
        for seed in range(30)
    ]
    assert sum(map(bool, false)) >= 5


# --- circles ---------------------------------------------------------------------------------


def three_way(shares: tuple[float, float, float], raters: int = 12, items: int = 20) -> Comparisons:
    """Comparisons of A to B, B to C, and A to C, won by the first as often as said."""
    rater, item, pair = (each.ravel() for each in np.indices((raters, items, 3)))
    won = np.empty(len(rater))
    for number, share in enumerate(shares):
        here = np.flatnonzero(pair == number)
        won[here] = np.where((rater[here] * 7 + item[here] * 3) % 20 < share * 20, 1.0, -1.0)
    first, second = np.array([0, 1, 0])[pair], np.array([1, 2, 2])[pair]
    return Comparisons(first, second, rater, item, won)


def test_a_circle_is_found_in_both_directions_and_shown_as_it_runs():
    for shares in ((0.9, 0.9, 0.1), (0.1, 0.1, 0.9)):
        found = cycles(three_way(shares), "ABC")
        assert (found.triples, found.found, found.claimed) == (1, 1, 1)
        (circle,) = found.shown
        assert all(step.share == pytest.approx(0.9) for step in circle.steps)
        assert all(step.low is not None and step.low > 0.5 for step in circle.steps)
        names = [step.a for step in circle.steps]
        assert [step.b for step in circle.steps] == [*names[1:], names[0]]


def test_an_order_has_no_circle_and_a_weak_step_is_not_claimed():
    assert cycles(three_way((0.9, 0.9, 0.9)), "ABC").found == 0
    weak = cycles(three_way((0.9, 0.9, 0.45)), "ABC")
    assert (weak.found, weak.claimed) == (1, 0)
    assert not weak.shown[0].is_claimed


def test_all_circles_of_five_systems_are_counted():
    """In a regular tournament of five, 5 of the 10 triples go in a circle."""
    rater, item, a, b = (each.ravel() for each in np.indices((12, 12, 5, 5)))
    kept = a < b
    won = np.where((b - a) % 5 <= 2, 1.0, -1.0)
    found = cycles(Comparisons(a[kept], b[kept], rater[kept], item[kept], won[kept]), "ABCDE")
    assert (found.triples, found.found, found.claimed) == (10, 5, 5)


def test_circles_need_three_systems():
    with pytest.raises(Undefined, match="three systems"):
        cycles(three_way((0.5, 0.5, 0.5)), "AB")


# --- order -----------------------------------------------------------------------------------


def test_places_are_read_as_numbers_or_refused():
    rows = [("r", f"i{k}", "s", "c", 1.0, f"{k}", str(k + 1), "x", "1") for k in range(3)]
    table = from_rows(rows, "position", "place", "same")
    assert places_of(table, "position").tolist() == [1, 2, 3]
    for name, why in (("order", "no column"), ("place", "numbers"), ("same", "the same")):
        with pytest.raises(Undefined, match=why):
            places_of(table, name)


def test_work_runs_from_the_first_screen_of_a_rater_to_the_last():
    raters = np.array([0, 0, 0, 1, 1, 2])
    shares = shares_of_work(np.array([1.0, 2, 3, 7, 9, 4]), raters)
    assert shares.tolist() == [0, 0.5, 1, 0, 1, 0.5]


def test_one_order_is_checked_where_the_other_is_unknown():
    case = judged(campaign(1, 8, 12, Planted(place=0.5)), relative=False)
    factors = {k: v for k, v in case.part.factors.items() if k != "order"}
    section = robustness_section(replace(case, part=replace(case.part, factors=factors)))
    assert [trend.name for trend in section.order.trends] == ["position"]


def test_a_trend_is_recovered_and_balanced_places_move_nothing():
    case = judged(campaign(2, 24, 40, Planted(place=0.5)), relative=False)
    place, time = robustness_section(case).order.trends
    assert place.low < 0.5 < place.high
    assert place.high - place.low < 0.4
    assert place.moved < 0.2 * place.slope
    assert time.p > 0.05
    means = [each.mean for each in place.bins]
    assert means == sorted(means) and [each.lowest for each in place.bins] == [1, 2, 3, 4, 5]


# --- drift, scale, more units, agreement -----------------------------------------------------


def test_a_system_that_moved_is_named_with_its_direction():
    table = campaign(1, 24, 40, Planted(drift=-1.5))
    for relative in (False, True):
        found = robustness_section(judged(table, relative=relative)).drift
        moved = [each for each in found.shifts if each.p < 0.05]
        assert "s0" in {each.system for each in moved}
        assert next(each for each in moved if each.system == "s0").shift < 0
        assert sum(each.shift for each in found.shifts) == pytest.approx(0, abs=1e-9)


def test_drift_needs_systems_that_were_judged_all_the_time():
    table = campaign(1, 6, 12, Planted())
    late = np.array(table.factors["version"].labels)[table.factors["version"].codes] == "2"
    kept = table.rows((table.system.codes < 2) != late)
    section = robustness_section(judged(kept, relative=False))
    assert section.drift is None
    assert "there is none" in section.undefined["drift"]
    one_version = table.rows(~late)
    assert robustness_section(judged(one_version, relative=False)).drift is None


def test_raters_who_use_less_of_the_scale_do_not_decide_the_order():
    """One rater with a wide scale puts B first; with scales made equal, the other four put A."""
    rows = []
    for rater in range(5):
        for item in range(12):
            for system, value in (("A", 3.0), ("B", 2.0)):
                wide = rater == 4
                given = (2.0 if system == "A" else 9.0) if wide else value + (item % 2) / 10
                rows.append((f"r{rater}", f"i{item}", system, "c", given, f"{rater}.{item}"))
    table = from_rows(rows)
    found = scale_use(
        table.value, table.system.codes, table.system.labels, table.rater.codes,
        table.rater.labels, blocks=table.rater.codes,
    )  # fmt: skip
    assert [(each.system, each.rank, each.rank_standardised) for each in found.systems] == [
        ("B", 1, 2), ("A", 2, 1),
    ]  # fmt: skip
    assert found.raters[0].rater == "r4"
    assert found.at_highest == pytest.approx(12 / 120)


@pytest.mark.slow
@pytest.mark.parametrize(("raters", "items"), [(8, 20), (16, 40)])
def test_predicted_widths_of_comparisons_are_those_of_such_campaigns(raters, items):
    """Predicted from campaigns of 8 raters × 20 items: the mean of 20, within 15 %."""
    predicted, realised = [], []
    for seed in range(20):
        pairs = pairs_from_table(campaign(seed, 8, 20, Planted()))
        (size,) = more_units_of_pairs(pairs, sizes=[(raters, items)]).sizes
        predicted.append(size.half_width)
        other = pairs_from_table(campaign(seed + 100, raters, items, Planted()))
        realised.append(more_units_of_pairs(other, sizes=[]).now.half_width)
    assert np.mean(predicted) == pytest.approx(np.mean(realised), rel=0.15)


def agreement_of(outputs: float, noise: float, seed: int = 1):
    """Seven points, 6 raters × 40 outputs; noise of a hundred is answering at random."""
    rng = np.random.default_rng(seed)
    item, system, rater = (each.ravel() for each in np.indices((20, 2, 6)))
    quality = rng.normal(0, outputs, size=(20, 2))[item, system]
    value = np.clip(np.round(4 + quality + rng.normal(0, noise, len(item))), 1, 7)
    if noise >= 100:
        value = rng.integers(1, 8, len(item)).astype(float)
    return agreement_range(generalisability(value, system, rater, item), 1.0, 7.0)


def test_low_agreement_is_put_down_to_what_causes_it():
    assert agreement_of(1.8, 0.5).cause == "none"
    alike = agreement_of(0.3, 0.6)
    assert alike.cause == "outputs" and alike.agreement < 0.5
    assert {agreement_of(0.0, 100, seed).cause for seed in range(5)} == {"raters"}


def test_outputs_that_differ_twice_as_much_give_the_predicted_agreement():
    small = [agreement_of(0.5, 0.8, seed).if_doubled for seed in range(6)]
    large = [agreement_of(1.0, 0.8, seed).agreement for seed in range(6)]
    assert np.mean(small) == pytest.approx(np.mean(large), abs=0.1)


def test_agreement_needs_outputs_with_two_raters():
    rng = np.random.default_rng(1)
    item, system = (each.ravel() for each in np.indices((30, 3)))
    found = generalisability(rng.normal(size=90), system, (item + system) % 5, item)
    with pytest.raises(Undefined, match="two raters"):
        agreement_range(found, 0.0, 1.0)


# --- the report ------------------------------------------------------------------------------


def test_a_report_has_the_checks_and_the_same_numbers_again():
    table = circle_campaign(1, 8, 6, Planted())
    options = ReportOptions.from_dict(
        {"runs": 2, "agreement_resamples": 0, "kinds": {"quality": "relative"}}
    )
    first, second = (make_report(table, options).criteria[0].robustness for _ in range(2))
    assert first == second
    assert first.influence and first.cycles and first.more_units
    assert set(first.undefined) == {"covariates", "order", "peers"}
