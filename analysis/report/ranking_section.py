"""The part of a report about relative judgements: the paper's clusters and the honest ranking."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from threading import Event

import numpy as np

from analysis.errors import AnalysisError
from analysis.ranking.bradley_terry import BradleyTerry, bradley_terry
from analysis.ranking.clusters import (
    PASSES,
    Ranking,
    Resampling,
    compute_draws,
    ranking_from_draws,
    refusals,
    resamplings_of,
)
from analysis.ranking.pairs import Pairs, count
from analysis.ranking.rank_ranges import ranks
from analysis.report.options import ReportOptions
from analysis.scales.clustered import ClusteredComparison
from analysis.scales.mixed_model import MixedModel
from analysis.scales.outliers import log_magnitudes
from analysis.table import JudgementTable
from analysis.typing import Values

from .checkpoints import Parts
from .effect_section import pairs_of
from .scale_section import Reasons, compared_means

# Runs by their resampling's key, or who draws them once the rest of a criterion's report is made.
Draws = Mapping[str, Values] | Callable[[Resampling], Values]

# What a preference or a best–worst choice gives a system: no magnitude, so no logarithm either.
CHOICES = (-1.0, 0.0, 0.5, 1.0)


@dataclass(frozen=True)
class WinShare:
    """A system's record in its pairs; `share` counts a tie as half a win."""

    system: str
    wins: int
    ties: int
    losses: int
    share: float


@dataclass(frozen=True)
class PairRecord:
    """The record of `a` against `b`."""

    a: str
    b: str
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class RankingSection:
    """Rankings from pairs, one for each way of resampling; undefined ones have their reason.

    `rankings` goes by resampling scheme: `none` is as published in the field; the one that draws
    what claims are about (see `SCHEME_OF`) is what a referee would ask for.
    `rank_shares[scheme][system][r]` is the share of runs in which it had rank r + 1. `mixed` and
    `mixed_full` are models of the magnitudes, on the log scale where that exists, as is
    `clustered`. `bradley_terry` has simultaneous intervals with clustered errors.
    """

    rankings: dict[str, Ranking]
    rank_shares: dict[str, dict[str, tuple[float, ...]]]
    win_shares: tuple[WinShare, ...]
    pairs: tuple[PairRecord, ...]
    bradley_terry: BradleyTerry | None
    mixed: MixedModel | None
    mixed_full: MixedModel | None
    clustered: ClusteredComparison | None
    mixed_scale: str
    undefined: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Runs:
    """A report's resamplings, and where their runs come from; shape (runs, systems)."""

    resamplings: tuple[Resampling, ...]
    drawn: Callable[[Resampling], Values]

    def of(self, criterion: str) -> tuple[Resampling, ...]:
        return tuple(
            resampling for resampling in self.resamplings if resampling.criterion == criterion
        )


@contextmanager
def runs_for(table: JudgementTable, options: ReportOptions, draws: Draws | None) -> Iterator[Runs]:
    """Take the runs that are there, or draw them on other threads while the report is made."""
    resamplings = resamplings_of(table, options)
    if callable(draws):
        draw = draws
        yield Runs(resamplings, lambda resampling: _fitting(resampling, draw(resampling)))
        return
    if draws is not None:
        # Looked at now: what does not fit is refused before anything is computed.
        fitting = {each.key: _drawn_before(each, draws) for each in resamplings}
        yield Runs(resamplings, lambda resampling: fitting[resampling.key])
        return
    abandoned = Event()

    def go_on(_: float) -> None:
        if abandoned.is_set():
            raise CancelledError

    pool = ThreadPoolExecutor(1)
    pending = {
        resampling.key: pool.submit(compute_draws, [resampling], progress=go_on)
        for resampling in resamplings
    }
    try:
        yield Runs(resamplings, lambda resampling: pending[resampling.key].result()[resampling.key])
    finally:
        abandoned.set()
        pool.shutdown(cancel_futures=True)


def pairs_to_rank(part: JudgementTable, options: ReportOptions, higher: bool, runs: Runs) -> Pairs:
    """Take the pairs that are drawn from, unless they are in the order that was given."""
    drawn = runs.of(part.criterion.labels[0])
    if drawn and options.method not in PASSES:
        return drawn[0].pairs
    return pairs_of(part, options, higher)


