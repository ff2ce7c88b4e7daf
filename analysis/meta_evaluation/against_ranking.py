"""Metrics against a ranking of systems: judgements that compare outputs have no mean to follow."""

from __future__ import annotations

import os

import numpy as np

from analysis.errors import Undefined
from analysis.ranking.clusters import Resampling
from analysis.ranking.pairs import Pairs, count, pairs_from_table, require_comparable
from analysis.table import JudgementTable
from analysis.text_metrics.score_files import MetricScores
from analysis.typing import Values

from .against_people import MetricOptions
from .system_level import Redrawn, SystemLevel, intervals_of, system_level

METHOD = "bradley-terry"


def metrics_against_ranking(
    table: JudgementTable,
    scores: MetricScores,
    options: MetricOptions | None = None,
    *,
    lower_is_better: bool = False,
    item_groups: str = "",
) -> tuple[SystemLevel, ...]:
    """Correlate metrics with the strengths of systems in Bradley and Terry's model.

    Judgements such as preferences, best–worst choices and relative magnitudes order the outputs of
    a screen. Means of such values follow a few large ones, or do not exist.

    Parameters
    ----------
    table : judgements of one criterion, several outputs on a screen
    scores : of the metrics
    options : seed, confidence and number of resamples
    lower_is_better : whether the lower value wins
    item_groups : a factor whose items are drawn together; "" draws single items

    Returns
    -------
    For each metric the measures over systems, with intervals over other systems, items and raters;
    strengths are fitted again for each draw of items or raters, and metrics keep their scores

    Raises
    ------
    RankingError : some systems were never compared with each other

    Source
    ------
    Bradley & Terry (1952); ties after Davidson (1970).
    """
    options = options or MetricOptions()
    if len(set(table.system.labels) & set(scores.systems)) < 2:
        raise Undefined("The judgements and the scores have fewer than two systems in common.")
    groups = table.groups(item_groups)
    pairs = pairs_from_table(table, lower_is_better=lower_is_better, item_groups=groups)
    require_comparable(pairs.systems, count(pairs))
    strengths = _strengths(pairs, "none", options.seed, 1)[0]
    whole = scores.aligned(pairs.systems, scores.items).system_scores
    redrawn = _redrawn(pairs, strengths, whole, options)
    untested = np.full((len(strengths), len(strengths)), np.nan)
    return tuple(
        system_level(
            name,
            strengths,
            whole[number],
            pairs.systems,
            soft=None,
            p_values=untested,
            alpha=options.alpha,
            intervals={
                unit: intervals_of(each, number, options.alpha) for unit, each in redrawn.items()
            },
        )
        for number, name in enumerate(scores.metrics)
    )


def _strengths(pairs: Pairs, scheme: str, seed: int, runs: int) -> Values:
    """Fit the model to resampled comparisons, shape (runs, systems)."""
    drawn = Resampling("", METHOD, scheme, seed, runs, pairs, "")
    return drawn.draw(0, runs, threads=os.cpu_count() or 1)


def _redrawn(
    pairs: Pairs, strengths: Values, whole: Values, options: MetricOptions
) -> dict[str, Redrawn]:
    """Resample systems, items and raters; a single rater or item is not drawn."""
    runs, systems = options.resamples, len(strengths)
    rng = np.random.default_rng(options.seed)
    chosen = rng.integers(systems, size=(runs, systems))
    found = {"systems": Redrawn(strengths[chosen], whole[:, chosen])}
    fixed = np.repeat(whole[:, None], runs, axis=1)
    for unit, names in (("items", pairs.items), ("raters", pairs.raters)):
        if len(names) > 1:
            found[unit] = Redrawn(_strengths(pairs, unit, options.seed, runs), fixed)
    return found
