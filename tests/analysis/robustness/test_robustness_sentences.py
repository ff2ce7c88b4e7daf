"""Every sentence about an answer's robustness agrees with its data, whatever the data are.

What a sentence says is read by a pattern, and compared with the judgements or, where a model
computed it, with the numbers of its check. `tests/analysis/report/test_sentences.py` does the same
for the sentences of the answer.
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
NUMBER = r"(−?\d+(?:\.\d+)?)"
UNIT = r"( log-odds| points|)"
RANGE = rf"\({NUMBER} to {NUMBER}{UNIT}"


class Wrong(Exception):
    """A sentence says something else than its data."""


def same(said: object, right: object) -> None:
    if str(said) != str(right):
        raise Wrong(f"{said} should be {right}")


def near(said: str, right: float) -> None:
    """As near as the digits that are printed."""
    places = len(said.partition(".")[2])
    if abs(float(said.replace("−", "-")) - right) > 0.5001 * 10**-places:
        raise Wrong(f"{said} should be {right}")


def read(pattern: str, text: str) -> tuple[str, ...]:
    found = re.fullmatch(pattern, text)
    if found is None:
        raise Wrong(f"No pattern reads: {text}")
    return found.groups()


def ends(low: str, high: str, right: tuple[float, float]) -> None:
    near(low, right[0])
    near(high, right[1])


def sizes(low: float, high: float) -> tuple[float, float]:
    """Both ends of an interval without their signs, the smaller one first."""
    near_end, far_end = sorted((abs(low), abs(high)))
    return near_end, far_end


def best(case: Judged, left: np.ndarray) -> str:
    """The system with the best mean; each rater judges each item with each system."""
    part = case.part
    means = np.bincount(part.system.codes[left], part.value[left])
    return part.system.labels[int(np.argmax(means))]


def about_influence(text: str, found, case: Judged) -> None:
    part, nothing_left = case.part, np.ones(len(case.part), dtype=bool)
    if not case.relative:
        same(found.first, best(case, nothing_left))
    said, units, first = read(
        r"(.*?)(?: ?No set of up to half of the (.+) that influence points to puts another system "
        r"before (.+)\.)?",
        text,
    )
    parts = said.removesuffix(".").split("; ") if said else []
    same(len(parts), len(found.removals))
    for each, removal in zip(parts, found.removals, strict=True):
        number, of, unit, share, ending = read(
            rf"[Ww]ithout (\d+) of (\d+) (raters|items) \({NUMBER} % of the judgements\), (.*)",
            each,
        )
        column = part.rater if unit == "raters" else part.item
        gone = np.isin(np.array(column.labels)[column.codes], removal.removed)
        same((number, of), (str(len(removal.removed)), str(len(column.labels))))
        same(share, f"{100 * gone.mean():.2g}")
        if removal.changes == "first":
            same(ending, f"{removal.b} instead of {removal.a} is first")
            if not case.relative:
                same(removal.b, best(case, ~gone))
        else:
            same(ending, f"{removal.a} and {removal.b} are no longer told apart")
    changed = {each.units for each in found.removals if each.changes == "first"}
    kept = [units for units, what in found.searched if what == "first" and units not in changed]
    same(units or "", " or ".join(kept))
    same(first or "", found.first if kept else "")


def about_moves(text: str, ranks: list[tuple[str, int, int]]) -> None:
    changes = sorted((each for each in ranks if each[1] != each[2]), key=lambda each: each[1])
    if not changes:
        return same(text, "the order of the systems is the same")
    named, more = read(r"ranks change: (.*?)(?: and (\d+) more)?", text)
    same(named, ", ".join(f"{name} from {old} to {new}" for name, old, new in changes[:4]))
    return same(more or 0, max(len(changes) - 4, 0))


def about_covariates(text: str, found, case: Judged) -> None:
    said, names, moves = read(r"(.*) With (.*) held constant, (.*)\.", text)
    same(names, " and ".join(each.name for each in found.effects))
    about_moves(moves, [(each.system, each.rank, each.rank_controlled) for each in found.systems])
    (effect,) = found.effects
    if effect.p < 0.05:
        sd, name, how, size, unit, low, high, rest, about = read(
            rf"Outputs with one SD \({NUMBER}\) more of (\w+) are judged (\w+), by "
            rf"{NUMBER}{UNIT} {RANGE}\), (.*)\.",
            said,
        )
        same((how, rest, about), ("better" if effect.effect > 0 else "worse", "", ABOUT))
        near(size, abs(effect.effect))
        ends(low, high, sizes(effect.low, effect.high))
    else:
        name, sd, low, high, unit = read(
            rf"No effect of (\w+) was found: one SD \({NUMBER}\) changes judgements by {NUMBER} to "
            rf"{NUMBER}{UNIT}\.",
            said,
        )
        ends(low, high, (effect.low, effect.high))
    same((name, unit), (effect.name, " log-odds" if case.relative else ""))
    near(sd, effect.sd)


def about_cycles(text: str, found, case: Judged) -> None:
    triples, rest = read(r"Among (\d+) triples? of systems, (.*)", text)
    same(triples, comb(len(case.part.system.labels), 3))
    if not found.found:
        return same(rest, "none is preferred in a circle.")
    if not found.claimed:
        (number,) = read(r"the majorities of (\d+) go in a circle, but no circle can be .*", rest)
        return same(number, found.found)
    number, verb, *circle, about = read(
        r"(\d+) (is|are) preferred in a circle, such as (\S+) to (\S+), (\S+) to (\S+) and (\S+) "
        r"to (\S+), (.*)\. No ranking can show this: .*",
        rest,
    )
    same((number, verb), (str(found.claimed), "is" if found.claimed == 1 else "are"))
    same(circle, [name for step in found.shown[0].steps for name in (step.a, step.b)])
    return same(about, ABOUT)


def about_order(text: str, found, case: Judged) -> None:
    for trend in found.trends:
        pattern = r"(?:No effect|An output|From a rater).*?\."
        sentence, text = read(rf"({pattern}(?: Mean places .*?\.)?)(?: (?=[NAF])(.*))?", text)
        about_trend(sentence, trend, case)
        text = text or ""
    same(text, "")


def about_trend(text: str, trend, case: Judged) -> None:
    in_time = trend.name == ORDER
    factor, unit = (100, " points") if in_time and case.relative else (1, "")
    unit = unit or (" log-odds" if case.relative else "")
    low, high = factor * trend.low, factor * trend.high
    if trend.p >= 0.05:
        what, *said, per = read(rf"No effect of (.*) was found {RANGE} (.*)\)\.", text)
        same(what, "the time in a rater's work" if in_time else "the place on the screen")
        same(per, "from the first screen to the last" if in_time else "a place")
        ends(*said[:2], (low, high))
        return same(said[2], unit)
    how = "better" if trend.slope > 0 else "worse"
    if not in_time:
        way, *said, most, moved, last = read(
            rf"An output is judged (\w+) with every later place on the screen, by {NUMBER}{UNIT} "
            rf"{RANGE}\), {ABOUT}\. Mean places of systems differ by at most {NUMBER}, which moves "
            rf"no difference of two systems by more than {NUMBER}{UNIT}\.",
            text,
        )
        near(most, trend.imbalance)
        near(moved, trend.moved)
        same(last, unit)
    elif case.relative:
        how = "more" if trend.slope > 0 else "less"
        way, *said = read(
            r"From a rater's first screen to the last, comparisons go with the ranking (\w+) "
            rf"often, by {NUMBER}{UNIT} {RANGE}\) of 100, {ABOUT}\.",
            text,
        )
    else:
        way, *said = read(
            r"From a rater's first screen to the last, outputs are judged (\w+), by "
            rf"{NUMBER}{UNIT} {RANGE}\), {ABOUT}\.",
            text,
        )
    same((way, said[1]), (how, unit))
    near(said[0], abs(factor * trend.slope))
    return ends(said[2], said[3], sizes(low, high))


def about_scale(text: str, found, case: Judged) -> None:
    part = case.part
    low, high, *at, constant, moves = read(
        rf"The SDs of raters' values run from {NUMBER} to {NUMBER}; (\d+) % of all values are the "
        rf"lowest \({NUMBER}\) and (\d+) % the highest \({NUMBER}\)\.(?: (\d+) raters? gives? "
        r"every output the same value\.)? With the values of each rater standardised, (.*)\.",
        text,
    )
    own = [part.value[part.rater.codes == code] for code in range(len(part.rater.labels))]
    ends(low, high, (min(each.std(ddof=1) for each in own), max(each.std(ddof=1) for each in own)))
    least, most = part.value.min(), part.value.max()
    near(at[0], 100 * np.mean(part.value == least))
    near(at[1], least)
    near(at[2], 100 * np.mean(part.value == most))
    near(at[3], most)
    same(constant or 0, sum(np.ptp(each) == 0 for each in own))
    about_moves(moves, [(each.system, each.rank, each.rank_standardised) for each in found.systems])


def is_beyond_the_scale(half_width: float, case: Judged) -> bool:
    """Whether two systems cannot be so far apart, because no two values are."""
    return case.scale and half_width >= np.ptp(case.part.value)


def about_more(text: str, found, case: Judged) -> None:
    width = r"(?:± (\S+)|no interval|no less than the range of all values)(| log-odds)"
    raters, items, shares, *said = read(
        r"If every rater judged every item, (\d+) raters and (\d+) items( \(.*\))? would give "
        rf"differences of two systems within {width}; twice the raters {width}, twice the "
        rf"items {width}\.",
        text,
    )
    part = case.part
    same(shares is not None, case.relative)
    same((raters, items), (str(len(part.rater.labels)), str(len(part.item.labels))))
    for size, number, unit in zip(
        (found.now, found.twice_raters, found.twice_items), said[::2], said[1::2], strict=True
    ):
        same(number is None, size.half_width is None or is_beyond_the_scale(size.half_width, case))
        same(unit, " log-odds" if case.relative and number else "")
        if number:
            near(number, size.half_width)


def about_drift(text: str, found, case: Judged) -> None:
    unit = " log-odds" if case.relative else ""
    moved = [each for each in found.shifts if each.p < 0.05]
    if not moved:
        most = max(found.shifts, key=lambda each: abs(each.shift))
        common, system, *said = read(
            r"None of (\d+) systems that were judged under every version was found to have moved "
            rf"against the others; most moved (\S+), by {NUMBER}{UNIT} {RANGE}\)\.",
            text,
        )
        same((common, system, said[1]), (str(len(found.common)), most.system, unit))
        near(said[0], most.shift)
        return ends(said[2], said[3], (most.low, most.high))
    (shifts,) = read(
        r"Against the other common systems there moved between versions 1 and 2: "
        rf"(.*), {ABOUT}\.",
        text,
    )
    said = shifts.split(", ")
    same(len(said), len(moved))
    for each, shift in zip(said, moved, strict=True):
        system, way, *size = read(rf"(\S+) (up|down) by {NUMBER}{UNIT} {RANGE}\)", each)
        same((system, way), (shift.system, "up" if shift.shift > 0 else "down"))
        near(size[0], abs(shift.shift))
        same(size[1], unit)
        ends(size[2], size[3], sizes(shift.low, shift.high))
    return None


def about_peers(text: str, found, case: Judged) -> None:
    number, agree, rest = read(
        r"Of (\d+) raters with 40 or more outputs that others judged, too, (\d+) agrees? with the "
        r"others more than answers by chance would\.(.*)",
        text,
    )
    others = [each.rater for each in found.raters if each.p >= 0.05]
    same((number, agree), (str(len(case.part.rater.labels)), str(int(number) - len(others))))
    if not others:
        return same(rest, "")
    names, moves = read(r" It cannot be shown of (.*); by the other raters alone, (.*)\.", rest)
    more = f" and {len(others) - 4} more" if len(others) > 4 else ""
    same(names, ", ".join(others[:4]) + more)
    return about_moves(
        moves, [(each.system, each.rank, each.rank_without) for each in found.systems]
    )


def about_agreement(text: str, found, case: Judged) -> None:
    r, outputs, raters, guessing, rest = read(
        rf"Two raters' values for an output correlate by {NUMBER}: outputs differ by an SD of "
        rf"{NUMBER}, raters on the same output by {NUMBER} \(answers at random by {NUMBER}\)\.(.*)",
        text,
    )
    variance = {each.source: each.variance for each in case.generalisability.shares}
    whole, between = sum(variance.values()), variance["system"] + variance["item:system"]
    between += variance["item"]
    near(r, between / whole)
    near(outputs, between**0.5)
    near(raters, (whole - between) ** 0.5)
    near(guessing, np.ptp(case.part.value) / 12**0.5)
    if found.cause in ("none", "raters"):
        return same("raters differ" in rest, found.cause == "raters")
    why, doubled = read(
        rf"( This is low because the outputs are alike, .*:)? [Oo]n outputs that differ twice as "
        rf"much, the same raters would reach {NUMBER}\.",
        rest,
    )
    same(bool(why), found.cause == "outputs")
    return near(doubled, 4 * between / (4 * between + whole - between))


def about_assistance(text: str, found, case: Judged) -> None:
    for each in found.measures:
        sentence, text = read(r"((?:With|No effect)[^.]*(?:\.\d[^.]*)*\.) (.*)", text)
        about_measure(sentence, each)
    held_out, raters, assisted = read(
        r"Compared are ([\d,]+) screens of (\d+) raters that were drawn to have no suggestions, "
        r"and ([\d,]+) that had them\.",
        text,
    )
    labels = np.array(case.part.factors["assisted"].labels)[case.part.factors["assisted"].codes]
    same(held_out, f"{sum(labels == 'no'):,}")
    same(assisted, f"{sum(labels == 'yes'):,}")
    same(raters, len(np.unique(case.part.rater.codes[labels == "no"])))


def about_measure(text: str, each) -> None:
    if each.name == "seconds":
        if each.p < 0.05:
            *said, about = read(
                rf"With suggestions, screens take {NUMBER} times as long {RANGE}\), (.*)\.", text
            )
            same(about, ABOUT)
        else:
            said = read(
                r"No effect of suggestions on the time was found: screens take "
                rf"{NUMBER} times as long {RANGE}\)\.",
                text,
            )
        near(said[0], each.effect)
        return ends(said[1], said[2], (each.low, each.high))
    if each.p >= 0.05:
        low, high, _ = read(rf"No effect of suggestions on the values was found {RANGE}\)\.", text)
        return ends(low, high, (each.low, each.high))
    way, size, _, low, high, _, about = read(
        rf"With suggestions, values are (\w+), by {NUMBER}{UNIT} {RANGE}\), (.*)\.", text
    )
    same((way, about), ("higher" if each.effect > 0 else "lower", ABOUT))
    near(size, abs(each.effect))
    return ends(low, high, sizes(each.low, each.high))


READ = {
    "influence": about_influence, "covariates": about_covariates, "cycles": about_cycles,
    "order": about_order, "scale-use": about_scale, "more-units": about_more,
    "peers": about_peers, "drift": about_drift, "agreement-range": about_agreement,
    "assistance": about_assistance,
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


def sentences() -> Iterator[tuple[str, str, object, Judged]]:
    for case, section in cases():
        for said in said_of(section, "both", 0.05):
            field = {"agreement-range": "agreement"}.get(said.name, said.name.replace("-", "_"))
            yield said.name, said.sentence, getattr(section, field), case


def test_every_sentence_says_what_its_data_say():
    for name, text, found, case in sentences():
        READ[name](text, found, case)


def test_every_check_is_read():
    assert {name for name, *_ in sentences()} == set(TITLES)


OPPOSITES = (
    ("better", "worse"), ("worse", "better"), (" up by", " down by"), (" down by", " up by"),
    ("no interval", "± 3"), ("more often", "less often"), ("less often", "more often"),
    ("none is preferred", "1 is preferred"), ("higher", "lower"), ("lower", "higher"),
)  # fmt: skip


def test_a_number_or_a_direction_that_were_another_would_be_found():
    missed = []
    for name, text, found, case in sentences():
        changed = [
            f"{text[: match.start()]}{float(match[0]) + 1:g}{text[match.end() :]}"
            for match in re.finditer(r"(?<![\w.])\d+(?:\.\d+)?(?![\w])", text)
            if not text[match.start() :].startswith("100, ")  # the unit of a share
        ]
        changed += [text.replace(a, b, 1) for a, b in OPPOSITES if a in text]
        for other in changed:
            try:
                READ[name](other, found, case)
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
