"""The compiled kernel does what the `trueskill` package does."""

import math
import tempfile
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import erfcx, ndtr, ndtri
from trueskill import TrueSkill, rate_1vs1

from analysis.ranking.clusters import SIDE_BY_SIDE
from analysis.ranking.compiling import own_temporary_folder
from analysis.ranking.pairs import LOSS, TIE, WIN, Pairs, pairs_from_table
from analysis.ranking.resampling import Resampler
from analysis.ranking.streams import GAMMA, STEPS, mixed, stream
from analysis.ranking.trueskill import (
    LANES,
    Game,
    ordered_pass,
    reference_run,
    reference_runs,
    screen_pass,
    screens_of,
)
from tests.analysis.judged import simulated, table_of_screens

ALL_BITS = 2**64 - 1


def package(game: Game) -> TrueSkill:
    """The package with an exact erfc (its own is an approximation, good to 1e-7)."""
    exact = (
        lambda x, mu=0, sigma=1: float(ndtr((x - mu) / sigma)),
        lambda x, mu=0, sigma=1: (
            math.exp(-(((x - mu) / sigma) ** 2) / 2) / (math.sqrt(2 * math.pi) * sigma)
        ),
        lambda x, mu=0, sigma=1: mu + sigma * float(ndtri(x)),
    )
    return TrueSkill(mu=0, sigma=0.5, beta=game.beta, tau=0, draw_probability=0.25, backend=exact)


def package_update(environment, ratings, first, second, outcome):
    if outcome == LOSS:
        first, second = second, first
    ratings[first], ratings[second] = rate_1vs1(
        ratings[first], ratings[second], drawn=outcome == TIE, env=environment
    )


def package_pass(pairs: Pairs, game: Game):
    environment = package(game)
    ratings = [environment.create_rating() for _ in pairs.systems]
    for row in zip(pairs.first, pairs.second, pairs.outcome, strict=True):
        package_update(environment, ratings, *row)
    return [rating.mu for rating in ratings], [rating.sigma for rating in ratings]


@pytest.mark.parametrize("beta", [0.05, 0.3, 4.0, 300.0])
@pytest.mark.slow
def test_a_pass_in_given_order_equals_the_package(beta):
    pairs = pairs_from_table(simulated(screens=300))
    assert {WIN, TIE, LOSS} == set(pairs.outcome.tolist())
    game = Game(beta, ndtri(0.625) * math.sqrt(2) * beta)
    mu, sigma = ordered_pass(pairs, game)
    expected_mu, expected_sigma = package_pass(pairs, game)
    assert np.abs(mu - expected_mu).max() < 1e-9
    assert np.abs(sigma - expected_sigma).max() < 1e-9


def test_the_game_has_the_reference_constants():
    game = Game.of_size(29_790)
    assert game.beta == 0.5 * 29_791 / 40
    assert game.margin == pytest.approx(ndtri(0.625) * math.sqrt(2) * game.beta, rel=1e-15)


def test_a_run_of_the_reference_procedure_equals_the_package_on_the_same_random_numbers():
    pairs = pairs_from_table(simulated(screens=200))
    counts = Resampler.of(pairs, "none").fixed
    for run in range(3):
        means = reference_run(counts, seed=11, run=run)
        assert np.abs(means - replayed_run(counts, 11, run)).max() < 1e-9


def test_a_run_with_many_systems_equals_the_package_too():
    systems = 84
    rng = np.random.default_rng(3)
    counts = np.zeros((systems, systems, 3), dtype=np.int64)
    for i, j in rng.integers(systems, size=(300, 2)):
        if i != j:
            counts[min(i, j), max(i, j), rng.integers(3)] += 1
    for run in range(3):
        means = reference_run(counts, seed=4, run=run)
        assert np.abs(means - replayed_run(counts, 4, run)).max() < 1e-9


def test_a_run_with_counts_beyond_a_byte_equals_the_package_too():
    counts = np.zeros((3, 3, 3), dtype=np.int64)
    counts[0, 1], counts[0, 2], counts[1, 2] = (256, 20, 40), (30, 3, 60), (2, 300, 9)
    means = reference_run(counts, seed=6, run=0)
    assert np.abs(means - replayed_run(counts, 6, 0)).max() < 1e-9


