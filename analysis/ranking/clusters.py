"""Rankings in clusters: repeated runs, rank ranges from the runs, clusters from the ranges."""

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from analysis.errors import OptionsError, RankingError
from analysis.inference import Units, generality_problems, widened_alpha
from analysis.signature import signature
from analysis.table import JudgementTable
from analysis.typing import Progress, Values

from .pairs import Counts, Pairs, count, pairs_from_table, require_comparable, unmet
from .rank_ranges import cluster_ends, published_cut, ranges_of_ranks, ranks

PASSES = ("order", "k-player")  # through the judgements in the order of the table
METHODS = ("wmt", "bradley-terry", *PASSES)
SCHEMES = ("none", "pairs", "screens", "items", "raters", "raters-items")
# The scheme that draws the units that claims are about.
SCHEME_OF = {"raters": "raters", "items": "items", "both": "raters-items"}
KINDS = ("relative", "scale", "category", "count", "time", "error")
CUT_CHECKS = 200
LEAST_ALPHA = 1e-6
# Runs that a thread makes at once, as many as there are lanes (see `trueskill`). Two only where
# each has counts of its own of so many systems that more would not fit in a processor's cache.
SIDE_BY_SIDE = 16
MANY_SYSTEMS = 250

# seed and numbers of runs → scores, shape (runs, systems)
Drawer = Callable[[int, range], Values]


@dataclass(frozen=True)
class RankingOptions:
    """Options of a ranking: the method, its runs, and the resampling before each run.

    `method` is `wmt` (the reference procedure), `bradley-terry`, or one pass in the given order of
    the table by pairs (`order`) or by whole screens (`k-player`). `kinds` gives the kind of each
    criterion (see `kind_of`); only `relative` ones are ranked. On criteria in `lower_is_better` the
    lower value wins, as with ranks. `item_groups` is a factor (such as the document) whose items
    are drawn together; "" draws single items. `generality` says what claims are about: new
    `raters`, new `items`, or `both`.
    """

    seed: int = 1
    runs: int = 200
    method: str = "wmt"
    resample: tuple[str, ...] = ("none",)
    alpha: float = 0.05
    exclude_raters: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)
    lower_is_better: tuple[str, ...] = ()
    item_groups: str = ""
    generality: str = "both"

    def __post_init__(self) -> None:
        if isinstance(self.resample, str):  # one scheme, as `by_clusters` takes it
            object.__setattr__(self, "resample", (self.resample,))
        if problems := list(self.problems()):
            raise OptionsError(problems)

    def problems(self) -> Iterator[str]:
        """Yield every problem of these options, in words."""
        if self.method not in METHODS:
            yield f"There is no method {self.method!r}: {', '.join(METHODS)}."
        for scheme in self.resample:
            if scheme not in SCHEMES:
                yield f"There is no resampling {scheme!r}: {', '.join(SCHEMES)}."
        if self.runs < 1:
            yield f"runs is {self.runs}, but a ranking needs at least one run."
        for criterion, kind in self.kinds.items():
            if kind not in KINDS:
                yield f"Criterion {criterion} cannot be {kind!r}: {', '.join(KINDS)}."
        if self.method == "k-player" and "pairs" in self.resample:
            yield "k-player updates take whole screens; they cannot resample pairs."
        yield from generality_problems(self.generality)
        yield from alpha_problems(self.alpha)


def alpha_problems(alpha: float) -> list[str]:
    """Say why no test can be made at this level; below the least one quantiles become infinite.

    Parameters
    ----------
    alpha : 1 − confidence
    """
    if LEAST_ALPHA <= alpha < 1:
        return []
    return [f"alpha must be from {LEAST_ALPHA:f} to below 1, not {alpha:g}."]


