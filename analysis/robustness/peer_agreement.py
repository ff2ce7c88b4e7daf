"""Which raters agree with those who saw the same outputs by more than chance, and what the order
of the systems is without the others.

Agreement by chance is what raters reach whose answers do not depend on the output, such as by
giving the commonest answer. The score is that of correlated agreement, a mechanism of peer
prediction; nobody is paid or excluded by it here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import scipy

from analysis.errors import RankingError, Undefined
from analysis.scales.codes import in_use, renumber
from analysis.typing import Codes, Values

# A careful rater with fewer is missed too often; see `docs/statistics.md`.
FEWEST_OUTPUTS = 40
FEWEST_RATERS = 4
MOST_ANSWERS = 5  # more distinct values are cut into bins
BINS = 3
MOST_PERMUTATIONS, LEAST_PERMUTATIONS = 999, 199
MOST_DRAWN = 500_000_000  # answers, of all raters together; beyond it there are fewer permutations


@dataclass(frozen=True)
class PeerScore:
    """One rater's correlated agreement with the others on the same outputs.

    `score` is 0 by chance, and at most 1; `p` is one-sided, of permutations of the rater's answers
    over items. `naive` is the mean share of the others who gave an output the same answer.
    """

    rater: str
    outputs: int
    score: float
    p: float
    naive: float
    agrees: bool


@dataclass(frozen=True)
class MovedRank:
    """A system's rank by all raters, and without those who do not agree by more than chance."""

    system: str
    rank: int
    rank_without: int


@dataclass(frozen=True)
class PeerAgreement:
    """The raters with enough shared outputs, from the lowest score to the highest.

    `too_few` counts the raters with fewer, who are not scored and never left out. `bins` says into
    how many parts each rater's own ranks were cut; 0: the answers are taken as they are. `systems`
    is empty if nobody is left out, or `undefined` says why there is no order without them.
    """

    raters: tuple[PeerScore, ...]
    too_few: int
    bins: int
    systems: tuple[MovedRank, ...]
    alpha: float
    undefined: str = ""

    @property
    def others(self) -> tuple[PeerScore, ...]:
        """Return the raters whose agreement is not beyond chance."""
        return tuple(each for each in self.raters if not each.agrees)


# Names the systems, best first, by the raters with these codes.
Ranked = Callable[[Codes], Sequence[str]]


