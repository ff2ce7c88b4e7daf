"""What the judgements on one criterion can claim: as papers publish them, and by the strict rule.

Published: analysis of variance and Tukey's test (the t test for two systems), which take every
judgement as independent. Strict: least squares with errors clustered by rater and item, and the
rule of `analysis.inference`, which reports of this site claim by.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from analysis.errors import Undefined
from analysis.reliability.generalisability import generalisability, planned_size
from analysis.report.agreement_section import agreement_of
from analysis.report.options import ReportOptions
from analysis.report.scale_section import anova_of, clustered, tukey_of
from analysis.report.sentences import stated
from analysis.scales.clustered import ClusteredComparison
from analysis.scales.comparison import Contrast
from analysis.scales.tukey_hsd import PairDifference, compact_letters, range_quantile
from analysis.table import JudgementTable

OPTIONS = ReportOptions(agreement_resamples=0)
ALPHA = OPTIONS.alpha
POWER = 0.8
MOST_RATERS = 200
MORE_ITEMS = (1, 2, 5, 10)
MOST_PAIRS_NAMED = 8

# Two systems, the one with the higher mean first.
Pair = tuple[str, str]


@dataclass(frozen=True)
class SystemLine:
    """A system's values, and its letters: systems that share one were not told apart."""

    system: str
    judgements: int
    mean: float
    sd: float | None
    published: str
    strict: str


@dataclass(frozen=True)
class CriterionFinding:
    """What one criterion's judgements can claim, in sentences; the highest mean comes first."""

    criterion: str
    systems: tuple[SystemLine, ...]
    published: str
    strict: str
    verdict: str
    enough: str
    agreement: str


def examine_criterion(table: JudgementTable, criterion: str) -> CriterionFinding:
    """Compare the two ways on the judgements on one criterion."""
    part = table.for_criterion(criterion)
    published, published_pairs = _published(part)
    found = strict_comparison(part)
    if isinstance(found, str):
        strict, strict_pairs, verdict = found, None, _without_claims(published_pairs)
    else:
        strict_pairs = _told_apart(found.contrasts)
        strict = (
            f"With errors clustered by rater and item (t with {found.df:.3g} degrees of freedom, "
            f"all pairs together at {ALPHA:g}), {_counted(strict_pairs, len(found.contrasts))}, "
            f"for new raters and new items."
        )
        verdict = _verdict(published_pairs, strict_pairs)
    lines = _lines(part, published_pairs, strict_pairs)
    return CriterionFinding(
        criterion, lines, published, strict, verdict, _enough(part, lines), _agreement(part)
    )


def _published(part: JudgementTable) -> tuple[str, set[Pair]]:
    names = part.system.labels
    if len(names) < 2:
        return "There is one system, so there is nothing to compare.", set()
    try:
        anova = anova_of(part.value, part, OPTIONS)
        tukey = tukey_of(part.value, part, ALPHA, anova, True)
    except Undefined as why:
        return f"There is no analysis of variance: {why}", set()
    pairs = _told_apart(tukey.pairs)
    effect = anova.rows[0]
    test = f"F({effect.df:g}, {anova.residual.df:g}) = {effect.F:.2f}, {stated(effect.p or 0.0)}"
    method = "A t test" if len(names) == 2 else f"Analysis of variance ({test}) with Tukey's test"
    return (
        f"{method} over all {len(part):,} judgements, as most papers do: "
        f"{_counted(pairs, len(tukey.pairs))}. It takes every judgement as independent."
    ), pairs


def _told_apart(compared: Iterable[Contrast | PairDifference]) -> set[Pair]:
    return {
        (row.a, row.b) if row.difference > 0 else (row.b, row.a)
        for row in compared
        if row.p < ALPHA
    }


def strict_comparison(part: JudgementTable) -> ClusteredComparison | str:
    """Compare the systems as reports do, or say why that cannot be done."""
    try:
        return clustered(part.value, part, OPTIONS, True)
    except Undefined as why:
        return f"Nothing can be claimed: {why}"


def _counted(pairs: set[Pair], count: int) -> str:
    verb = "differs" if len(pairs) == 1 else "differ"
    return f"{len(pairs)} of {count} pairs of systems {verb}"


def _verdict(published: set[Pair], strict: set[Pair]) -> str:
    """Say which claims hold, and which only the published way makes."""
    if not strict and not published:
        return "Neither way finds a difference. That does not show that the systems are equal."
    if strict == published:
        return f"Both ways agree. Claim: {_named(strict)}."
    parts = [f"Claim: {_named(strict)}." if strict else "Claim no difference."]
    if only := published - strict:
        parts.append(f"The published way alone finds, so do not claim: {_named(only)}.")
    if more := strict - published:
        parts.append(
            "The strict way allows for raters' strictness, and so finds what the published way "
            f"misses: {_named(more)}."
        )
    return " ".join(parts)


def _without_claims(published: set[Pair]) -> str:
    described = "Report the means as what these raters said of these items, and claim no difference"
    return f"{described}: {_named(published)} would not hold." if published else f"{described}."


