"""Ordinal mixed models against the figures of R's package ordinal, and what cannot be fitted."""

import numpy as np
import pytest
from scipy import stats

from analysis.errors import OptionsError, Undefined
from analysis.scales import ordinal_model
from analysis.scales.cumulative_links import LINKS
from analysis.scales.laplace import CumulativeLinks
from analysis.scales.ordinal_model import fit_ordinal
from tests.analysis.made_tables import made_table
from tests.analysis.textbook import figures

# The arguments of `made_table`, as in tests/data/r/clmm.R.
CASES = {
    "balanced": (8, 15, 3, 1, 21, (1, 1, 0, 0), (-2, -0.5, 0.5, 2)),
    "unbalanced": (9, 30, 5, 0.4, 22, (1, 0.8, 0.6, 0.6), (-1.5, 0, 0.8, 2.5)),
    "large": (24, 60, 5, 1, 23, (1, 0.7, 0, 0), (-2, -1, 0, 1, 2, 3)),
}


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("case", CASES)
def test_ordinal_models_equal_clmm(case, link):
    expected = figures("clmm")[case if link == "logit" else f"{link} {case}"]
    value, system, usual, full = made_table(*CASES[case])
    labels = [str(code) for code in range(int(system.max()) + 1)]
    effects = full if case == "unbalanced" else usual
    found = fit_ordinal(value, system, labels, effects, link=link)
    assert (found.link, found.formula[:6]) == (link, f"{link}("[:6])
    place = {each.system: each.logit for each in found.systems}
    assert found.judgements == expected["judgements"]
    assert found.log_likelihood == pytest.approx(expected["log_likelihood"], abs=1e-5)
    # in clmm the first system is at 0, here the mean of all systems
    thresholds = np.array(found.thresholds) - place["0"]
    assert thresholds == pytest.approx(expected["thresholds"], abs=1e-3)
    coefficients = [place[label] - place["0"] for label in labels[1:]]
    assert coefficients == pytest.approx(expected["systems"], abs=1e-3)
    spread = {each.source: each.sd for each in found.effects}
    assert spread == pytest.approx(expected["sd"], abs=1e-3)
    to_first = {pair.a: pair.se for pair in found.contrasts if pair.b == "0"}
    to_first |= {pair.b: pair.se for pair in found.contrasts if pair.a == "0"}
    errors = [to_first[label] for label in labels[1:]]
    assert errors == pytest.approx(expected["errors"], rel=5e-3)


@pytest.mark.parametrize("link", LINKS)
def test_the_gradient_is_that_of_the_deviance(link):
    value, system, _, full = made_table(5, 8, 3, 0.8, 11, (1, 1, 0.5, 0.5), (-1, 0, 1, 2))
    category = (value - value.min()).astype(int)
    effects = sorted(full.values(), key=lambda codes: -codes.max())
    model = CumulativeLinks.of(LINKS[link], category, system, effects)
    at = np.array([-1.5, -0.2, 0.8, 2, 0.3, 0.6, 0.7, 0.5, 0.9, 0.4])
    _, gradient, modes = model.deviance(at, np.zeros(sum(model.levels)))
    for place, slope in enumerate(gradient):
        step = 1e-5 * (np.arange(len(at)) == place)
        difference = model.deviance(at + step, modes)[0] - model.deviance(at - step, modes)[0]
        assert slope == pytest.approx(difference / 2e-5, abs=1e-5)


@pytest.mark.parametrize("link", LINKS)
def test_expected_shares_are_those_of_new_raters_and_items(link):
    value, system, usual, _ = made_table(*CASES["unbalanced"])
    found = fit_ordinal(value, system, list("01234"), usual, link=link)
    total = np.sqrt(sum(each.sd**2 for each in found.effects))
    rng = np.random.default_rng(1)
    noise = (rng.logistic if link == "logit" else rng.normal)(size=400_000)
    latent = found.systems[0].logit + total * rng.normal(size=400_000) + noise
    drawn = np.bincount(np.searchsorted(found.thresholds, latent), minlength=5) / 400_000
    assert found.systems[0].shares == pytest.approx(drawn, abs=0.004)
    assert sum(found.systems[0].shares) == pytest.approx(1)