def section_without_runs(
    part: JudgementTable,
    pairs: Pairs,
    options: ReportOptions,
    higher: bool,
    *,
    parts: Parts,
) -> RankingSection:
    """Make all of the section that needs no runs.

    Parameters
    ----------
    part : the judgements on one criterion
    pairs : from `pairs_to_rank`
    options : of the report
    higher : false: the lower value wins
    parts : may keep what is finished
    """
    reasons, logs = Reasons(), None
    if not np.isin(part.value, CHOICES).all():
        logs = reasons.attempt("logarithm", lambda: log_magnitudes(part.value))
    magnitudes = part.value if logs is None else logs
    return RankingSection(
        rankings={},
        rank_shares={},
        win_shares=win_shares(pairs),
        pairs=_pair_records(pairs),
        bradley_terry=reasons.attempt(
            "bradley_terry",
            lambda: bradley_terry(pairs, generality=options.generality, alpha=options.alpha),
            BradleyTerry,
            parts,
        ),
        **compared_means(magnitudes, part, options, higher, reasons=reasons, parts=parts),
        mixed_scale="untransformed" if logs is None else "logarithm of the value",
        undefined=reasons,
    )


def with_rankings(
    section: RankingSection,
    table: JudgementTable,
    criterion: str,
    options: ReportOptions,
    runs: Runs,
    *,
    parts: Parts,
) -> RankingSection:
    """Add the rankings by every scheme, for which it waits; or say why there are none.

    Parameters
    ----------
    section : the rest of it
    table : the judgements, those of excluded raters included
    criterion : that is ranked
    options : of the report
    runs : of all criteria
    parts : may keep what is finished
    """
    resamplings = runs.of(criterion)
    if not resamplings:
        why = refusals(table, options)[criterion]
        return replace(section, undefined={"ranking": why, **section.undefined})
    drawn = {resampling.scheme: runs.drawn(resampling) for resampling in resamplings}

    def ranked(resampling: Resampling) -> Ranking:
        return ranking_from_draws(
            resampling,
            drawn[resampling.scheme],
            alpha=options.alpha,
            exclude=options.exclude_raters,
        )

    return replace(
        section,
        rankings={
            resampling.scheme: parts(
                f"ranking {resampling.scheme}", Ranking, partial(ranked, resampling)
            )
            for resampling in resamplings
        },
        rank_shares={
            resampling.scheme: _rank_shares(resampling, drawn[resampling.scheme])
            for resampling in resamplings
        },
    )


def _drawn_before(resampling: Resampling, draws: Mapping[str, Values]) -> Values:
    if resampling.key not in draws:
        raise AnalysisError(f"The runs of {resampling.key} are missing.")
    return _fitting(resampling, draws[resampling.key])


def _fitting(resampling: Resampling, drawn: Values) -> Values:
    expected = (resampling.runs, len(resampling.systems))
    if drawn.shape != expected:
        raise AnalysisError(
            f"The runs of {resampling.key} have shape {drawn.shape}, not {expected}."
        )
    return drawn


def _rank_shares(resampling: Resampling, drawn: Values) -> dict[str, tuple[float, ...]]:
    best, _ = ranks(drawn)
    count = len(resampling.systems)
    return {
        system: tuple(
            float(share) for share in np.bincount(best[:, k], minlength=count + 1)[1:] / len(drawn)
        )
        for k, system in enumerate(resampling.systems)
    }


def win_shares(pairs: Pairs) -> tuple[WinShare, ...]:
    """Wins, ties and losses of every system, best share first."""
    counts = count(pairs)
    wins, losses, ties = counts.wins.sum(1), counts.wins.sum(0), counts.ties.sum(1)
    met = wins + losses + ties
    rows = [
        WinShare(
            system,
            int(wins[k]),
            int(ties[k]),
            int(losses[k]),
            float((wins[k] + ties[k] / 2) / met[k]) if met[k] else 0.5,
        )
        for k, system in enumerate(pairs.systems)
    ]
    return tuple(sorted(rows, key=lambda row: -row.share))


def _pair_records(pairs: Pairs) -> tuple[PairRecord, ...]:
    """Return the record of every two systems that met."""
    counts = count(pairs)
    labels = pairs.systems
    return tuple(
        PairRecord(
            labels[i],
            labels[j],
            int(counts.wins[i, j]),
            int(counts.ties[i, j]),
            int(counts.wins[j, i]),
        )
        for i in range(len(labels))
        for j in range(i + 1, len(labels))
        if counts.met[i, j]
    )
