"""TrueSkill for two players in closed form (Herbrich, Minka & Graepel 2006), compiled."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from trueskill import TrueSkill

from analysis.typing import Values

from .compiling import compiled
from .pairs import LOSS, TIE, WIN, Pairs
from .streams import GAMMA, LOW_HALF, STEPS, below, mixed, stream, unit

MU, SIGMA, DRAW_PROBABILITY = 0.0, 0.5, 0.25
# Φ⁻¹((0.25 + 1) / 2): the draw margin in units of √2·β
MARGIN_FACTOR = 0.31863936396437514
ROOT_HALF = math.sqrt(0.5)
NORMAL_PEAK = 1 / math.sqrt(2 * math.pi)
# φ(x)/Φ(x) for |x| ≤ 1: Chebyshev's interpolation of degree 22 in powers of x, made with 60 digits.
# It is nearer than a quotient of the C library's functions, and the same with every C library.
MILLS = (
    0.7978845608028654, -0.6366197723675814, 0.10900680707249508, 0.019128447009036507,
    -0.00018490368594237234, -0.0012721544486813227, -0.00036512001287930296,
    -1.2934517746407916e-05, 2.5662013482777848e-05, 9.305639013224572e-06, 8.480031118144801e-07,
    -5.148891547426999e-07, -2.40909160834673e-07, -3.491337076419682e-08, 9.21244413377381e-09,
    6.037038139164899e-09, 1.1976279366546432e-09, -1.263383201222399e-10, -1.4595731201184665e-10,
    -3.630356918750549e-11, 1.3676609775960708e-12, 3.1871735548061553e-12, 6.248476023580676e-13,
)  # fmt: skip
# R of `_near_tie` in powers of (difference · margin)² and margin²: what is left out is below 2⁻⁵³.
TIES = tuple(
    tuple(
        1 / math.factorial(2 * k) / math.prod(range(2 * k + 1, 2 * (k + j) + 2, 2))
        for j in range(size)
    )
    for k, size in enumerate((9, 8, 6, 5, 3, 1))
)
COSH = tuple(1 / math.factorial(2 * k) for k in range(6))  # in powers of the square
SINH = tuple(1 / math.factorial(2 * k + 1) for k in range(6))  # divided by its argument
NEAR = 0.5
# Runs that are made side by side at most, each in a lane. Where each value of a lane begins in the
# one array that holds them all: with distances that the compiler knows, a processor takes several
# lanes at once.
LANES = 16
(
    MU_I, MU_J, VARIANCE_I, VARIANCE_J, DIFFERENCE, MARGIN, STEP_I, STEP_J, SHARE_I, SHARE_J, V, W
) = range(0, 12 * LANES, LANES)  # fmt: skip


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


@compiled(inline="always")
def _density(x: float) -> float:
    return NORMAL_PEAK * math.exp(-0.5 * x * x)


@compiled(inline="always")
def _below(x: float) -> float:
    return 0.5 * math.erfc(-x * ROOT_HALF)


@compiled(inline="always")
def _mills(x: float) -> float:
    """φ(x)/Φ(x) for |x| ≤ 1, in four sums that do not wait for each other."""
    c, z = MILLS, x * x
    y = z * z
    whole = c[0] + y * (c[4] + y * (c[8] + y * (c[12] + y * (c[16] + y * c[20]))))
    first = c[1] + y * (c[5] + y * (c[9] + y * (c[13] + y * (c[17] + y * c[21]))))
    second = c[2] + y * (c[6] + y * (c[10] + y * (c[14] + y * (c[18] + y * c[22]))))
    third = c[3] + y * (c[7] + y * (c[11] + y * (c[15] + y * c[19])))
    return (whole + z * second) + x * (first + z * third)


@compiled(inline="always")
def _win(difference: float, margin: float) -> tuple[float, float]:
    """Mean and variance corrections v, w after a win (Herbrich et al. 2006, figure 2)."""
    x = difference - margin
    if abs(x) <= 1.0:
        v = _mills(x)
    else:
        chance = _below(x)
        if chance < 1e-300:  # an extremely unlikely win: the limits of v and w
            return -x, 1.0
        v = _density(x) / chance
    return v, v * (v + x)


@compiled(inline="always")
def _near_tie(difference: float, margin: float) -> tuple[float, float]:
    """Mean and variance corrections after a draw of two that hardly differ: |difference| ≤ ½.

    With d = difference, m = margin ≤ `MARGIN_FACTOR`, S = sinh(dm)/(dm), C = cosh(dm) and
    R = ∫ cosh(dms)·exp((1 − s²)m²/2) ds over s from 0 to 1, v = −dS/R and w = v² + (C − d²S)/R.
    """
    c, ch, sh, y, square = TIES, COSH, SINH, margin * margin, difference * difference
    x = square * y
    c0, c1, c2, c3, c4, c5 = c
    r0 = c0[4] + y * (c0[5] + y * (c0[6] + y * (c0[7] + y * c0[8])))
    r0 = c0[0] + y * (c0[1] + y * (c0[2] + y * (c0[3] + y * r0)))
    r1 = c1[4] + y * (c1[5] + y * (c1[6] + y * c1[7]))
    r1 = c1[0] + y * (c1[1] + y * (c1[2] + y * (c1[3] + y * r1)))
    r2 = c2[0] + y * (c2[1] + y * (c2[2] + y * (c2[3] + y * (c2[4] + y * c2[5]))))
    r3 = c3[0] + y * (c3[1] + y * (c3[2] + y * (c3[3] + y * c3[4])))
    r4 = c4[0] + y * (c4[1] + y * c4[2])
    r = r0 + x * (r1 + x * (r2 + x * (r3 + x * (r4 + x * c5[0]))))
    cosh = ch[0] + x * (ch[1] + x * (ch[2] + x * (ch[3] + x * (ch[4] + x * ch[5]))))
    sinh = sh[0] + x * (sh[1] + x * (sh[2] + x * (sh[3] + x * (sh[4] + x * sh[5]))))
    v = -difference * sinh / r
    return v, v * v + (cosh - square * sinh) / r


@compiled(inline="always")
def _tie(difference: float, margin: float) -> tuple[float, float]:
    """Mean and variance corrections v, w after a draw."""
    size = abs(difference)
    if size <= NEAR and margin <= MARGIN_FACTOR:
        return _near_tie(difference, margin)
    upper, lower = margin - size, -margin - size
    chance = _below(upper) - _below(lower)
    if chance < 1e-300:
        return math.copysign(1.0, difference) * upper, 1.0
    upper_density, lower_density = _density(upper), _density(lower)
    v = (lower_density - upper_density) / chance
    w = v * v + (upper * upper_density - lower * lower_density) / chance
    return (v if difference >= 0 else -v), w


@compiled(inline="always")
def _update(  # noqa: PLR0917 (compiled code takes no keywords)
    mu: Any, variance: Any, i: int, j: int, outcome: int, spread: float, margin: float
) -> None:
    """Update two systems after one comparison; `spread` is 2β²."""
    scale = 1 / math.sqrt(spread + variance[i] + variance[j])
    difference = (mu[i] - mu[j]) * scale
    if outcome == TIE:
        v, w = _tie(difference, margin * scale)
    else:
        side = 1.0 - outcome  # 1 for a win, −1 for a loss
        v, w = _win(side * difference, margin * scale)
        v *= side
    step_i, step_j = variance[i] * scale, variance[j] * scale
    mu[i] += step_i * v
    mu[j] -= step_j * v
    variance[i] *= 1 - step_i * scale * w
    variance[j] *= 1 - step_j * scale * w


@compiled()
def _ordered_pass(  # noqa: PLR0917 (compiled code takes no keywords)
    first: Any, second: Any, outcome: Any, mu: Any, variance: Any, beta: float, margin: float
) -> None:
    spread = 2 * beta * beta
    for step in range(len(first)):
        _update(mu, variance, first[step], second[step], outcome[step], spread, margin)


@compiled(inline="always")
def _replay(widest: Any, winner: Any, system: int, bits: Any) -> None:
    """Let a system play its way up with the bits of a new variance: the larger wins, else the left.

    The bits of positive numbers are in the numbers' order. Without branches, because a processor
    cannot predict who wins.
    """
    node = len(widest) // 2 + system
    widest[node] = bits
    best = system
    while node > 1:
        rival, rivals_best = widest[node ^ 1], winner[node ^ 1]
        is_beaten = rival + (node & 1) > bits
        bits = rival if is_beaten else bits
        best = rivals_best if is_beaten else best
        node >>= 1
        widest[node] = bits
        winner[node] = best


@compiled()
def _tournament(degrees: Any, bits: Any, widest: Any, winner: Any) -> None:
    """Fill a tree: `winner[1]` is the system with the largest variance that has met another.

    Systems are in the lower half, from `len(widest) // 2`; bits of −1 never win.
    """
    widest[:] = -1
    winner[:] = 0
    for system in range(len(degrees)):
        if degrees[system] > 0:
            winner[len(widest) // 2 + system] = system
            _replay(widest, winner, system, bits[system])


@compiled()
def _list_opponents(counts: Any, opponents: Any, degrees: Any) -> None:
    """List for each system the others that it was compared with, in their order."""
    systems = counts.shape[0]
    for i in range(systems):
        for j in range(i + 1, systems):
            if counts[i, j, WIN] or counts[i, j, TIE] or counts[i, j, LOSS]:
                opponents[i, degrees[i]] = j
                opponents[j, degrees[j]] = i
                degrees[i] += 1
                degrees[j] += 1


@compiled(inline="always")
def _meeting(  # noqa: PLR0917 (compiled code takes no keywords)
    i: int, mu: Any, counts: Any, opponents: Any, degrees: Any, key: Any
) -> tuple[Any, int, Any]:
    """Draw an opponent of i and the outcome; returns them and the position in the stream.

    The opponent is drawn with weight exp(−|Δμ|) by rejection: propose any opponent, accept with
    that chance. As 1 − d ≤ exp(−d) ≤ 1, most proposals are accepted without the exponential.
    """
    while True:
        key += GAMMA
        bits = mixed(key)
        j = np.int64(below(bits >> np.uint64(32), degrees[i]))
        if degrees[i] == len(mu) - 1:  # it met all the others: the list need not be read
            j += j >= i
        else:
            j = np.int64(opponents[i, j])
        chance = (bits & LOW_HALF) * 2.0**-32
        gap = abs(mu[i] - mu[j])
        if chance < 1.0 - gap or chance < math.exp(-gap):
            break
    key += GAMMA
    low, high = min(i, j), max(i, j)
    ahead = np.float64(counts[low, high, WIN if i < j else LOSS])
    ties = np.float64(counts[low, high, TIE])
    behind = np.float64(counts[low, high, LOSS if i < j else WIN])
    luck = unit(mixed(key)) * (ahead + ties + behind)
    # WIN, TIE, LOSS are 0, 1, 2; a sum needs no branch
    return j, (luck >= ahead) + (luck >= ahead + ties), key


@compiled(inline="always")
def _update_lanes(lanes: Any, outcome: Any, spreads: Any, margins: Any) -> None:
    """Do what `_update` does in every lane.

    Wins are corrected in all lanes alike, then ties, if there are any, in all lanes alike, then
    those lanes that need a formula of their own.
    """
    ties = others = 0
    for run in range(len(outcome)):
        scale = 1 / math.sqrt(spreads[run] + lanes[VARIANCE_I + run] + lanes[VARIANCE_J + run])
        difference = (lanes[MU_I + run] - lanes[MU_J + run]) * scale
        margin = margins[run] * scale
        side = 1.0 - outcome[run]  # 1 for a win, −1 for a loss
        x = side * difference - margin
        v = _mills(x)
        lanes[DIFFERENCE + run] = difference
        lanes[MARGIN + run] = margin
        lanes[STEP_I + run] = lanes[VARIANCE_I + run] * scale
        lanes[STEP_J + run] = lanes[VARIANCE_J + run] * scale
        lanes[SHARE_I + run] = lanes[STEP_I + run] * scale
        lanes[SHARE_J + run] = lanes[STEP_J + run] * scale
        lanes[V + run] = side * v
        lanes[W + run] = v * (v + x)
        ties += outcome[run] == TIE
        others += abs(difference) > NEAR or abs(x) > 1.0
    if ties:
        for run in range(len(outcome)):
            v, w = _near_tie(lanes[DIFFERENCE + run], lanes[MARGIN + run])
            lanes[V + run] = v if outcome[run] == TIE else lanes[V + run]
            lanes[W + run] = w if outcome[run] == TIE else lanes[W + run]
    if others:
        for run in range(len(outcome)):
            difference, margin = lanes[DIFFERENCE + run], lanes[MARGIN + run]
            side = 1.0 - outcome[run]
            if outcome[run] == TIE:
                if abs(difference) > NEAR:
                    lanes[V + run], lanes[W + run] = _tie(difference, margin)
            elif abs(side * difference - margin) > 1.0:
                v, w = _win(side * difference, margin)
                lanes[V + run], lanes[W + run] = side * v, w
    for run in range(len(outcome)):
        v, w = lanes[V + run], lanes[W + run]
        lanes[MU_I + run] += lanes[STEP_I + run] * v
        lanes[MU_J + run] -= lanes[STEP_J + run] * v
        lanes[VARIANCE_I + run] *= 1 - lanes[SHARE_I + run] * w
        lanes[VARIANCE_J + run] *= 1 - lanes[SHARE_J + run] * w


@compiled()
def _reference_runs(  # noqa: PLR0917 (compiled code takes no keywords)
    counts: Any, table: Any, steps: Any, keys: Any, betas: Any, margins: Any, mu: Any
) -> None:
    """Run side by side, at most in all lanes, longest first; adds to μ, shape (runs, systems).

    A step has to wait for the one before it, but not for another run's. Runs share nothing but
    their table of counts: `table[run]` is its number.
    """
    runs, systems = mu.shape
    degrees = np.zeros((len(counts), systems), dtype=np.int64)
    opponents = np.zeros((len(counts), systems, systems), dtype=np.uint16)
    leaves = 1
    while leaves < systems:
        leaves *= 2
    widest = np.empty((runs, 2 * leaves), dtype=np.int64)
    winner = np.empty((runs, 2 * leaves), dtype=np.int32)
    variance = np.full((runs, systems), SIGMA * SIGMA)
    bits = variance.view(np.int64)
    for each in range(len(counts)):
        _list_opponents(counts[each], opponents[each], degrees[each])
    for run in range(runs):
        _tournament(degrees[table[run]], bits[run], widest[run], winner[run])
    spreads = 2 * betas * betas
    first, second = np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.int64)
    outcome = np.zeros(runs, dtype=np.int64)
    lanes = np.zeros(12 * LANES)
    for step in range(steps[0]):
        while steps[runs - 1] <= step:
            runs -= 1
        for run in range(runs):
            i, each = winner[run, 1], table[run]
            j, outcome[run], keys[run] = _meeting(
                i, mu[run], counts[each], opponents[each], degrees[each], keys[run]
            )
            first[run], second[run] = i, j
            lanes[MU_I + run], lanes[MU_J + run] = mu[run, i], mu[run, j]
            lanes[VARIANCE_I + run] = variance[run, i]
            lanes[VARIANCE_J + run] = variance[run, j]
        _update_lanes(lanes, outcome, spreads, margins)  # ended runs, too: nobody reads those
        for run in range(runs):
            i, j = first[run], second[run]
            mu[run, i], mu[run, j] = lanes[MU_I + run], lanes[MU_J + run]
            variance[run, i] = lanes[VARIANCE_I + run]
            variance[run, j] = lanes[VARIANCE_J + run]
            _replay(widest[run], winner[run], i, bits[run, i])
            _replay(widest[run], winner[run], j, bits[run, j])


def _smallest_type(counts: NDArray[np.int64]) -> type[np.integer]:
    """Choose bytes for small counts, which many systems have.

    Each step reads the counts of another two systems. Of 500 systems, those fit in a processor's
    cache as bytes alone.
    """
    return np.uint8 if counts.max(initial=0) <= np.iinfo(np.uint8).max else np.int64


def reference_runs(counts: NDArray[np.int64], *, seed: int, runs: Sequence[int]) -> Values:
    """Run the reference procedure (Sakaguchi, Post & Van Durme 2014), several runs side by side.

    N steps with N = comparisons + 1: the system with the largest σ meets an opponent drawn with
    weight exp(−|Δμ|) among those it was ever compared with; one of their judgements, drawn with
    replacement, updates both. The counts of wins, ties and losses are sufficient for that draw.

    Parameters
    ----------
    counts : shape (runs, systems, systems, 3), of each run wins, ties and losses of i against j
        for i < j; or (1, systems, systems, 3), the same for all
    seed : of the ranking
    runs : the runs' numbers; the same seed and number give the same result, alone or with others

    Returns
    -------
    μ, shape (runs, systems); 0 for a system that was never compared
    """
    portions = [slice(start, start + LANES) for start in range(0, len(runs), LANES)]
    return np.concatenate(
        [
            _side_by_side(counts if len(counts) == 1 else counts[some], seed, runs[some])
            for some in portions
        ]
    )


def _side_by_side(counts: NDArray[np.int64], seed: int, runs: Sequence[int]) -> Values:
    table = np.arange(len(runs)) % len(counts)
    totals = counts.sum(axis=(1, 2, 3))[table]
    order = np.argsort(-totals, kind="stable")
    games = [Game.of_size(int(total)) for total in totals[order]]
    mu = np.full((len(runs), counts.shape[1]), MU)
    start = np.uint64(seed % 2**64)
    _reference_runs(
        counts.astype(_smallest_type(counts)),
        table[order],
        np.where(totals > 0, totals + 1, 0)[order],
        np.array([stream(start, STEPS, runs[place]) for place in order], dtype=np.uint64),
        np.array([game.beta for game in games]),
        np.array([game.margin for game in games]),
        mu,
    )
    means = np.empty_like(mu)
    means[order] = mu
    return means


def reference_run(counts: NDArray[np.int64], *, seed: int, run: int) -> Values:
    """Compute one run alone, μ of shape (systems,).

    Parameters
    ----------
    counts : shape (systems, systems, 3): wins of the first, ties, losses
    seed : of the ranking
    run : its number
    """
    means: Values = reference_runs(counts[None], seed=seed, runs=[run])[0]
    return means


def ordered_pass(pairs: Pairs, game: Game | None = None) -> tuple[Values, Values]:
    """Update through the comparisons once, in the given order; μ and σ, shape (systems,) each.

    This is what the `trueskill` package does with the same comparisons; a test says so.

    Parameters
    ----------
    pairs : in the order of the updates
    game : β and the margin of a tie; None: those of WMT for this many comparisons

    Source
    ------
    Herbrich, Minka & Graepel (2007).
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
) -> tuple[Values, Values]:
    """Update with whole screens, all k systems at once, through the `trueskill` package.

    Parameters
    ----------
    screens : for each screen the numbers of its systems and their values, higher is better
    systems : their number
    game : β and the margin of a tie

    Returns
    -------
    μ and σ, shape (systems,)
    """
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
    """Gather comparisons into screens again: systems, and how many each does not lose to.

    A system's value on its screen is the number of systems there that it does not lose to.

    Parameters
    ----------
    pairs : from `pairs_from_table`
    times : how often each comparison counts, shape (pairs,)
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