@pytest.mark.parametrize("link", LINKS)
def test_slopes_of_cells_are_those_of_their_probabilities(link):
    """By differences, from the middle to the tails, and at both ends of the scale."""
    cells, step = LINKS[link].cells, 1e-5
    lower = np.array([-np.inf, -6.0, -1.0, 0.2, 5.0, 1.5])
    upper = np.array([-4.0, -5.0, 0.5, 0.3, 7.0, np.inf])
    found = cells(lower, upper)
    middle = slice(1, 5)
    below = LINKS[link].below
    assert np.exp(found.log_probability[middle]) == pytest.approx(
        below(upper[middle]) - below(lower[middle]), rel=1e-6
    )
    up, down = ((cells(lower, upper + s), cells(lower + s, upper)) for s in (step, -step))
    for end, name in enumerate(("upper", "lower")):
        slopes = {
            "log_probability": f"by_{name}", "score": f"score_by_{name}",
            "weight": f"weight_by_{name}",
        }  # fmt: skip
        for value, slope in slopes.items():
            difference = getattr(up[end], value) - getattr(down[end], value)
            assert getattr(found, slope) == pytest.approx(difference / (2 * step), abs=1e-6)
    assert found.score == pytest.approx(-(found.by_upper + found.by_lower))
    assert found.weight == pytest.approx(found.score_by_upper + found.score_by_lower)


@pytest.mark.parametrize("link", LINKS)
def test_thresholds_far_away_warn_of_nothing(link):
    """Newton's first steps may be far too long; a warning would end an analysis."""
    lower = np.array([30.0, 40.0, 800.0, -900.0, 1e9, -1e200])
    upper = np.array([45.0, np.inf, 801.0, -899.0, 1e9, -1e200])
    found = LINKS[link].cells(lower, upper)
    assert not np.any(np.isfinite(found.log_probability[4:]))
    assert np.all(np.isfinite([slopes[:4] for slopes in found]))
    assert np.all(found.by_upper[:4] >= 0)
    assert np.all(found.by_lower[:4] <= 0)


def test_probits_keep_their_digits_far_in_both_tails():
    """Ten SDs out, where the difference of two shares would be 0 on one side."""
    cells = LINKS["probit"].cells
    right = cells(np.array([10.0]), np.array([np.inf]))
    left = cells(np.array([-np.inf]), np.array([-10.0]))
    assert right.log_probability == pytest.approx(stats.norm.logsf(10))
    assert left.log_probability == pytest.approx(right.log_probability)
    assert right.score == pytest.approx(-left.score)
    assert np.all(np.isfinite([*right, *left]))


def test_a_link_that_does_not_exist_is_refused():
    value, system, usual, _ = made_table(*CASES["balanced"])
    with pytest.raises(OptionsError, match="no link 'cauchit': logit, probit"):
        fit_ordinal(value, system, list("012"), usual, link="cauchit")


def test_only_the_order_of_values_counts():
    value, system, usual, _ = made_table(*CASES["balanced"])
    first = fit_ordinal(value, system, list("012"), usual)
    second = fit_ordinal(np.exp(value), system, list("012"), usual)
    assert second.log_likelihood == pytest.approx(first.log_likelihood)
    turned = fit_ordinal(-value, system, list("012"), usual, higher_is_better=False)
    assert [each.system for each in turned.systems] == [each.system for each in first.systems]
    assert turned.contrasts[0].difference == pytest.approx(-first.contrasts[0].difference, abs=1e-4)


def test_degrees_of_freedom_widen_intervals():
    value, system, usual, _ = made_table(*CASES["balanced"])
    normal = fit_ordinal(value, system, list("012"), usual).contrasts[0]
    few = fit_ordinal(value, system, list("012"), usual, most_df=7).contrasts[0]
    half = stats.studentized_range.isf(0.05, 3, 7) / np.sqrt(2) * normal.se
    assert few.high - few.difference == pytest.approx(half, rel=1e-5)
    assert (normal.df, few.df) == (None, 7)


def refused(case: str) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    value, system, usual, _ = made_table(*CASES["balanced"])
    changes = {
        "an unused value": np.where(value == 3, 4, value),
        "one value": np.ones(len(value)),
        "many values": np.arange(len(value)) % 12,
        "a system at the end": np.where(system == 1, 5, value),
        "two systems apart": np.where(system == 1, 4 + value % 2, np.minimum(value, 3)),
    }
    return changes.get(case, value), 0 * system if case == "one system" else system, usual


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        ("an unused value", "Nobody gave the value 3"),
        ("one value", "All scores are equal"),
        ("many values", "12 levels"),
        ("a system at the end", "Separated: b only has the highest value"),
        ("two systems apart", "did not converge"),
        ("one system", "at least two systems"),
    ],
)
def test_ordinal_models_that_cannot_be_fitted_have_a_reason(case, reason):
    value, system, random = refused(case)
    with pytest.raises(Undefined, match=reason):
        fit_ordinal(value, system, list("abc"), random)


def test_a_model_that_would_take_minutes_is_refused(monkeypatch):
    value, system, usual, _ = made_table(*CASES["balanced"])
    monkeypatch.setattr(ordinal_model, "MOST_WORK", 900)  # 15 items × 8² raters are more
    with pytest.raises(Undefined, match="23 levels, too many"):
        fit_ordinal(value, system, list("012"), usual)