def kind_of(table: JudgementTable, criterion: str, kinds: Mapping[str, str]) -> str:
    """Return what a criterion is: relative, scale, category, count, time or error.

    Parameters
    ----------
    table : the judgements that count
    criterion : its name
    kinds : by criterion, what was decided; the rest is read off the screens: `coverage` is a
        category, any other is relative where screens show two systems or more on average, else a
        scale
    """
    if criterion in kinds:
        return kinds[criterion]
    if criterion == "coverage":
        return "category"
    part = table.for_criterion(criterion)
    return "relative" if len(part) >= 2 * len(part.screen.labels) else "scale"


@dataclass(frozen=True, eq=False)
class Resampling:
    """The runs of one criterion under one resampling scheme, to be drawn in any portions.

    `key` is `criterion/method/scheme`. `draw` gives the same numbers for a run in any process.
    """

    criterion: str
    method: str
    scheme: str
    seed: int
    runs: int
    pairs: Pairs
    sha256: str

    @property
    def key(self) -> str:
        """The resampling's name within its analysis."""
        return f"{self.criterion}/{self.method}/{self.scheme}"

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems in alphabetical order: the columns of every draw."""
        return self.pairs.systems

    @cached_property
    def units(self) -> Units | None:
        """The raters and items, if the scheme draws whole ones of those that a claim is about."""
        for generality, scheme in SCHEME_OF.items():
            if scheme == self.scheme:
                return Units.of(self.pairs.rater, self.pairs.item, generality)
        return None

    def cut(self, alpha: float, runs: int) -> int:
        """Return how many runs to leave out at either end of a range of ranks.

        Parameters
        ----------
        alpha : 1 − confidence
        runs : their number
        """
        if self.units is None:
            return published_cut(alpha, runs)
        # The k-th lowest of n runs has a share of k/(n + 1) below it.
        return max(math.floor(widened_alpha(alpha, self.units.effective) * (runs + 1) / 2) - 1, 0)

    def draw(
        self, first: int, count: int, *, threads: int = 1, progress: Progress | None = None
    ) -> Values:
        """Scores of the systems in runs first … first + count − 1, shape (count, systems).

        `progress` is called with the share that is done.
        """
        end = first + count
        is_large = self.scheme != "none" and len(self.systems) > MANY_SYSTEMS
        size = 2 if is_large else SIDE_BY_SIDE
        portions = [range(start, min(start + size, end)) for start in range(first, end, size)]
        draw = partial(self._drawer, self.seed)
        drawn = np.empty((count, len(self.systems)))
        with ThreadPoolExecutor(threads) as pool:  # the kernels release the interpreter
            for runs, scores in zip(portions, pool.map(draw, portions), strict=True):
                drawn[runs.start - first : runs.stop - first, self._order] = scores
                if progress:
                    progress((runs.stop - first) / count)
        return drawn

    @cached_property
    def _order(self) -> NDArray[np.int64]:
        return _order_by_record(count(self.pairs))

    @cached_property
    def _drawer(self) -> Drawer:
        """The method's runs, on systems in the order of their records: names do not matter."""
        place = np.empty(len(self._order), dtype=self.pairs.first.dtype)
        place[self._order] = np.arange(len(self._order), dtype=place.dtype)
        renumbered = replace(
            self.pairs,
            systems=tuple(self.systems[number] for number in self._order),
            first=place[self.pairs.first],
            second=place[self.pairs.second],
        )
        # Numba comes with them: 65 MB and 0.4 s that the web process, which draws nothing, saves.
        from .drawers import DRAWERS

        return DRAWERS[self.method](renumbered, self.scheme)


@dataclass(frozen=True)
class RankedSystem:
    """A system's place. `mean` is its mean score over the runs, in the method's own unit.

    `cut_share` is the share of repeated draws of the runs in which a cluster ends right after
    this system (and the systems above it are the same): how far the cut depends on the seed.
    """

    system: str
    mean: float
    rank_low: int
    rank_high: int
    cluster: int
    cut_share: float


@dataclass(frozen=True)
class Ranking:
    """Systems from the best down, with the pairs of systems that never met and the signature."""

    systems: tuple[RankedSystem, ...]
    comparisons: int
    unmet: tuple[tuple[str, str], ...]
    signature: str


