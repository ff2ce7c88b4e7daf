"""What each check of a report's robustness found, in a sentence, and how often it is wrong."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any

from analysis.inference import beyond
from analysis.report.robustness_section import RobustnessSection
from analysis.robustness.agreement_range import AgreementRange
from analysis.robustness.assistance import SECONDS, Assistance, Measure
from analysis.robustness.covariates import ControlledRanking, Effect
from analysis.robustness.cycles import Cycles
from analysis.robustness.drift import Drift, Shift
from analysis.robustness.influence import Influence, Removal
from analysis.robustness.more_units import MoreUnits, Size
from analysis.robustness.order_effects import OrderEffects, Trend
from analysis.robustness.peer_agreement import FEWEST_OUTPUTS, PeerAgreement
from analysis.robustness.scale_use import ScaleUse
from analysis.table import ORDER
from analysis.translatable import gettext_noop as _

# The checks in their order, with their titles.
TITLES = {
    "influence": _("How few raters or items the answer depends on"),
    "covariates": _("Length and other properties held constant"),
    "cycles": _("Circles of preference"),
    "order": _("Order on the screen and in time"),
    "scale-use": _("How raters use the scale"),
    "peers": _("Agreement with other raters beyond chance"),
    "more-units": _("What more raters or items would give"),
    "drift": _("Systems of before and after the campaign was extended"),
    "agreement-range": _("Agreement, and how far the outputs differ"),
    "assistance": _("What suggestions do to the answers"),
}
MOST_NAMED = 4
DESCRIBES = "This describes these judgements and claims nothing."
# How often the sentence of a check is wrong.
RATES = {
    "influence": "A refit has shown what each set changes. Its size is an upper bound: a smaller "
    "set that influence does not point to may do the same.",
    "covariates": "An effect that does not exist is claimed in at most {share} of campaigns. The "
    "order with properties held constant describes and claims nothing: the length of its texts "
    "belongs to a system, so that this order is not a fairer one.",
    "cycles": "A circle that does not exist is claimed in at most {share} of campaigns, for all "
    "systems together.",
    "order": "A trend that does not exist is claimed in at most {share} of campaigns, for all "
    "trends together.",
    "scale-use": DESCRIBES,
    # The numbers are from `benchmarks/peer_agreement.py`.
    "peers": "Agreement of a rater whose answers do not depend on the outputs is claimed in at "
    "most {share} of cases. The reverse does not hold: of simulated careful raters with 40 "
    "outputs, 5 in 100 were not found to agree, and 31 in 100 where most answers are the same. "
    "Raters who all go by something else, or use one program, agree, too. Nobody is excluded by "
    "it.",
    "more-units": "This is a plan and no promise: it takes the variances of this campaign for "
    "those of the next, and few raters or items say little about them.",
    "drift": "A shift that does not exist is claimed in at most {share} of campaigns, for all "
    "systems and versions together. Where none is found, smaller ones remain possible. Shifts are "
    "against the mean of the systems, so that one that rises moves the others down.",
    "agreement-range": DESCRIBES,
    "assistance": "An effect that does not exist is claimed in at most {share} of campaigns, for "
    "all measures together. This is about raters like these with these suggestions: others may do "
    "something else. It does not say which answers are right.",
}


@dataclass(frozen=True)
class Said:
    """One check in words: what it found, and how often such a sentence is wrong."""

    name: str
    sentence: str
    rate: str

    @property
    def title(self) -> str:
        return TITLES[self.name]


def said_of(section: RobustnessSection, generality: str, alpha: float) -> Iterator[Said]:
    """Put every check that has a result into words.

    Parameters
    ----------
    section : of one criterion
    generality : what claims are about
    alpha : level of each check
    """
    sentences: dict[str, Callable[[Any], str]] = {
        "influence": _about_influence,
        "covariates": partial(_about_covariates, about=beyond(generality)),
        "cycles": partial(_about_cycles, about=beyond(generality)),
        "order": partial(_about_order, about=beyond(generality)),
        "scale-use": _about_scale,
        "peers": _about_peers,
        "more-units": partial(_about_more, used=section.scale_use),
        "drift": partial(_about_drift, about=beyond(generality)),
        "agreement-range": _about_agreement,
        "assistance": partial(_about_assistance, about=beyond(generality)),
    }
    share = f"{100 * alpha:.3g} %"
    for name, found in section.results().items():
        yield Said(name, sentences[name](found), RATES[name].format(share=share))


# --- influence -------------------------------------------------------------------------------


def _about_influence(found: Influence) -> str:
    said = [_removal(each) for each in found.removals]
    of_first = {each.units for each in found.removals if each.changes == "first"}
    unchanged = [
        units for units, changes in found.searched if changes == "first" and units not in of_first
    ]
    sentence = f"{'; '.join(said)}." if said else ""
    if unchanged:
        sentence += (
            f" No set of up to half of the {' or '.join(unchanged)} that influence points to puts "
            f"another system before {found.first}."
        )
    return (sentence[:1].upper() + sentence[1:]).strip()


def _removal(found: Removal) -> str:
    number, units = len(found.removed), found.units
    share = f"{100 * found.share:.2g} % of the judgements"
    left = f"without {number} of {found.of} {units} ({share})"
    if found.changes == "first":
        return f"{left}, {found.b} instead of {found.a} is first"
    return f"{left}, {found.a} and {found.b} are no longer told apart"


# --- properties of outputs -------------------------------------------------------------------


def _about_covariates(found: ControlledRanking, about: str) -> str:
    said = [_effect(each, found.unit, found.alpha, about) for each in found.effects]
    names = " and ".join(each.name for each in found.effects)
    ranks = [(each.system, each.rank, each.rank_controlled) for each in found.systems]
    return f"{' '.join(said)} With {names} held constant, {_moved(ranks)}."


def _effect(each: Effect, unit: str, alpha: float, about: str) -> str:
    unit = _units(unit)
    if each.p < alpha:
        better = "better" if each.effect > 0 else "worse"
        low, high = sorted((abs(each.low), abs(each.high)))
        return (
            f"Outputs with one SD ({_short(each.sd)}) more of {each.name} are judged {better}, by "
            f"{_short(abs(each.effect))}{unit} ({_short(low)} to {_short(high)}), {about}."
        )
    return (
        f"No effect of {each.name} was found: one SD ({_short(each.sd)}) changes judgements by "
        f"{_short(each.low)} to {_short(each.high)}{unit}."
    )


def _moved(ranks: Sequence[tuple[str, int, int]]) -> str:
    changes = sorted((each for each in ranks if each[1] != each[2]), key=lambda each: each[1])
    if not changes:
        return "the order of the systems is the same"
    named = ", ".join(f"{name} from {old} to {new}" for name, old, new in changes[:MOST_NAMED])
    more = len(changes) - MOST_NAMED
    return f"ranks change: {named}{f' and {more} more' if more > 0 else ''}"


def _units(unit: str) -> str:
    return {"value": "", "log-odds": " log-odds", "logarithm": " in logarithms"}.get(
        unit, f" {unit}"
    )


def _short(number: float) -> str:
    """Write a number with two digits that count, at most three decimals, and no exponent."""
    if not number:
        return "0"
    digits = min(max(1 - math.floor(math.log10(abs(number))), 0), 3)
    return f"{number:.{digits}f}".replace("-", "−")


# --- circles ---------------------------------------------------------------------------------


def _about_cycles(found: Cycles, about: str) -> str:
    triples = f"{found.triples} {'triple' if found.triples == 1 else 'triples'} of systems"
    if not found.found:
        return f"Among {triples}, none is preferred in a circle."
    if not found.claimed:
        return (
            f"Among {triples}, the majorities of {found.found} go in a circle, but no circle can "
            "be claimed: systems that are alike make circles by chance."
        )
    a, b, c = (step.a for step in found.shown[0].steps)
    return (
        f"Among {triples}, {found.claimed} {'is' if found.claimed == 1 else 'are'} preferred in a "
        f"circle, such as {a} to {b}, {b} to {c} and {c} to {a}, {about}. No ranking can show "
        "this: their order depends on which systems they are compared with."
    )


# --- order -----------------------------------------------------------------------------------


def _about_order(found: OrderEffects, about: str) -> str:
    return " ".join(_trend(each, found, about) for each in found.trends)


def _trend(each: Trend, found: OrderEffects, about: str) -> str:
    in_time = each.name == ORDER
    is_share = in_time and found.unit == "log-odds"
    factor, unit = (100, " points") if is_share else (1, _units(found.unit))
    low, high = factor * each.low, factor * each.high
    if each.p >= found.alpha:
        what = "the time in a rater's work" if in_time else "the place on the screen"
        per = "from the first screen to the last" if in_time else "a place"
        return f"No effect of {what} was found ({_short(low)} to {_short(high)}{unit} {per})."
    near, far = sorted((abs(low), abs(high)))
    size = f"{_short(abs(factor * each.slope))}{unit} ({_short(near)} to {_short(far)})"
    if is_share:
        more = "more" if each.slope > 0 else "less"
        return (
            f"From a rater's first screen to the last, comparisons go with the ranking {more} "
            f"often, by {size} of 100, {about}."
        )
    better = "better" if each.slope > 0 else "worse"
    if in_time:
        return (
            f"From a rater's first screen to the last, outputs are judged {better}, by {size}, "
            f"{about}."
        )
    return (
        f"An output is judged {better} with every later place on the screen, by {size}, {about}. "
        f"Mean places of systems differ by at most {_short(each.imbalance)}, which moves no "
        f"difference of two systems by more than {_short(each.moved)}{unit}."
    )


# --- the scale, peers, more units, versions, agreement ---------------------------------------


def _about_scale(found: ScaleUse) -> str:
    widest, narrowest = found.raters[0].sd, found.raters[-1].sd
    ranks = [(each.system, each.rank, each.rank_standardised) for each in found.systems]
    same = ""
    if found.constant:
        gave = "1 rater gives" if found.constant == 1 else f"{found.constant} raters give"
        same = f" {gave} every output the same value."
    return (
        f"The SDs of raters' values run from {_short(narrowest)} to {_short(widest)}; "
        f"{100 * found.at_lowest:.0f} % of all values are the lowest ({_short(found.lowest)}) and "
        f"{100 * found.at_highest:.0f} % the highest ({_short(found.highest)}).{same} With the "
        f"values of each rater standardised, {_moved(ranks)}."
    )


def _about_peers(found: PeerAgreement) -> str:
    number, others = len(found.raters), found.others
    agree = number - len(others)
    raters = (
        f"{number} {'rater' if number == 1 else 'raters'} with {FEWEST_OUTPUTS} or more outputs"
    )
    fewer = f" {found.too_few} more have fewer, and are not scored." if found.too_few else ""
    said = (
        f"Of {raters} that others judged, too, {agree} {'agrees' if agree == 1 else 'agree'} with "
        f"the others more than answers by chance would.{fewer}"
    )
    if not others:
        return said
    names = _listed([each.rater for each in others])
    if found.undefined:
        return f"{said} It cannot be shown of {names}. {found.undefined}"
    ranks = [(each.system, each.rank, each.rank_without) for each in found.systems]
    return f"{said} It cannot be shown of {names}; by the other raters alone, {_moved(ranks)}."


def _about_more(found: MoreUnits, used: ScaleUse | None) -> str:
    unit = _units(found.unit)
    widest = used.highest - used.lowest if used else math.inf

    def width(size: Size) -> str:
        if size.half_width is None:
            return "no interval"
        if size.half_width >= widest:
            return "no less than the range of all values"
        return f"± {_short(size.half_width)}{unit}"

    now = found.now
    # Of comparisons, raters and items with little work count for less: the effective numbers.
    shares = " (this campaign's, counted by their shares of the work)"
    return (
        f"If every rater judged every item, {now.raters} raters and {now.items} items"
        f"{shares if found.unit == 'log-odds' else ''} would give differences of two "
        f"systems within {width(now)}; twice the raters {width(found.twice_raters)}, twice "
        f"the items {width(found.twice_items)}."
    )


def _about_drift(found: Drift, about: str) -> str:
    unit = _units(found.unit)
    moved = [each for each in found.shifts if each.p < found.alpha]
    joined = f" Not judged under every version: {_listed(found.joined)}." if found.joined else ""
    if not moved:
        most = max(found.shifts, key=lambda each: abs(each.shift))
        return (
            f"None of {len(found.common)} systems that were judged under every version was found "
            f"to have moved against the others; most moved {most.system}, by "
            f"{_short(most.shift)}{unit} ({_short(most.low)} to {_short(most.high)}).{joined}"
        )
    by_version = groupby(moved, key=lambda each: each.version)
    said = "; ".join(
        f"between versions {found.versions[0]} and {version}: "
        f"{', '.join(_shift(each, unit) for each in rows)}"
        for version, rows in by_version
    )
    if joined:
        joined += " Their differences from the others depend on the version."
    return f"Against the other common systems there moved {said}, {about}.{joined}"


def _shift(each: Shift, unit: str) -> str:
    direction = "up" if each.shift > 0 else "down"
    low, high = sorted((abs(each.low), abs(each.high)))
    size = f"{_short(abs(each.shift))}{unit} ({_short(low)} to {_short(high)})"
    return f"{each.system} {direction} by {size}"


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def _about_agreement(found: AgreementRange) -> str:
    both = (
        f"Two raters' values for an output correlate by {found.agreement:.2f}: outputs differ by "
        f"an SD of {_short(found.outputs)}, raters on the same output by {_short(found.raters)} "
        f"(answers at random by {_short(found.guessing)})."
    )
    if found.cause == "none":
        return both
    if found.cause == "raters":
        return f"{both} This is low because raters differ nearly as much as such answers would."
    why = ""
    if found.cause == "outputs":
        why = " This is low because the outputs are alike, not because raters answer at random:"
    return (
        f"{both}{why} {'o' if why else 'O'}n outputs that differ twice as much, the same raters "
        f"would reach {found.if_doubled:.2f}."
    )


# --- suggestions -----------------------------------------------------------------------------


def _about_assistance(found: Assistance, about: str) -> str:
    screens = f"{found.held_out:,} {'screen' if found.held_out == 1 else 'screens'}"
    compared = (
        f"Compared are {screens} of {found.raters} raters that were drawn to have no suggestions, "
        f"and {found.assisted:,} that had them."
    )
    said = [_measured(each, found, about) for each in found.measures]
    refused = [f"No estimate of {reason}" for reason in found.refused]
    return " ".join([*said, compared, *refused])


def _measured(each: Measure, found: Assistance, about: str) -> str:
    unit = _units(found.unit) if each.name == "value" else ""
    interval = f"{_short(each.low)} to {_short(each.high)}{unit}"
    if each.name == SECONDS:
        ratio = f"{_short(each.effect)} times as long ({interval})"
        if each.p >= found.alpha:
            return f"No effect of suggestions on the time was found: screens take {ratio}."
        return f"With suggestions, screens take {ratio}, {about}."
    if each.p >= found.alpha:
        what = {"value": "values", "marks": "number of marks"}[each.name]
        return f"No effect of suggestions on the {what} was found ({interval})."
    near, far = sorted((abs(each.low), abs(each.high)))
    size = f"by {_short(abs(each.effect))}{unit} ({_short(near)} to {_short(far)}), {about}"
    if each.name == "marks":
        return f"With suggestions, raters mark {'more' if each.effect > 0 else 'fewer'}, {size}."
    return f"With suggestions, values are {'higher' if each.effect > 0 else 'lower'}, {size}."