def replayed_run(counts, seed: int, run: int) -> list[float]:
    """The procedure as it is defined, with the package; only the random numbers are shared."""
    game = Game.of_size(int(counts.sum()))
    environment = package(game)
    ratings = [environment.create_rating() for _ in counts]
    key = int(stream(np.uint64(seed), STEPS, run))
    met = counts.sum(axis=2) + counts.sum(axis=2).T
    for _ in range(int(counts.sum()) + 1):
        # the update in σ² rounds differently: a difference below 1e-12 is a tie
        widest = max(rating.sigma for rating in ratings)
        i = next(k for k, rating in enumerate(ratings) if rating.sigma > widest - 1e-12)
        opponents = np.flatnonzero(met[i])
        while True:
            key = (key + int(GAMMA)) & ALL_BITS
            bits = int(mixed(np.uint64(key)))
            j = opponents[(bits >> 32) * len(opponents) >> 32]
            if (bits & 0xFFFFFFFF) / 2**32 < math.exp(-abs(ratings[i].mu - ratings[j].mu)):
                break
        key = (key + int(GAMMA)) & ALL_BITS
        luck = (int(mixed(np.uint64(key))) >> 11) / 2**53
        of_pair = counts[min(i, j), max(i, j)]
        outcomes = of_pair if i < j else of_pair[::-1]
        chances = np.cumsum(outcomes) / outcomes.sum()
        outcome = WIN if luck < chances[0] else TIE if luck < chances[1] else LOSS
        package_update(environment, ratings, i, j, outcome)
    return [rating.mu for rating in ratings]


@pytest.mark.slow
def test_opponents_are_drawn_as_defined():
    """Means agree with the definition run on numpy's random numbers (weights, not rejection)."""
    pairs = pairs_from_table(simulated(screens=40))
    counts = Resampler.of(pairs, "none").fixed
    rng = np.random.default_rng(5)
    plain = np.array([defined_run(counts, rng) for _ in range(60)])
    ours = np.array([reference_run(counts, seed=1, run=run) for run in range(2000)])
    error = plain.std(axis=0) / math.sqrt(60)
    assert np.abs(plain.mean(axis=0) - ours.mean(axis=0)).max() < 4 * error.max()
    assert plain.std(axis=0) == pytest.approx(ours.std(axis=0), rel=0.35)


def defined_run(counts, rng) -> list[float]:
    game = Game.of_size(int(counts.sum()))
    environment = package(game)
    ratings = [environment.create_rating() for _ in counts]
    systems = np.arange(len(counts))
    for _ in range(int(counts.sum()) + 1):
        i = int(np.argmax([rating.sigma for rating in ratings]))
        means = np.array([rating.mu for rating in ratings])
        weights = np.where(systems == i, 0, np.exp(-np.abs(means - means[i])))
        j = int(rng.choice(systems, p=weights / weights.sum()))
        of_pair = counts[min(i, j), max(i, j)]
        outcomes = of_pair if i < j else of_pair[::-1]
        outcome = int(rng.choice(3, p=outcomes / outcomes.sum()))
        package_update(environment, ratings, i, j, outcome)
    return [rating.mu for rating in ratings]


def test_a_system_without_comparisons_stays_at_the_prior():
    counts = np.zeros((3, 3, 3), dtype=np.int64)
    counts[0, 1] = 5, 0, 1
    means = reference_run(counts, seed=1, run=0)
    assert means[2] == 0
    assert means[0] > 0 > means[1]
    assert np.array_equal(reference_run(counts * 0, seed=1, run=0), np.zeros(3))


def test_runs_share_counts_that_are_given_once():
    counts = np.zeros((1, 4, 4, 3), dtype=np.int64)
    counts[0][np.triu_indices(4, k=1)] = np.arange(18).reshape(6, 3)
    shared = reference_runs(counts, seed=3, runs=range(LANES + 2))
    assert np.array_equal(
        shared, reference_runs(np.repeat(counts, LANES + 2, axis=0), seed=3, runs=range(LANES + 2))
    )
    assert len(np.unique(shared, axis=0)) == LANES + 2


def test_runs_side_by_side_are_the_runs_alone():
    """Long and short runs, one without a comparison and one without some systems."""
    rng = np.random.default_rng(2)
    sizes = (40, 3, 0, 90, 12, 1, 7, 60, 25, 2, 33, 5, 14, 8, 70, 6, 21, 30)
    assert len(sizes) > LANES
    counts = np.zeros((len(sizes), 6, 6, 3), dtype=np.int64)
    for run, size in enumerate(sizes):
        counts[run][np.triu_indices(6, k=1)] = rng.integers(size + 1, size=(15, 3))
    counts[3, 2, :], counts[3, :, 2] = 0, 0
    together = reference_runs(counts, seed=3, runs=range(10, 10 + len(sizes)))
    alone = [reference_run(each, seed=3, run=10 + k) for k, each in enumerate(counts)]
    assert np.array_equal(together, alone)
    assert len(np.unique(together, axis=0)) == len(sizes)


def test_as_many_runs_are_drawn_at_once_as_there_are_lanes():
    assert SIDE_BY_SIDE == LANES


