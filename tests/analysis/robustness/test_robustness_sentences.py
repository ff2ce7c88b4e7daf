"""Every sentence about an answer's robustness agrees with its data, whatever the data are.

The numbers, names and turning words of a sentence are compared with the judgements or, where a
model computed them, with the numbers of its check. `tests/analysis/report/test_sentences.py` reads
the sentences of the answer.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from math import comb

import numpy as np
import pytest

from analysis.inference import beyond
from analysis.reliability.generalisability import generalisability
from analysis.report.robustness_section import Judged, robustness_section
from analysis.report.robustness_sentences import TITLES, said_of
from analysis.table import ORDER
from benchmarks.robustness_level import (
    Planted,
    assisted_campaign,
    campaign,
    circle_campaign,
    judged,
)

pytestmark = pytest.mark.slow

ABOUT = beyond("both")
# What may be said in words; numbers and names are read besides.
WORDS = (
    ABOUT, "better", "worse", "more often", "less often", "higher", "lower", r"\bup by", "down by",
    "length", "first screen to the last", "place on the screen", "is the same",
    "is first", "told apart", "none is preferred", "no interval", "no less than the range",
    "shares of the work", "raters differ", "outputs are alike",
    r"(?:raters|items)(?= \(\d)", r"(?<=half of the )(?:raters or items|raters|items)",
)  # fmt: skip
SAID = re.compile(
    rf"(?<![\w.])(?P<number>−?\d+(?:,\d{{3}})*(?:\.\d+)?)(?P<unit> log-odds| points|)|"
    rf"\b[rs]\d+\b|{'|'.join(WORDS)}"
)


class Wrong(Exception):
    """A sentence says something else than its data."""


def compare(text: str, right: list) -> None:
    """The numbers, names and words of a sentence in their order; a number may have its unit."""
    said = list(SAID.finditer(text))
    if len(said) != len(right):
        raise Wrong(f"{[each[0] for each in said]} should be {right}")
    for each, expected in zip(said, right, strict=True):
        if each["number"] is None or isinstance(expected, str):
            is_right = each[0] == expected
        else:
            number, unit = expected if isinstance(expected, tuple) else (expected, "")
            digits = each["number"].replace("−", "-").replace(",", "")
            near = 0.5001 * 10 ** -len(digits.partition(".")[2])  # as the digits that are printed
            is_right = each["unit"] == unit and abs(float(digits) - number) <= near
        if not is_right:
            raise Wrong(f"{each[0]} should be {expected}")


def sizes(low: float, high: float) -> list[float]:
    """Both ends of an interval without their signs, the smaller one first."""
    return sorted((abs(low), abs(high)))


def best(case: Judged, left: np.ndarray) -> str:
    """The system with the best mean; each rater judges each item with each system."""
    part = case.part
    means = np.bincount(part.system.codes[left], part.value[left])
    return part.system.labels[int(np.argmax(means))]


def of_influence(found, case: Judged, unit: str) -> Iterator:
    part, everything = case.part, np.ones(len(case.part), dtype=bool)
    first = found.first if case.relative else best(case, everything)
    for removal in found.removals:
        column = part.rater if removal.units == "raters" else part.item
        gone = np.isin(np.array(column.labels)[column.codes], removal.removed)
        share = float(f"{100 * gone.mean():.2g}")
        yield from (len(removal.removed), len(column.labels), removal.units, share)
        if removal.changes == "first":
            yield removal.b if case.relative else best(case, ~gone)
            yield from (first, "is first")
        else:
            yield from (removal.a, removal.b, "told apart")
    changed = {each.units for each in found.removals if each.changes == "first"}
    kept = [units for units, what in found.searched if what == "first" and units not in changed]
    if kept:
        yield from (" or ".join(kept), first)


def of_moves(ranks: Iterator[tuple[str, int, int]]) -> Iterator:
    changes = sorted((each for each in ranks if each[1] != each[2]), key=lambda each: each[1])
    if not changes:
        yield "is the same"
    for each in changes[:4]:
        yield from each
    if len(changes) > 4:
        yield len(changes) - 4


def of_covariates(found, case: Judged, unit: str) -> Iterator:
    (effect,) = found.effects
    if effect.p < 0.05:
        yield from (effect.sd, effect.name, "better" if effect.effect > 0 else "worse")
        yield from ((abs(effect.effect), unit), *sizes(effect.low, effect.high), ABOUT)
    else:
        yield from (effect.name, effect.sd, effect.low, (effect.high, unit))
    yield effect.name
    yield from of_moves((each.system, each.rank, each.rank_controlled) for each in found.systems)


def of_cycles(found, case: Judged, unit: str) -> Iterator:
    yield comb(len(case.part.system.labels), 3)
    if not found.found:
        yield "none is preferred"
    elif not found.claimed:
        yield found.found
    else:
        yield found.claimed
        yield from (name for step in found.shown[0].steps for name in (step.a, step.b))
        yield ABOUT


def of_order(found, case: Judged, unit: str) -> Iterator:
    for trend in found.trends:
        in_time, is_up = trend.name == ORDER, trend.slope > 0
        is_share = in_time and case.relative
        factor, own = (100, " points") if is_share else (1, unit)
        low, high = factor * trend.low, factor * trend.high
        if trend.p >= 0.05:
            where = [] if in_time else ["place on the screen"]
            yield from (*where, low, (high, own), *(["first screen to the last"] * in_time))
            continue
        how = "better" if is_up else "worse"
        if is_share:
            how = "more often" if is_up else "less often"
        place = ["first screen to the last", how] if in_time else [how, "place on the screen"]
        yield from (*place, (abs(factor * trend.slope), own), *sizes(low, high))
        yield from (*([100] * is_share), ABOUT)
        if not in_time:
            yield from (trend.imbalance, (trend.moved, own))


def of_scale(found, case: Judged, unit: str) -> Iterator:
    part = case.part
    own = [part.value[part.rater.codes == code] for code in range(len(part.rater.labels))]
    spread = [each.std(ddof=1) for each in own]
    yield from (min(spread), max(spread))
    for end in (part.value.min(), part.value.max()):
        yield from (100 * np.mean(part.value == end), end)
    constant = sum(np.ptp(each) == 0 for each in own)
    yield from [constant] * bool(constant)
    yield from of_moves((each.system, each.rank, each.rank_standardised) for each in found.systems)


def of_more(found, case: Judged, unit: str) -> Iterator:
    yield from (len(case.part.rater.labels), len(case.part.item.labels))
    yield from ["shares of the work"] * case.relative
    for size in (found.now, found.twice_raters, found.twice_items):
        if size.half_width is None:
            yield "no interval"
        elif case.scale and size.half_width >= np.ptp(case.part.value):
            yield "no less than the range"
        else:
            yield size.half_width, unit


def of_drift(found, case: Judged, unit: str) -> Iterator:
    moved = [each for each in found.shifts if each.p < 0.05]
    if not moved:
        most = max(found.shifts, key=lambda each: abs(each.shift))
        yield from (len(found.common), most.system, (most.shift, unit), most.low, most.high)
        return
    yield from (1, 2)
    for each in moved:
        yield from (each.system, "up by" if each.shift > 0 else "down by")
        yield from ((abs(each.shift), unit), *sizes(each.low, each.high))
    yield ABOUT


def of_peers(found, case: Judged, unit: str) -> Iterator:
    others = [each.rater for each in found.raters if each.p >= 0.05]
    raters = len(case.part.rater.labels)
    yield from (raters, 40, raters - len(others), *others[:4])
    if len(others) > 4:
        yield len(others) - 4
    if others:
        ranks = ((each.system, each.rank, each.rank_without) for each in found.systems)
        yield from of_moves(ranks)


def of_agreement(found, case: Judged, unit: str) -> Iterator:
    variance = {each.source: each.variance for each in case.generalisability.shares}
    between = variance["system"] + variance["item:system"] + variance["item"]
    within = sum(variance.values()) - between
    yield from (between / (between + within), between**0.5, within**0.5)
    yield np.ptp(case.part.value) / 12**0.5
    if found.cause == "raters":
        yield "raters differ"
    elif found.cause != "none":
        yield from ["outputs are alike"] * (found.cause == "outputs")
        yield 4 * between / (4 * between + within)


def of_assistance(found, case: Judged, unit: str) -> Iterator:
    for each in found.measures:
        is_claimed = each.p < 0.05
        if each.name == "seconds":
            yield from (each.effect, each.low, each.high)
        elif is_claimed:
            yield from ("higher" if each.effect > 0 else "lower", abs(each.effect))
            yield from sizes(each.low, each.high)
        else:
            yield from (each.low, each.high)
        yield from [ABOUT] * is_claimed
    labels = np.array(case.part.factors["assisted"].labels)[case.part.factors["assisted"].codes]
    yield from (sum(labels == "no"), len(np.unique(case.part.rater.codes[labels == "no"])))
    yield sum(labels == "yes")


SAYS = {
    "influence": of_influence, "covariates": of_covariates, "cycles": of_cycles,
    "order": of_order, "scale-use": of_scale, "more-units": of_more, "peers": of_peers,
    "drift": of_drift, "agreement-range": of_agreement, "assistance": of_assistance,
}  # fmt: skip


def with_shares(table, relative: bool) -> Judged:
    case = judged(table, relative=relative)
    codes = (table.system.codes, table.rater.codes, table.item.codes)
    shares = None if relative else generalisability(table.value, *codes)
    return replace(case, generalisability=shares)


@cache
def cases() -> list[tuple[Judged, object]]:
    """Campaigns with everything planted and with nothing, of values and of comparisons."""
    everything = Planted(place=0.4, time=1.0, fatigue=1.5, length=0.6, drift=1.5)
    other_way = Planted(place=-0.4, time=-1.0, fatigue=-1.5, length=-0.6, drift=-1.5)
    made = [
        with_shares(campaign(seed, raters, 16, planted), relative)
        for relative in (False, True)
        for seed, (raters, planted) in enumerate(
            [(12, everything), (12, other_way), (8, Planted()), (4, Planted())]
        )
    ]
    made += [
        with_shares(circle_campaign(1, 24, 10, Planted(circle=circle)), True)
        for circle in (0.0, 1.5)
    ]
    made += [
        with_shares(assisted_campaign(seed, 16, 12, Planted(assistance=effect)), False)
        for seed, effect in enumerate((1.5, -1.5, 0.0))
    ]
    return [(each, robustness_section(each)) for each in made]


def sentences() -> Iterator[tuple[str, str, list]]:
    """Each check's name, its sentence, and what that should say."""
    for case, section in cases():
        for said in said_of(section, "both", 0.05):
            field = {"agreement-range": "agreement"}.get(said.name, said.name.replace("-", "_"))
            unit = " log-odds" if case.relative else ""
            right = SAYS[said.name](getattr(section, field), case, unit)
            yield said.name, said.sentence, list(right)


