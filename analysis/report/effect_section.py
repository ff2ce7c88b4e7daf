"""The part of a report about single pairs: exact tests over raters, and sizes of effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from analysis.errors import Undefined
from analysis.ranking.pairs import pairs_from_table
from analysis.report.options import ReportOptions
from analysis.scales.preferences import Preference, preferences, preferences_to_rest
from analysis.scales.rater_tests import (
    Comparisons,
    RaterTests,
    mean_differences,
    rater_differences,
    rater_tests,
    side_by_side,
)
from analysis.table import JudgementTable
from analysis.typing import Codes, Values

from .scale_section import Reasons

# Tables of pairs are no longer readable beyond this many systems.
MOST_SYSTEMS = 60


@dataclass(frozen=True)
class EffectSection:
    """Every two systems, best first: who prefers which, by how much, and how surely.

    `differences` are the means of the raters' own mean differences, in units of `rater_sd`, the
    standard deviation of a rater's values about the rater's mean; relative judgements have none.
    """

    pairs: tuple[Preference, ...]
    rest: tuple[Preference, ...]
    tests: RaterTests | None
    rater_sd: float | None
    undefined: dict[str, str] = field(default_factory=dict)


def effect_section(
    part: JudgementTable, options: ReportOptions, *, relative: bool, higher_is_better: bool
) -> EffectSection:
    """Compare every two systems rater by rater.

    Parameters
    ----------
    part : one criterion's judgements, outliers treated; magnitudes on the scale of the analysis
    options : of the report
    relative : only the order on each screen counts
    higher_is_better : false: lower values are preferred
    """
    reasons = Reasons()
    ranks, labels = _best_first(part, higher_is_better)
    values = part.value if higher_is_better else -part.value
    systems, raters = ranks[part.system.codes], part.rater
    found = reasons.attempt(
        "comparisons",
        lambda: (
            _on_screens(part, ranks, options, higher_is_better)
            if relative
            else _within_items(values, systems, part, options)
        ),
    )

    def tested() -> RaterTests:
        shape = len(raters.labels), len(labels)
        if len(labels) > MOST_SYSTEMS:
            raise Undefined(f"Exact tests are made for at most {MOST_SYSTEMS} systems.")
        if found is None:
            means = mean_differences(values, systems, raters.codes, shape)
        else:
            means = rater_differences(found, *shape)
        return rater_tests(means, labels, alpha=options.alpha, seed=options.seed)

    return EffectSection(
        pairs=preferences(found, labels, alpha=options.alpha)
        if found and len(labels) <= MOST_SYSTEMS
        else (),
        rest=preferences_to_rest(found, labels, alpha=options.alpha) if found else (),
        tests=None if relative and found is None else reasons.attempt("rater_tests", tested),
        rater_sd=None if relative else _rater_sd(part),
        undefined=reasons,
    )


def effect_sentences(section: EffectSection) -> Iterator[str]:
    """Say in plain words what the pairs can claim."""
    if section.tests is None:
        if reason := section.undefined.get("rater_tests"):
            yield reason
        return
    tests = section.tests
    apart = len(tests.apart())
    drawn = "" if tests.is_exact else f", {tests.patterns:,} patterns of signs drawn"
    yield (
        f"Exact tests that take each of {tests.raters} raters as one observation (sign test and "
        f"permutation test{drawn}) tell {apart} of {len(tests.pairs)} pairs apart, with all claims "
        "holding together, for new raters of these items. They say nothing about new items."
    )


def _best_first(part: JudgementTable, higher: bool) -> tuple[Codes, list[str]]:
    """Each system's number from the best mean down, and the names in this order."""
    labels = part.system.labels
    sizes = np.bincount(part.system.codes, minlength=len(labels))
    means = np.bincount(part.system.codes, part.value, minlength=len(labels)) / sizes
    order = np.argsort(-means if higher else means, kind="stable")
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order))
    return ranks, [labels[k] for k in order]


def _on_screens(
    part: JudgementTable, ranks: Codes, options: ReportOptions, higher: bool
) -> Comparisons:
    """Take who won on each screen."""
    groups = part.groups(options.item_groups)
    pairs = pairs_from_table(part, lower_is_better=not higher, item_groups=groups)
    if not len(pairs):
        raise Undefined("No rater saw two systems on one screen.")
    first, second = ranks[pairs.first], ranks[pairs.second]
    won = np.where(first < second, 1.0, -1.0) * (1.0 - pairs.outcome)
    return Comparisons(
        np.minimum(first, second), np.maximum(first, second), pairs.rater, pairs.item, won
    )


def _within_items(
    values: Values, systems: Codes, part: JudgementTable, options: ReportOptions
) -> Comparisons:
    groups = part.groups(options.item_groups)
    found = side_by_side(values, systems, part.rater.codes, part.item.codes, groups.codes)
    if not len(found.first):
        raise Undefined("No rater judged two systems on one item, so none is preferred there.")
    return found


def _rater_sd(part: JudgementTable) -> float | None:
    """Pool the standard deviations of raters' values about their own means."""
    codes, count = part.rater.codes, len(part.rater.labels)
    freedom = len(part) - count
    if freedom < 1:
        return None
    means = np.bincount(codes, part.value, minlength=count) / np.bincount(codes, minlength=count)
    return float(np.sqrt(np.sum((part.value - means[codes]) ** 2) / freedom))