def test_the_correction_after_a_win_is_exact_to_the_last_digits():
    scale = math.sqrt(2 + 2 * 0.5**2)  # with β = 1 and σ = 1/2
    margins = np.linspace(-1.5, 1.5, 1001)
    moved = [ordered_pass(one_win(), Game(1.0, margin * scale))[0][0] for margin in margins]
    exact = math.sqrt(2 / math.pi) / erfcx(margins / math.sqrt(2))
    assert np.abs(np.array(moved) * scale / 0.5**2 / exact - 1).max() < 2e-15


@pytest.mark.parametrize("wins", [0, 1, 2, 5, 12])
@pytest.mark.parametrize("beta", [0.3, 1.0, 3.0])
def test_the_correction_after_a_tie_is_its_integral(beta, wins):
    """Against Gauss and Legendre's sum: between systems that hardly differ, and far apart."""
    game = Game(beta, ndtri(0.625) * math.sqrt(2) * beta)
    before, spread = ordered_pass(won_then_tied(wins)[0], game)
    after, narrower = ordered_pass(won_then_tied(wins)[1], game)
    scale = math.sqrt(2 * beta**2 + (spread**2).sum())
    d, m = (before[0] - before[1]) / scale, game.margin / scale
    places, weights = np.polynomial.legendre.leggauss(40)
    places = (places + 1) / 2
    area = (np.cosh(d * m * places) * np.exp((1 - places**2) * m**2 / 2)) @ weights / 2
    v = -np.sinh(d * m) / m / area
    w = v**2 + (np.cosh(d * m) - d * np.sinh(d * m) / m) / area
    assert after == pytest.approx(before + np.array([v, -v]) * spread**2 / scale, rel=1e-14)
    shares = spread**2 / scale**2
    assert narrower**2 == pytest.approx(spread**2 * (1 - shares * w), rel=1e-14)


def won_then_tied(wins: int) -> tuple[Pairs, Pairs]:
    """So many wins of a, and the same with a tie after them."""
    screens = [
        {"rater": "r", "item": f"i{number:02}", "values": {"a": 2, "b": 1}}
        for number in range(wins + 1)
    ]
    pairs = pairs_from_table(table_of_screens(screens))
    outcome = np.array([WIN] * wins + [TIE], dtype=np.int8)
    cut = {name: getattr(pairs, name)[:wins] for name in ("first", "second", "outcome")}
    return replace(pairs, **cut), replace(pairs, outcome=outcome)


def one_win() -> Pairs:
    return pairs_from_table(
        table_of_screens([{"rater": "r", "item": "i", "values": {"a": 2, "b": 1}}])
    )


def test_an_upset_beyond_belief_keeps_its_limits():
    mu, sigma = ordered_pass(one_win(), Game(beta=1e-4, margin=50.0))
    assert np.isfinite(mu).all()
    assert (sigma > 0).all()


def test_screens_are_gathered_again_from_their_pairs():
    table = table_of_screens(
        [
            {"rater": "r", "item": "i", "values": {"a": 9, "b": 4, "c": 4}},
            {"rater": "r", "item": "j", "values": {"a": 1, "b": 2}},
        ]
    )
    screens = screens_of(pairs_from_table(table), np.array([2, 2, 2, 1]))
    assert [numbers for numbers, _ in screens] == [[0, 1, 2], [0, 1, 2], [0, 1]]
    best, *others = screens[0][1]
    assert best > others[0] == others[1]


def test_a_pass_by_screens_is_the_packages_own_update():
    table = table_of_screens([{"rater": "r", "item": "i", "values": {"a": 9, "b": 4, "c": 1}}])
    pairs = pairs_from_table(table)
    game = Game(1.0, ndtri(0.625) * math.sqrt(2))
    mu, _ = screen_pass(screens_of(pairs, np.ones(3, dtype=np.int64)), 3, game)
    environment = TrueSkill(mu=0, sigma=0.5, beta=1, tau=0, draw_probability=0.25)
    expected = environment.rate([(environment.create_rating(),) for _ in range(3)])
    assert mu == pytest.approx([rating.mu for (rating,) in expected], abs=1e-12)


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_is_private_and_used_again(temporary):
    folder = own_temporary_folder()
    assert folder.parent == temporary
    assert folder.stat().st_mode & 0o777 == 0o700
    assert own_temporary_folder() == folder


def test_a_folder_that_others_can_write_is_not_used(temporary):
    folder = own_temporary_folder()
    folder.chmod(0o777)
    assert own_temporary_folder() != folder


def test_a_link_in_its_place_is_not_followed(temporary):
    folder = own_temporary_folder()
    folder.rmdir()
    elsewhere = temporary / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    assert own_temporary_folder().name not in {folder.name, elsewhere.name}
