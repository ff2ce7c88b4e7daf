"""TrueSkill for two players in closed form (Herbrich, Minka & Graepel 2006), compiled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from analysis.pairs import LOSS, TIE, WIN, Pairs
from analysis.streams import GAMMA, LOW_HALF, STEPS, below, mixed, stream, unit

MU, SIGMA, DRAW_PROBABILITY = 0.0, 0.5, 0.25
# Φ⁻¹((0.25 + 1) / 2): the draw margin in units of √2·β
MARGIN_FACTOR = 0.31863936396437514
ROOT_HALF = math.sqrt(0.5)
NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Game:
    """The constants of a pass: performance spread β and draw margin ε (τ is 0)."""

    beta: float
    margin: float

    @classmethod
    def of_size(cls, comparisons: int) -> "Game":
        """β = σ₀·N/40 with N = comparisons + 1 (Sakaguchi, Post & Van Durme 2014, their code)."""
        beta = SIGMA * (comparisons + 1) / 40
        return cls(beta, MARGIN_FACTOR * math.sqrt(2) * beta)


@numba.njit(nogil=True, cache=True, inline="always")
def _density(x: float) -> float:
    return NORMAL_PEAK * math.exp(-0.5 * x * x)


@numba.njit(nogil=True, cache=True, inline="always")
def _below(x: float) -> float:
    return 0.5 * math.erfc(-x * ROOT_HALF)


@numba.njit(nogil=True, cache=True, inline="always")
def _win(difference: float, margin: float) -> tuple[float, float]:
    """Mean and variance corrections v, w after a win (Herbrich et al. 2006, figure 2)."""
    x = difference - margin
    chance = _below(x)
    if chance < 1e-300:  # a win beyond belief: the limits of v and w
        return -x, 1.0
    v = _density(x) / chance
    return v, v * (v + x)


@numba.njit(nogil=True, cache=True, inline="always")
def _tie(difference: float, margin: float) -> tuple[float, float]:
    """Mean and variance corrections v, w after a draw."""
    size = abs(difference)
    upper, lower = margin - size, -margin - size
    chance = _below(upper) - _below(lower)
    if chance < 1e-300:
        return math.copysign(1.0, difference) * upper, 1.0
    upper_density, lower_density = _density(upper), _density(lower)
    v = (lower_density - upper_density) / chance
    w = v * v + (upper * upper_density - lower * lower_density) / chance
    return (v if difference >= 0 else -v), w


@numba.njit(nogil=True, cache=True, inline="always")
def _update(
    mu: Any, variance: Any, i: int, j: int, outcome: int, spread: float, margin: float
) -> None:
    """Update two systems after one comparison; `spread` is 2β²."""
    total = spread + variance[i] + variance[j]
    scale = math.sqrt(total)
    if outcome == TIE:
        v, w = _tie((mu[i] - mu[j]) / scale, margin / scale)
    elif outcome == WIN:
        v, w = _win((mu[i] - mu[j]) / scale, margin / scale)
    else:
        v, w = _win((mu[j] - mu[i]) / scale, margin / scale)
        v = -v
    mu[i] += variance[i] / scale * v
    mu[j] -= variance[j] / scale * v
    variance[i] *= 1 - variance[i] / total * w
    variance[j] *= 1 - variance[j] / total * w


@numba.njit(nogil=True, cache=True)
def _ordered_pass(
    first: Any, second: Any, outcome: Any, mu: Any, variance: Any, beta: float, margin: float
) -> None:
    spread = 2 * beta * beta
    for step in range(len(first)):
        _update(mu, variance, first[step], second[step], outcome[step], spread, margin)


@numba.njit(nogil=True, cache=True)
def _raised(tree: Any, variance: Any, leaf: int) -> None:
    """Let the winners above one leaf play again: the larger variance wins, else the left."""
    node = leaf >> 1
    while node >= 1:
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = right if variance[right] > variance[left] else left
        node >>= 1


@numba.njit(nogil=True, cache=True)
def _tournament(variance: Any, degrees: Any) -> Any:
    """A tree whose root is the system with the largest variance among those that have met one.

    The last place of `variance` is a dummy that never wins; it fills the empty leaves.
    """
    dummy = len(variance) - 1
    leaves = 1
    while leaves < dummy:
        leaves *= 2
    tree = np.full(2 * leaves, dummy, dtype=np.int64)
    for system in range(dummy):
        if degrees[system] > 0:
            tree[leaves + system] = system
    for node in range(leaves - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = right if variance[right] > variance[left] else left
    return tree


@numba.njit(nogil=True, cache=True)
def _odds(counts: Any) -> Any:
    """Chances of a win and of a win or tie, and who met whom, out of counts (S, S, 3), i < j."""
    systems = counts.shape[0]
    odds = np.zeros((systems, systems, 2))
    opponents = np.zeros((systems, systems), dtype=np.int32)
    degrees = np.zeros(systems, dtype=np.int64)
    for i in range(systems):
        for j in range(i + 1, systems):
            total = counts[i, j, WIN] + counts[i, j, TIE] + counts[i, j, LOSS]
            if total == 0:
                continue
            odds[i, j, 0] = counts[i, j, WIN] / total
            odds[i, j, 1] = (counts[i, j, WIN] + counts[i, j, TIE]) / total
            odds[j, i, 0] = counts[i, j, LOSS] / total
            odds[j, i, 1] = (counts[i, j, LOSS] + counts[i, j, TIE]) / total
            opponents[i, degrees[i]] = j
            opponents[j, degrees[j]] = i
            degrees[i] += 1
            degrees[j] += 1
    return odds, opponents, degrees


@numba.njit(nogil=True, cache=True)
def _reference_run(counts: Any, seed: Any, run: int, beta: float, margin: float) -> Any:
    """One run of the reference procedure; returns μ, shape (systems,).

    The opponent is drawn with weight exp(−|Δμ|) by rejection: propose any opponent, accept with
    that chance. As 1 − d ≤ exp(−d) ≤ 1, most proposals are accepted without the exponential.
    """
    systems = counts.shape[0]
    odds, opponents, degrees = _odds(counts)
    mu = np.full(systems + 1, MU)
    variance = np.full(systems + 1, SIGMA * SIGMA)
    variance[systems] = -1.0
    key = stream(seed, STEPS, run)
    tree = _tournament(variance, degrees)
    leaves = len(tree) // 2
    spread = 2 * beta * beta
    if tree[1] == systems:  # nobody met anybody
        return mu[:systems]
    for _ in range(counts.sum() + 1):
        i = tree[1]
        j = i
        while True:
            key += GAMMA
            bits = mixed(key)
            j = opponents[i, below(bits >> np.uint64(32), degrees[i])]
            chance = (bits & LOW_HALF) * 2.0**-32
            gap = abs(mu[i] - mu[j])
            if chance < 1.0 - gap or chance < math.exp(-gap):
                break
        key += GAMMA
        luck = unit(mixed(key))
        outcome = WIN if luck < odds[i, j, 0] else (TIE if luck < odds[i, j, 1] else LOSS)
        _update(mu, variance, i, j, outcome, spread, margin)
        _raised(tree, variance, leaves + i)
        _raised(tree, variance, leaves + j)
    return mu[:systems]


def reference_run(counts: NDArray[np.int64], *, seed: int, run: int) -> Floats:
    """Run the reference procedure once (Sakaguchi, Post & Van Durme 2014).

    N steps with N = comparisons + 1: the system with the largest σ meets an opponent drawn with
    weight exp(−|Δμ|) among those it was ever compared with; one of their judgements, drawn with
    replacement, updates both. The counts of wins, ties and losses are sufficient for that draw.

    Parameters
    ----------
    counts : shape (systems, systems, 3), wins, ties and losses of i against j for i < j
    run : the run's number; the same seed and number give the same result anywhere

    Returns
    -------
    μ, shape (systems,); 0 for a system that was never compared
    """
    game = Game.of_size(int(counts.sum()))
    means: Floats = _reference_run(counts, np.uint64(seed % 2**64), run, game.beta, game.margin)
    return means


def ordered_pass(pairs: Pairs, game: Game | None = None) -> tuple[Floats, Floats]:
    """Update through the comparisons once, in the given order; returns μ and σ, shape (systems,).

    This is what the `trueskill` package does with the same comparisons; a test says so.
    """
    game = game or Game.of_size(len(pairs))
    mu = np.full(len(pairs.systems), MU)
    variance = np.full(len(pairs.systems), SIGMA**2)
    _ordered_pass(pairs.first, pairs.second, pairs.outcome, mu, variance, game.beta, game.margin)
    return mu, np.sqrt(variance)


def screen_pass(
    screens: Sequence[tuple[Sequence[int], Sequence[float]]],
    systems: int,
    game: Game,
) -> tuple[Floats, Floats]:
    """Update with whole screens, all k systems at once, through the `trueskill` package.

    Parameters
    ----------
    screens : for each screen the numbers of its systems and their values, higher is better

    Returns
    -------
    μ and σ, shape (systems,)
    """
    from trueskill import TrueSkill

    environment = TrueSkill(
        mu=MU, sigma=SIGMA, beta=game.beta, tau=0.0, draw_probability=DRAW_PROBABILITY
    )
    ratings = [environment.create_rating() for _ in range(systems)]
    for numbers, values in screens:
        after = environment.rate(
            [(ratings[number],) for number in numbers], ranks=[-value for value in values]
        )
        for number, (rating,) in zip(numbers, after, strict=True):
            ratings[number] = rating
    return (
        np.array([rating.mu for rating in ratings]),
        np.array([rating.sigma for rating in ratings]),
    )


def screens_of(pairs: Pairs, times: NDArray[np.int64]) -> list[tuple[list[int], list[float]]]:
    """Gather comparisons into screens again, each as often as `times` says, in their order.

    A system's value on its screen is the number of systems there that it does not lose to.
    """
    scores: dict[int, dict[int, float]] = {}
    repeats: dict[int, int] = {}
    rows = zip(
        pairs.screen.tolist(),
        pairs.first.tolist(),
        pairs.second.tolist(),
        pairs.outcome.tolist(),
        times.tolist(),
        strict=True,
    )
    for screen, first, second, outcome, time in rows:
        score = scores.setdefault(screen, {})
        score[first] = score.get(first, 0.0) + (outcome != LOSS)
        score[second] = score.get(second, 0.0) + (outcome != WIN)
        repeats[screen] = time
    return [
        (list(score), list(score.values()))
        for screen, score in scores.items()
        for _ in range(repeats[screen])
    ]
