"""Effects of length and other properties, against statsmodels and against what was simulated."""

import numpy as np
import pytest

from analysis.errors import RankingError, Undefined
from analysis.inference import Units
from analysis.ranking.pairs import compared_rows, pairs_from_table
from analysis.robustness.covariates import (
    Property,
    controlled_ranking,
    pairs_with_covariates,
    values_with_covariates,
)
from benchmarks.robustness_level import Planted, campaign, covariates_of, judged


def table_of(seed: int = 1, **planted: float):
    return campaign(seed, 8, 20, Planted(**planted))


def length_of(table) -> np.ndarray:
    return np.array([float(label) for label in table.factors["length"].labels])[
        table.factors["length"].codes
    ]


def test_values_equal_statsmodels():
    import pandas as pd
    from statsmodels.formula.api import ols

    table = table_of(length=0.4)
    second = np.random.default_rng(1).normal(size=len(table))
    covariates = np.column_stack([length_of(table), second])
    units = table.rater.codes, table.item.codes
    found = values_with_covariates(
        table.value, table.system.codes, units, covariates, generality="raters"
    )
    data = pd.DataFrame(
        {
            "v": table.value,
            "s": table.system.codes,
            "r": units[0],
            "x": covariates[:, 0],
            "z": second,
        }
    )
    model = ols("v ~ C(s) + C(r) + x + z", data).fit()
    clustered = model.get_robustcov_results("cluster", groups=data["r"], use_correction=False)
    assert found.effects == pytest.approx(model.params[["x", "z"]].to_numpy(), abs=1e-10)
    assert found.errors == pytest.approx(clustered.bse[-2:] * np.sqrt(8 / 7), abs=1e-10)
    systems = model.params.filter(like="C(s)").to_numpy()
    assert found.controlled[1:] - found.controlled[0] == pytest.approx(systems, abs=1e-10)


def test_comparisons_equal_statsmodels():
    import statsmodels.api as sm

    table = table_of(length=0.4)
    pairs, (first, second) = pairs_from_table(table), compared_rows(table)
    length = length_of(table)
    difference = (length[first] - length[second])[:, None]
    found = pairs_with_covariates(pairs, difference, generality="items")
    systems = len(pairs.systems)
    design = np.zeros((len(pairs), systems))
    rows = np.arange(len(pairs))
    design[rows, pairs.first], design[rows, pairs.second] = 1, -1
    model = sm.GLM(
        1 - pairs.outcome / 2, np.hstack([design[:, 1:], difference]), sm.families.Binomial()
    ).fit(tol=1e-12)
    clustered = model.model.fit(
        tol=1e-12, cov_type="cluster", cov_kwds={"groups": pairs.item, "use_correction": False}
    )
    assert found.effects[0] == pytest.approx(model.params[-1], abs=1e-7)
    assert found.controlled[1:] - found.controlled[0] == pytest.approx(model.params[:-1], abs=1e-7)
    assert found.errors[0] == pytest.approx(clustered.bse[-1] * np.sqrt(20 / 19), abs=1e-7)


@pytest.mark.parametrize("relative", [False, True])
def test_a_planted_effect_is_recovered_and_its_interval_covers_it(relative):
    """Of values, .4 for one unit of length; of comparisons, what a large campaign shows."""
    truth = 0.4
    if relative:
        large = covariates_of(judged(campaign(0, 40, 80, Planted(length=0.4)), relative=True))
        truth = large.effects[0].effect / large.effects[0].sd
    covered, estimates = 0, []
    for seed in range(40):
        (effect,) = covariates_of(judged(table_of(seed, length=0.4), relative=relative)).effects
        estimates.append(effect.effect / effect.sd)
        covered += effect.low <= truth * effect.sd <= effect.high
    assert covered >= 35
    assert np.mean(estimates) == pytest.approx(truth, abs=0.06)


def test_the_order_with_length_held_constant_is_that_without_its_effect():
    """Later systems are better by a third of an SD, and longer by half of one."""
    found = covariates_of(judged(campaign(3, 24, 40, Planted(length=-2.0)), relative=False))
    systems = [each.system for each in found.systems]
    assert (systems[0], systems[-1]) == ("s4", "s0")
    assert (found.systems[0].rank, found.systems[-1].rank) == (5, 1), "as judged, short ones win"
    lengths = [each.means[0] for each in found.systems]
    assert lengths[0] == max(lengths)


def test_what_no_model_can_hold_constant_is_refused():
    table = table_of()
    units = table.rater.codes, table.item.codes
    system = table.system.codes.astype(float)[:, None]
    with pytest.raises(Undefined, match="no variation"):
        values_with_covariates(table.value, table.system.codes, units, system)
    twice = np.repeat(length_of(table)[:, None], 2, axis=1)
    with pytest.raises(Undefined, match="vary only together"):
        values_with_covariates(table.value, table.system.codes, units, twice)
    pairs, (first, second) = pairs_from_table(table), compared_rows(table)
    for column in (system, table.item.codes.astype(float)[:, None]):
        with pytest.raises((Undefined, RankingError)):
            pairs_with_covariates(pairs, column[first] - column[second])
    with pytest.raises(Undefined, match="the same for all"):
        Property.of("length", np.ones(len(table)), table.system.codes)


def test_effects_of_two_properties_are_adjusted_for_both():
    table = table_of(length=0.2)
    covariates = np.column_stack([length_of(table), np.arange(len(table)) % 7])
    units = table.rater.codes, table.item.codes
    widths = {}
    for number in (1, 2):
        part = covariates[:, :number]
        found = values_with_covariates(table.value, table.system.codes, units, part)
        named = [Property.of(f"p{k}", each, table.system.codes) for k, each in enumerate(part.T)]
        effect = controlled_ranking(found, table.system.labels, named, unit="value").effects[0]
        widths[number] = (effect.high - effect.low) / effect.error
    assert widths[2] > 1.1 * widths[1]
    assert isinstance(found.units, Units)
