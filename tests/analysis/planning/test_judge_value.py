"""When a judge pays, against simulated estimates."""

import numpy as np
import pytest

from analysis.errors import OptionsError
from analysis.planning.judge_value import judge_value

BUDGET, STUDIES = 240, 4_000


def spent(correlation: float, cost: float, verdicts: float) -> float:
    """Variance of the corrected mean in simulated studies of one budget, times that budget."""
    rng = np.random.default_rng(7)
    people = round(BUDGET / (1 + cost * verdicts))
    outputs = round(people * verdicts)
    verdict = rng.standard_normal((STUDIES, outputs))
    noise = np.sqrt(1 - correlation**2) * rng.standard_normal((STUDIES, people))
    judgement = correlation * verdict[:, :people] + noise
    corrected = correlation * verdict.mean(axis=1)
    corrected += (judgement - correlation * verdict[:, :people]).mean(axis=1)
    return float(corrected.var()) * (people + cost * outputs)


@pytest.mark.parametrize(("correlation", "cost"), [(0.6, 0.05), (0.8, 0.1), (0.5, 0.02)])
def test_a_judge_that_pays_saves_what_is_said(correlation, cost):
    found = judge_value(correlation, cost)
    assert found.pays
    assert spent(correlation, cost, found.verdicts) == pytest.approx(found.cost, rel=0.08)
    for other in (0.5, 2.0):  # the number of verdicts is the best one
        if found.verdicts * other >= 1:
            assert spent(correlation, cost, found.verdicts * other) > found.cost * 0.98


@pytest.mark.parametrize(("cost", "least"), [(0.01, 0.20), (0.05, 0.43), (0.1, 0.57)])
def test_a_judge_below_the_least_correlation_does_not_pay(cost, least):
    found = judge_value(least - 0.05, cost)
    assert not found.pays
    assert found.least_correlation == pytest.approx(least, abs=0.006)
    assert judge_value(least + 0.05, cost).pays
    for verdicts in (1.0, 2.0, 5.0):
        assert spent(least - 0.05, cost, verdicts) > 0.95


@pytest.mark.parametrize(("correlation", "cost"), [(1.2, 0.1), (-0.1, 0.1), (0.5, 0.0)])
def test_impossible_judges_are_refused(correlation, cost):
    with pytest.raises(OptionsError):
        judge_value(correlation, cost)


def test_a_judge_as_dear_as_people_never_pays():
    assert not judge_value(0.99, 1.0).pays