def _named(pairs: set[Pair]) -> str:
    shown = [f"{high} above {low}" for high, low in sorted(pairs)[:MOST_PAIRS_NAMED]]
    more = len(pairs) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def _lines(
    part: JudgementTable, published: set[Pair], strict: set[Pair] | None
) -> tuple[SystemLine, ...]:
    labels = part.system.labels
    values = [part.value[part.system.codes == code] for code in range(len(labels))]
    order = sorted(range(len(labels)), key=lambda code: -values[code].mean())
    names = [labels[code] for code in order]
    letters = [
        [""] * len(names) if pairs is None else _letters(names, pairs)
        for pairs in (published, strict)
    ]
    return tuple(
        SystemLine(
            labels[code],
            len(values[code]),
            float(values[code].mean()),
            float(values[code].std(ddof=1)) if len(values[code]) > 1 else None,
            *both,
        )
        for code, both in zip(order, zip(*letters, strict=True), strict=True)
    )


def _letters(names: Sequence[str], pairs: set[Pair]) -> Sequence[str]:
    place = {name: number for number, name in enumerate(names)}
    apart = [tuple(sorted((place[a], place[b]))) for a, b in pairs]
    return compact_letters(len(names), [(first, second) for first, second in sorted(apart)])


def _agreement(part: JudgementTable) -> str:
    found = next(
        each for each in agreement_of(part, "scale", OPTIONS) if each.name.endswith("interval")
    )
    if found.value is None:
        return f"Agreement of raters cannot be stated: {found.reason}"
    return f"Agreement of raters: {found.name} = {found.value:.2f}."


# --- how many raters would have been enough ----------------------------------------------------


def _enough(part: JudgementTable, lines: Sequence[SystemLine]) -> str:
    """Say how many raters find differences as large as these."""
    try:
        found = generalisability(
            part.value, part.system.codes, part.rater.codes, part.item.codes, sizes=()
        )
    except Undefined as why:
        return f"How many raters would be enough cannot be said: {why}"
    variance = {share.source: share.variance for share in found.shares}
    size = len(part.item.labels), len(lines)
    first, *_, last = lines
    wanted = dict.fromkeys([lines[1], last])
    said = "; ".join(
        f"for that between {first.system} and {line.system} ({difference:.3g}), "
        f"{_size(variance, *size, difference)}"
        for line in wanted
        if (difference := first.mean - line.mean) > 0
    )
    if not said:
        return "All means are equal, so there is no difference to plan for."
    return (
        f"To find such a difference in four of five studies, if it is true and every rater judges "
        f"everything, it takes, {said}. Observed differences tend to be larger than true ones, so "
        "plan for more."
    )


def _size(variance: Mapping[str, float], items: int, systems: int, difference: float) -> str:
    for times in MORE_ITEMS:
        least = fewest_raters(variance, items * times, systems, difference)
        if least is not None:
            of = f"these {items} items" if times == 1 else f"{items * times} items, not {items}"
            return f"about {least} raters and {of}"
    return f"more than {MOST_RATERS} raters and {items * MORE_ITEMS[-1]} items"


def fewest_raters(
    variance: Mapping[str, float], items: int, systems: int, difference: float
) -> int | None:
    """Return the smallest number of raters who find the difference; None beyond `MOST_RATERS`."""
    low, high = 3, MOST_RATERS
    if items < low or detectable(variance, high, items, systems) > difference:
        return None
    while low < high:
        middle = (low + high) // 2
        if detectable(variance, middle, items, systems) > difference:
            low = middle + 1
        else:
            high = middle
    return low


def detectable(variance: Mapping[str, float], raters: int, items: int, systems: int) -> float:
    """Return the difference that a study of this size finds with a power of `POWER`.

    Parameters
    ----------
    variance : by source, as `planned_size` takes it
    raters, items, systems : numbers of the study; every rater judges everything
    """
    width = planned_size(dict(variance), raters, items, systems, alpha=ALPHA).half_width
    assert width is not None  # there are at least three raters and items
    df = float(min(raters, items) - 1)
    error = width * np.sqrt(2) / range_quantile(1 - ALPHA, systems, df)
    return float(width + scipy.stats.t.isf(1 - POWER, df) * error)


# --- what weakens every claim --------------------------------------------------------------------


def weaknesses(table: JudgementTable) -> Iterator[str]:
    """Yield what weakens every claim from these judgements."""
    part = table.for_criterion(table.criterion.labels[0])
    outputs = part.system.codes.astype(np.int64) * len(part.item.labels) + part.item.codes
    times = np.bincount(np.unique(outputs, return_inverse=True)[1])
    if times.max() == 1:
        yield "Every output was judged once, so agreement of raters is unknown."
    sizes = np.bincount(part.system.codes)
    if sizes.min() * 2 < sizes.max():
        yield (
            f"Systems have {sizes.min():,} to {sizes.max():,} judgements each: the comparison "
            "rests on those with the fewest."
        )
    shares = np.bincount(part.rater.codes)
    if len(shares) > 1 and 2 * shares.max() > len(part):
        yield "One rater gave more than half of the judgements."
    constant = [
        name
        for code, name in enumerate(table.rater.labels)
        if np.sum(own := table.rater.codes == code) >= 10 and np.ptp(table.value[own]) == 0
    ]
    if constant:
        yield (
            f"{len(constant)} of {len(table.rater.labels)} raters gave the same value throughout "
            "(ten judgements or more). Say what you did with them."
        )
    if len(table.criterion.labels) > 1:
        yield (
            f"There are {len(table.criterion.labels)} criteria, each tested at {ALPHA:g} "
            "alone. Name one as primary, or share the level among them."
        )