def resamplings_of(table: JudgementTable, options: RankingOptions) -> tuple[Resampling, ...]:
    """Make one resampling for each relative criterion that can be ranked and each scheme.

    `refusals` has the reasons of those that cannot.

    Parameters
    ----------
    table : the judgements that count
    options : `refusals` has the reasons of those that cannot be ranked
    """
    resamplings = []
    for criterion, pairs in _relative_pairs(table, options):
        if _refusal(pairs) is None:
            resamplings += [
                Resampling(
                    criterion=criterion,
                    method=options.method,
                    scheme=scheme,
                    seed=options.seed,
                    runs=options.runs,
                    pairs=pairs,
                    sha256=table.sha256,
                )
                for scheme in options.resample
            ]
    return tuple(resamplings)


def refusals(table: JudgementTable, options: RankingOptions) -> dict[str, str]:
    """Say why relative criteria cannot be ranked, by criterion.

    Parameters
    ----------
    table : the judgements that count
    options : of the ranking
    """
    reasons = {name: _refusal(pairs) for name, pairs in _relative_pairs(table, options)}
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _relative_pairs(table: JudgementTable, options: RankingOptions) -> Iterator[tuple[str, Pairs]]:
    table = table.counted().without_raters(options.exclude_raters)
    for criterion in table.criterion.labels:
        if kind_of(table, criterion, options.kinds) == "relative":
            lower = criterion in options.lower_is_better
            part = table.for_criterion(criterion)
            groups = part.groups(options.item_groups)
            yield criterion, pairs_from_table(part, lower_is_better=lower, item_groups=groups)


def _refusal(pairs: Pairs) -> str | None:
    try:
        require_comparable(pairs.systems, count(pairs))
    except RankingError as error:
        return str(error)
    return None


