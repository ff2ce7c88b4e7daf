"""Resampling draws whole units, as often as there are of them."""

import numpy as np
import pytest

from analysis.errors import RankingError
from analysis.ranking import resampling
from analysis.ranking.clusters import SCHEMES as NAMED_SCHEMES
from analysis.ranking.pairs import cells, count, pairs_from_table
from analysis.ranking.resampling import SCHEMES, Resampler, unit_weights
from tests.analysis.judged import simulated


@pytest.fixture
def pairs():
    return pairs_from_table(simulated(screens=60))


def test_the_options_name_every_scheme():
    assert tuple(SCHEMES) == NAMED_SCHEMES


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "none"])
def test_folded_counts_equal_a_plain_sum_over_comparisons(pairs, scheme):
    units = SCHEMES[scheme](pairs)
    weights = unit_weights(units, seed=3, run=8)
    plain = np.zeros(75, dtype=np.int64)
    np.add.at(plain, cells(pairs), weights[0][units.first] * weights[1][units.second])
    assert np.array_equal(Resampler.of(pairs, scheme).counts(seed=3, run=8).ravel(), plain)


def test_more_places_than_a_number_counts_are_refused(pairs, monkeypatch):
    monkeypatch.setattr(resampling, "MOST_PLACES", 75 * 8 * 17 - 1)
    with pytest.raises(RankingError, match="too many systems, raters and items"):
        Resampler.of(pairs, "raters-items")
    assert Resampler.of(pairs, "screens").units is not None


def test_no_resampling_keeps_the_counts(pairs):
    counts = count(pairs)
    drawn = Resampler.of(pairs, "none").counts(seed=1, run=1)
    upper = np.triu_indices(5, k=1)
    assert np.array_equal(drawn[:, :, 0][upper], counts.wins[upper])
    assert np.array_equal(drawn[:, :, 1][upper], counts.ties[upper])
    assert np.array_equal(drawn[:, :, 2][upper], counts.wins.T[upper])


@pytest.mark.parametrize(
    ("scheme", "units"), [("pairs", 180), ("screens", 60), ("items", 17), ("raters", 8)]
)
def test_a_resample_draws_as_many_units_as_exist(pairs, scheme, units):
    first, _ = unit_weights(SCHEMES[scheme](pairs), seed=1, run=0)
    assert len(first) == first.sum() == units


def test_pairs_are_drawn_as_a_multinomial(pairs):
    resampler = Resampler.of(pairs, "pairs")
    drawn = np.array([resampler.counts(seed=2, run=run).ravel() for run in range(3000)])
    share = resampler.fixed.ravel() / len(pairs)
    assert (drawn.sum(axis=1) == len(pairs)).all()
    error = np.sqrt(len(pairs) * share * (1 - share) / 3000)
    assert (np.abs(drawn.mean(axis=0) - len(pairs) * share) <= 4.5 * error).all()
    often = share > 0.03
    expected = len(pairs) * share * (1 - share)
    assert drawn.var(axis=0)[often] == pytest.approx(expected[often], rel=0.2)


def test_a_pigeonhole_draws_raters_and_items_independently(pairs):
    units = SCHEMES["raters-items"](pairs)
    assert units.sizes == (8, 17)
    weights = [unit_weights(units, seed=1, run=run) for run in range(2000)]
    raters, items = (np.array(drawn) for drawn in zip(*weights, strict=True))
    assert (raters.sum(axis=1) == 8).all()
    assert (items.sum(axis=1) == 17).all()
    correlation = np.corrcoef(raters[:, 0], items[:, 0])[0, 1]
    assert abs(correlation) < 0.1


def test_runs_and_seeds_draw_differently(pairs):
    units = SCHEMES["screens"](pairs)
    drawn = {
        unit_weights(units, seed=seed, run=run)[0].tobytes()
        for seed in range(10)
        for run in range(10)
    }
    assert len(drawn) == 100