def peer_agreement(
    values: Values,
    units: tuple[Codes, Codes],
    raters: Codes,
    names: Sequence[str],
    *,
    ranked: Ranked,
    alpha: float = 0.05,
    rng: np.random.Generator,
) -> PeerAgreement:
    """Score each rater against the others, and rank the systems without those who score by chance.

    Permutations exchange a rater's answers to whole items, and those within an item: a rater who
    gives all outputs of a screen one value, chosen at random, agrees by chance, too.

    Parameters
    ----------
    values : shape (judgements,); more than five distinct ones are cut into thirds of each rater's
        own ranks, equal values together
    units : outputs and items, each of shape (judgements,), codes; a rater's values of one output
        are averaged
    raters : shape (judgements,), codes
    names : of the raters
    ranked : ranks the systems by some of the raters
    alpha : level of the test of each rater
    rng : of the permutations

    Raises
    ------
    Undefined : fewer than four raters, a level of .001 or less, or no rater with 40 outputs that
        others also judged

    Source
    ------
    Dasgupta & Ghosh (2013), doi:10.1145/2488388.2488417; Shnayder, Agarwal, Frongillo & Parkes
    (2016), doi:10.1145/2940716.2940790: correlated agreement, with signs learnt from the answers.
    """
    if len(names) < FEWEST_RATERS:
        raise Undefined(
            f"Agreement beyond chance needs {FEWEST_RATERS} raters or more; there are {len(names)}."
        )
    if alpha * (MOST_PERMUTATIONS + 1) <= 1:
        raise Undefined(
            f"At a level of {alpha:.2g}, {MOST_PERMUTATIONS} permutations cannot show agreement."
        )
    cells = Answers.of(values, units, raters, len(names))
    least = LEAST_PERMUTATIONS if alpha * (LEAST_PERMUTATIONS + 1) >= 10 else MOST_PERMUTATIONS
    draws = min(MOST_PERMUTATIONS, max(least, MOST_DRAWN // len(cells.answer)))
    scores, too_few = [], 0
    for rater, name in enumerate(names):
        found = cells.score_of(rater, draws, rng)
        if found is None:
            too_few += 1
            continue
        score, p, naive, shared = found
        scores.append(PeerScore(name, shared, score, p, naive, p < alpha))
    if not scores:
        raise Undefined(
            f"No rater judged {FEWEST_OUTPUTS} outputs that others judged, too: with fewer, "
            "agreement by chance cannot be told apart from other agreement."
        )
    scores.sort(key=lambda each: each.score)
    kept = set(names) - {each.rater for each in scores if not each.agrees}
    systems, undefined = _without(names, kept, ranked)
    return PeerAgreement(tuple(scores), too_few, cells.bins, systems, alpha, undefined)


def _without(
    names: Sequence[str], kept: set[str], ranked: Ranked
) -> tuple[tuple[MovedRank, ...], str]:
    """Compare the order by all raters with that of those who are kept."""
    if len(kept) == len(names):
        return (), ""
    if len(kept) < 2:
        return (), "Fewer than two raters are left without them."
    everybody = np.arange(len(names))
    try:
        before = ranked(everybody)
        after = ranked(everybody[[name in kept for name in names]])
    except (RankingError, Undefined) as why:
        return (), str(why)
    places = {system: place for place, system in enumerate(after, start=1)}
    if set(before) != set(after):
        return (), "Without them, some systems have no judgements."
    return tuple(
        MovedRank(system, place, places[system]) for place, system in enumerate(before, start=1)
    ), ""


@dataclass(frozen=True, eq=False)
class Answers:
    """Answers as categories: one for each rater and output that the rater judged.

    `counts` has shape (outputs, categories): how many raters gave an output each answer.
    """

    answer: Codes
    output: Codes
    item: Codes
    bounds: Codes  # rater r has the answers from bounds[r] to bounds[r + 1]
    counts: Values
    together: Values
    bins: int

    @classmethod
    def of(cls, values: Values, units: tuple[Codes, Codes], raters: Codes, number: int) -> Answers:
        """Average a rater's values of an output, and cut them into categories where needed."""
        first, dense = np.unique(units[0], return_index=True, return_inverse=True)[1:]
        width = int(dense.max()) + 1
        cells, place = renumber(raters.astype(np.int64) * width + dense)
        means = np.bincount(place, values) / np.bincount(place)
        rater, output = cells // width, cells % width
        bounds = np.searchsorted(rater, np.arange(number + 1))
        known = in_use(means)
        is_cut = len(known) > MOST_ANSWERS
        answer: Codes = thirds(means, bounds) if is_cut else np.searchsorted(known, means)
        counts = np.zeros((width, int(answer.max()) + 1))
        np.add.at(counts, (output, answer), 1)
        together = counts.T @ counts - np.diag(counts.sum(axis=0))
        return cls(
            answer, output, units[1][first][output], bounds, counts, together, BINS if is_cut else 0
        )

    def score_of(
        self, rater: int, draws: int, rng: np.random.Generator
    ) -> tuple[float, float, float, int] | None:
        """Return score, p, naive agreement and number of outputs; None with too few outputs."""
        # Web processes read sentences of a report, and need no compiler.
        from .permutations import permuted_sums

        rows = slice(self.bounds[rater], self.bounds[rater + 1])
        answer, others = self.answer[rows], self.counts[self.output[rows]].copy()
        own = np.zeros_like(others)
        own[np.arange(len(answer)), answer] = 1
        others -= own
        shared = others.sum(axis=1) > 0
        if shared.sum() < FEWEST_OUTPUTS:
            return None
        # Pairs of the others alone: a rater's own answers must not decide what agrees.
        pairs = self.together - own.T @ others - others.T @ own
        if not pairs.sum():
            return None
        agree = agreeing(pairs)
        peers = others[shared] / others[shared].sum(axis=1, keepdims=True)
        given = answer[shared]
        table = peers @ agree.T  # shape (outputs, answers): agreement, whichever answer was given
        score = correlated_agreement(table, given)
        found = table[np.arange(len(given)), given].sum()
        seed = int(rng.integers(2**63))
        by_chance = permuted_sums(table, given, self.item[rows][shared], draws, seed)
        as_large = (by_chance >= found - 1e-9).sum()
        p = float(as_large + 1) / (draws + 1)
        naive = float(peers[np.arange(len(given)), given].mean())
        return score, p, naive, len(given)


def thirds(values: Values, bounds: Codes) -> Codes:
    """Cut each rater's values into thirds by rank; equal values share the middle of their ranks.

    Parameters
    ----------
    values : shape (answers,), those of each rater together
    bounds : shape (raters + 1,), where each rater's begin and end
    """
    found = np.zeros(len(values), dtype=np.int64)
    for start, end in pairwise(bounds.tolist()):
        ranks = (scipy.stats.rankdata(values[start:end]) - 0.5) / max(end - start, 1)
        found[start:end] = np.minimum((BINS * ranks).astype(np.int64), BINS - 1)
    return found


def agreeing(pairs: Values) -> Values:
    """Say which answers go together: given to one output more often than to two at random.

    Parameters
    ----------
    pairs : shape (categories, categories), symmetric counts of two raters' answers to an output

    Source
    ------
    Shnayder et al. (2016): the signs of the matrix Δ.
    """
    margin = pairs.sum(axis=1)
    # Whole numbers: shares would make chance itself a matter of the last digit.
    found: Values = (pairs * pairs.sum() > np.outer(margin, margin)).astype(np.float64)
    return found


def correlated_agreement(table: Values, given: Codes) -> float:
    """Compute agreement on the same output, less agreement on two different ones.

    Parameters
    ----------
    table : shape (outputs, categories), the peers' mean agreement with each answer to an output
    given : shape (outputs,), the rater's answers

    Source
    ------
    Shnayder et al. (2016): the bonus task, less the mean over all penalty tasks.
    """
    number = len(given)
    same = float(table[np.arange(number), given].sum())
    every = float(table.sum(axis=0) @ np.bincount(given, minlength=table.shape[1]))
    return same / number - (every - same) / (number * (number - 1))