def compute_draws(
    resamplings: Sequence[Resampling],
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> dict[str, Values]:
    """Draw every run of every resampling; scores by the resampling's key, shape (runs, systems).

    Parameters
    ----------
    resamplings : from `resamplings_of`
    threads : None: as many as processors
    progress : called with the share that is done
    """
    threads = threads or os.cpu_count() or 1
    total = sum(resampling.runs for resampling in resamplings)
    before = 0
    draws = {}
    for resampling in resamplings:

        def heard(share: float, resampling: Resampling = resampling, before: int = before) -> None:
            if progress:
                progress((before + share * resampling.runs) / total)

        draws[resampling.key] = resampling.draw(0, resampling.runs, threads=threads, progress=heard)
        before += resampling.runs
    return draws


def resampling_of(table: JudgementTable, criterion: str, options: RankingOptions) -> Resampling:
    """Make the resampling of one criterion, of any kind, under the first scheme of the options.

    Raises RankingError where its systems cannot be ranked.

    Parameters
    ----------
    table : the judgements that count
    criterion : its name
    options : of the ranking

    Raises
    ------
    RankingError : its systems cannot be ranked
    """
    table.for_criterion(criterion)  # refuses an unknown name
    kinds = {name: "category" for name in table.criterion.labels} | {criterion: "relative"}
    options = replace(options, resample=options.resample[:1], kinds=kinds)
    refused = refusals(table, options)
    if refused:
        raise RankingError(f"{criterion}: {refused[criterion]}")
    (resampling,) = resamplings_of(table, options)
    return resampling


def rank_criterion(
    table: JudgementTable, criterion: str, options: RankingOptions, *, threads: int | None = None
) -> Ranking:
    """Rank the systems on one criterion under the first resampling scheme of the options.

    Parameters
    ----------
    table : judgements whose screens show several systems
    criterion : the criterion to rank by
    options : the method, its runs, and what is resampled before each run
    threads : how many compute runs at the same time; by default one for each core

    Returns
    -------
    Ranking : the systems in clusters, best first, with the range of each one's ranks over the runs.
        Any number of threads gives the same result.

    Raises
    ------
    TableError : the table has no such criterion, or no such rater to exclude
    RankingError : too few judgements, or systems that nothing connects

    Source
    ------
    Sakaguchi, Post & Van Durme (2014); the E2E challenge (Dušek, Novikova & Rieser 2020).
    """
    resampling = resampling_of(table, criterion, options)
    draws = compute_draws([resampling], threads=threads)[resampling.key]
    return ranking_from_draws(
        resampling, draws, alpha=options.alpha, exclude=options.exclude_raters
    )


def ranking_from_draws(
    resampling: Resampling, draws: Values, *, alpha: float = 0.05, exclude: Sequence[str] = ()
) -> Ranking:
    """Order by the mean over the runs; rank ranges and clusters at level 1 − alpha.

    Where whole raters or items are drawn, ranges are wider than the runs' own percentiles, because
    few of them scatter less when drawn again than others would (see `widened_alpha`).

    Parameters
    ----------
    resampling : of one criterion
    draws : shape (runs, systems), columns as in `resampling.systems`
    alpha : 1 − confidence of the rank ranges
    exclude : raters who were left out, for the signature
    """
    means = draws.mean(axis=0)
    # systems with equal scores are sorted by name
    order = np.lexsort([np.arange(len(means)), -means])
    lows, highs = ranks(draws)
    cut = resampling.cut(alpha, len(draws))
    low, high = ranges_of_ranks(lows[:, order], highs[:, order], cut)
    ends = cluster_ends(low, high)
    shares = _cut_shares(draws, lows, highs, order, cut=cut, seed=resampling.seed)
    cluster = 1 + np.r_[0, np.cumsum(ends[:-1])]
    options = {"criterion": resampling.criterion, "runs": len(draws), "resample": resampling.scheme}
    options |= {"seed": resampling.seed, "alpha": alpha, "exclude": sorted(exclude)}
    options |= {"lower": "better"} if resampling.pairs.lower_is_better else {}
    return Ranking(
        systems=tuple(
            RankedSystem(
                resampling.systems[number],
                float(means[number]),
                int(low[place]),
                int(high[place]),
                int(cluster[place]),
                float(shares[place]),
            )
            for place, number in enumerate(order)
        ),
        comparisons=len(resampling.pairs),
        unmet=unmet(resampling.systems, count(resampling.pairs)),
        signature=signature(resampling.method, options, sha256=resampling.sha256),
    )


def _cut_shares(
    draws: Values,
    lows: NDArray[np.int32],
    highs: NDArray[np.int32],
    order: NDArray[np.int64],
    *,
    cut: int,
    seed: int,
) -> Values:
    """Redraw the runs and compute the share in which a cluster ends at each place."""
    rng = np.random.Generator(np.random.Philox(key=seed % 2**64))
    place = np.arange(len(order))
    shares = np.zeros(len(order))
    for _ in range(CUT_CHECKS):
        again = rng.integers(len(draws), size=len(draws))
        means = draws[again].mean(axis=0)
        new_order = np.lexsort([np.arange(len(means)), -means])
        low, high = ranges_of_ranks(lows[again], highs[again], cut)
        position = np.empty_like(place)
        position[new_order] = place
        same_above = np.maximum.accumulate(position[order]) == place
        shares += cluster_ends(low[new_order], high[new_order]) & same_above
    return shares / CUT_CHECKS


def _order_by_record(counts: Counts) -> NDArray[np.int64]:
    """Systems by what they did, so that a run's numbers do not depend on their names."""
    sums = counts.wins.sum(axis=1), counts.wins.sum(axis=0), counts.ties.sum(axis=1)
    first = sorted(zip(*(column.tolist() for column in sums), range(len(sums[0])), strict=True))
    order: list[int] = []
    for _, alike in groupby(first, key=lambda row: row[:3]):
        numbers = [row[3] for row in alike]
        order += sorted(numbers, key=lambda i: _record(counts, i)) if numbers[1:] else numbers
    return np.array(order, dtype=np.int64)


def _record(counts: Counts, i: int) -> list[tuple[float, ...]]:
    columns = counts.wins[i], counts.wins[:, i], counts.ties[i]
    return sorted(zip(*(column.tolist() for column in columns), strict=True))