def test_every_sentence_says_what_its_data_say():
    for _, text, right in sentences():
        compare(text, right)


def test_every_check_is_read():
    assert {name for name, *_ in sentences()} == set(TITLES)


OPPOSITES = (
    ("better", "worse"), ("worse", "better"), (" up by", " down by"), (" down by", " up by"),
    ("no interval", "± 3"), ("more often", "less often"), ("less often", "more often"),
    ("none is preferred", "1 is preferred"), ("higher", "lower"), ("lower", "higher"),
)  # fmt: skip


def test_a_number_or_a_direction_that_were_another_would_be_found():
    missed = []
    for _, text, right in sentences():
        changed = [
            f"{text[: match.start()]}{float(match[0]) + 1:g}{text[match.end() :]}"
            for match in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])", text)
            if not text[match.start() :].startswith("100, ")  # the unit of a share
        ]
        changed += [text.replace(a, b, 1) for a, b in OPPOSITES if a in text]
        for other in changed:
            try:
                compare(other, right)
            except Wrong:
                continue
            missed.append(other)
    assert missed == []


@pytest.mark.parametrize("words", ["is claimed", "claims nothing", "no promise", "upper bound"])
def test_each_check_says_how_often_it_is_wrong_or_that_it_claims_nothing(words):
    rates = [said.rate for _, section in cases() for said in said_of(section, "both", 0.05)]
    assert any(words in rate for rate in rates)
    assert all(
        re.search("is claimed in at most 5 %|claims nothing|no promise|upper bound", rate)
        for rate in rates
    )
