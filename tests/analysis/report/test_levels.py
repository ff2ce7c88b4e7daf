"""A primary criterion, and the level that the others share."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy

from analysis import TableError
from analysis.report.levels import Levels
from analysis.report.make import ReportOptions, make_report
from tests.analysis.studies import QUICK, identification, sliders

THREE = Levels(0.05, "main", ("a", "b", "c"))


def with_p_values(found: dict[str, list[float]]):
    """Makes reports of criteria with these p-values of least squares."""

    def compute(name: str, level: float):
        contrasts = [SimpleNamespace(p=p) for p in found[name]]
        scale = SimpleNamespace(clustered=SimpleNamespace(contrasts=contrasts), mixed_full=None)
        return SimpleNamespace(
            criterion=name, alpha=level, scale=scale, ranking=None, effects=None, sequential=None
        )

    return lambda levels: {
        each.criterion: each.alpha for each in levels.reports(list(found), compute)
    }


def test_settled_criteria_leave_their_share_to_the_rest():
    third, half = 0.05 / 3, 0.05 / 2
    assert with_p_values({"main": [0.01], "a": [0.03], "b": [0.03], "c": [0.03]})(THREE) == {
        "main": 0.05, "a": third, "b": third, "c": third,
    }  # fmt: skip
    steps = {"a": [0.01, 0.001], "b": [0.02], "c": [0.02, 0.9]}
    assert with_p_values(steps)(THREE) == {"a": third, "b": half, "c": 0.05}
    # A pair that is not told apart keeps the whole share of its criterion.
    assert with_p_values({"a": [0.001, 0.9], "b": [0.02]})(THREE) == {"a": third, "b": third}


def test_all_claims_on_secondary_criteria_hold_together():
    dice, shared, apart = np.random.default_rng(1), [], []
    for _ in range(600):
        effects = 5 * dice.integers(0, 2, (3, 3))
        z = dice.normal(size=(3, 3)) + effects
        p = np.minimum(6 * scipy.stats.norm.sf(np.abs(z)), 1)
        levels = with_p_values(dict(zip("abc", p.tolist(), strict=True)))(THREE)
        null = effects == 0
        shared.append(any(np.any(p[k][null[k]] < levels[name]) for k, name in enumerate("abc")))
        apart.append(np.any(p[null] < 0.05))
    assert np.mean(shared) <= 0.05 < 0.06 < np.mean(apart)


@pytest.mark.slow
def test_a_report_claims_the_primary_criterion_at_alpha_and_shares_it_among_the_rest():
    options = {**QUICK, "kinds": {"RT": "time", "IT": "time", "ER": "error"}, "primary": "IT"}
    made = make_report(identification(), ReportOptions.from_dict(options))
    assert {each.criterion: each.alpha for each in made.criteria} == {
        "RT": 0.025, "IT": 0.05, "ER": 0.025,
    }  # fmt: skip
    assert made.criterion("RT").scale.tukey.alpha == 0.025
    assert made.criterion("RT").effects.tests.alpha == 0.025
    said = " ".join(made.sentences)
    assert "primary criterion is IT" in said and "RT 0.025, ER 0.025" in said
    assert "no adjustment" not in said and "primary:IT" in made.signature


def test_an_unknown_primary_criterion_is_refused_with_the_known():
    with pytest.raises(TableError, match="no criterion 'Speed': Clarity, Readability"):
        make_report(sliders(), ReportOptions.from_dict({**QUICK, "primary": "Speed"}))
