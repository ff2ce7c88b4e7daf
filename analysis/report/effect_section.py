"""The part of a report about single pairs: exact tests over raters, and sizes of effects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from analysis.errors import Undefined
from analysis.inference import beyond
from analysis.ranking.pairs import Pairs, pairs_from_table
from analysis.report.options import ReportOptions
from analysis.scales.clustered import ClusteredComparison
from analysis.scales.equivalence import Equivalence, Estimate, equivalence
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
    equivalence: Equivalence | None = None
    undefined: dict[str, str] = field(default_factory=dict)


def effect_section(
    part: JudgementTable,
    options: ReportOptions,
    *,
    compared: Pairs | None,
    higher_is_better: bool,
    clustered: ClusteredComparison | None = None,
) -> EffectSection:
    """Compare every two systems rater by rater.

    Parameters
    ----------
    part : one criterion's judgements, outliers treated; magnitudes on the scale of the analysis
    options : of the report
    compared : of relative judgements, of which only the order on each screen counts; None: values
    higher_is_better : false: lower values are preferred
    clustered : the comparison of means on which equivalence of values is claimed
    """
    reasons, relative = Reasons(), compared is not None
    ranks, labels = best_first(part, higher_is_better)
    values = part.value if higher_is_better else -part.value
    systems, raters = ranks[part.system.codes], part.rater
    found = reasons.attempt(
        "comparisons",
        lambda: side_by_side_of(
            part, ranks, options, compared=compared, higher_is_better=higher_is_better
        ),
    )

    def tested() -> RaterTests:
        shape = len(raters.labels), len(labels)
        if len(labels) > MOST_SYSTEMS:
            raise Undefined(f"Exact tests are made for at most {MOST_SYSTEMS} systems.")
        if options.generality == "items":
            raise Undefined("Exact tests are about new raters, and claims here about new items.")
        if found is None:
            means = mean_differences(values, systems, raters.codes, shape)
        else:
            means = rater_differences(found, *shape)
        return rater_tests(means, labels, alpha=options.alpha, seed=options.seed)

    pairs: tuple[Preference, ...] = ()
    rest: tuple[Preference, ...] = ()
    if found is not None:
        level, general = options.alpha, options.generality
        rest = preferences_to_rest(found, labels, alpha=level, generality=general)
        if len(labels) <= MOST_SYSTEMS:
            pairs = preferences(found, labels, alpha=level, generality=general)
    margin = options.equivalence.get(part.criterion.labels[0])
    return EffectSection(
        pairs=pairs,
        rest=rest,
        tests=None if relative and found is None else reasons.attempt("rater_tests", tested),
        rater_sd=None if relative else _rater_sd(part),
        equivalence=None
        if margin is None
        else reasons.attempt(
            "equivalence",
            lambda: (
                _equivalent_shares(pairs, margin, options.alpha)
                if relative
                else equivalent_means(clustered, margin, options.alpha)
            ),
        ),
        undefined=reasons,
    )


def _equivalent_shares(pairs: tuple[Preference, ...], margin: float, alpha: float) -> Equivalence:
    """Test whether neither system of each pair is preferred much more often than the other."""
    estimates = [
        Estimate(pair.a, pair.b, pair.share - 0.5, pair.error, pair.df)
        for pair in pairs
        if pair.error is not None
    ]
    if not estimates:
        raise Undefined("Equivalence needs pairs that at least three raters and items compare.")
    return equivalence(estimates, margin, unit="probability of being preferred", alpha=alpha)


def equivalent_means(
    clustered: ClusteredComparison | None, margin: float, alpha: float
) -> Equivalence:
    """Test the differences of least squares, with errors clustered by raters and items.

    Parameters
    ----------
    clustered : the comparison; None where it has no result
    margin : the largest difference that does not matter
    alpha : level of all claims together

    Raises
    ------
    Undefined : there is no comparison
    """
    if clustered is None:
        raise Undefined("Equivalence needs least squares with clustered errors, which failed here.")
    estimates = [
        Estimate(pair.a, pair.b, pair.difference, pair.se, clustered.df)
        for pair in clustered.contrasts
    ]
    return equivalence(estimates, margin, unit="value", alpha=alpha)


def effect_sentences(section: EffectSection, generality: str) -> Iterator[str]:
    """Say in plain words what the pairs can claim."""
    if section.equivalence is not None:
        yield _about_equivalence(section.equivalence, generality)
    elif reason := section.undefined.get("equivalence"):
        yield reason
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
        f"holding together, {beyond('raters')}. They say nothing about new items."
    )


def _about_equivalence(found: Equivalence, generality: str) -> str:
    named = "; ".join(f"{pair.a} and {pair.b}" for pair in found.equivalent()) or "no pair"
    return (
        f"The margin of equivalence is ± {found.margin:g} ({found.unit}). Two one-sided tests at "
        f"{found.alpha:g}, adjusted for {len(found.pairs)} pairs, show smaller differences for: "
        f"{named}, {beyond(generality)}. Of other pairs, do not say that one is as good as the "
        "other."
    )


def best_first(part: JudgementTable, higher_is_better: bool) -> tuple[Codes, list[str]]:
    """Number each system from the best mean down, and list the names in this order.

    Parameters
    ----------
    part : one criterion's judgements
    higher_is_better : false: the lowest mean is the best
    """
    labels = part.system.labels
    sizes = np.bincount(part.system.codes, minlength=len(labels))
    means = np.bincount(part.system.codes, part.value, minlength=len(labels)) / sizes
    order = np.argsort(-means if higher_is_better else means, kind="stable")
    ranks = np.empty(len(order), dtype=np.int32)
    ranks[order] = np.arange(len(order))
    return ranks, [labels[k] for k in order]


def side_by_side_of(
    part: JudgementTable,
    ranks: Codes,
    options: ReportOptions,
    *,
    compared: Pairs | None,
    higher_is_better: bool,
) -> Comparisons:
    """Compare every two systems that a rater saw on one screen, or judged on one item.

    Parameters
    ----------
    part : one criterion's judgements
    ranks : shape (systems,), the number of each system, from `best_first`
    options : of the report
    compared : the screens' pairs, of which only the order counts; None: compare values
    higher_is_better : false: lower values are preferred

    Raises
    ------
    Undefined : no rater compared two systems
    """
    if compared is not None:
        return _on_screens(compared, ranks)
    values = part.value if higher_is_better else -part.value
    return _within_items(values, ranks[part.system.codes], part, options)


def pairs_of(part: JudgementTable, options: ReportOptions, higher_is_better: bool) -> Pairs:
    """Make the pairs of each screen as a report's options say.

    Parameters
    ----------
    part : one criterion's judgements
    options : of the report
    higher_is_better : false: the lower value wins
    """
    groups = part.groups(options.item_groups)
    return pairs_from_table(part, lower_is_better=not higher_is_better, item_groups=groups)


def _on_screens(pairs: Pairs, ranks: Codes) -> Comparisons:
    """Take who won on each screen."""
    if not len(pairs):
        raise Undefined("No rater saw two systems on one screen.")
    first, second = ranks[pairs.first], ranks[pairs.second]
    won = np.where(first < second, np.int8(1), np.int8(-1)) * (np.int8(1) - pairs.outcome)
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
