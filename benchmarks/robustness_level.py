"""False claims of the robustness checks of a report, and what they find.

Run: python benchmarks/robustness_level.py [--campaigns N] [--checks cycles,drift]

Every rater judges every item on one screen of all systems. Raters and items have tastes; raters
also differ in what a place, a length, the time or another version does to them, and in which of two
systems they prefer, with a mean of nothing. `false`:
share of campaigns in which a check claims what is not there, at .05. `independent`: the same if
every judgement is taken for a rater and an item of its own (the control; of suggestions: if screens
are taken for independent within raters). `found`: the share in
which it claims what was planted: preferences in a circle, .3 SD a place, 1 SD over a rater's work,
raters who no longer tell systems apart at its end, .5 SD for an SD of length, 1.5 SD of drift,
and suggestions that raise values by .5 SD and shorten the time by a quarter.
Empty cells are refused, or have no control. For circles, screens show two systems, and three of
the five are equal: nothing can be closer to a circle.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analysis import JudgementTable  # noqa: E402
from analysis.errors import RankingError, Undefined  # noqa: E402
from analysis.report.options import ReportOptions  # noqa: E402
from analysis.report.robustness_section import (  # noqa: E402
    Judged,
    assistance_of,
    covariates_of,
    cycles_of,
    drift_of,
    order_of,
)

CELLS = ((3, 12), (5, 12), (8, 12), (8, 40), (24, 12), (24, 40))
SYSTEMS = 5
TASTE, SLOPE = 0.5, 0.3


@dataclass(frozen=True)
class Planted:
    """How large each of the effects is, in SDs of the residual."""

    circle: float = 0.0
    place: float = 0.0
    time: float = 0.0
    fatigue: float = 0.0
    length: float = 0.0
    drift: float = 0.0
    assistance: float = 0.0


def campaign(seed: int, raters: int, items: int, planted: Planted) -> JudgementTable:
    """Simulate one campaign of systems that differ by a third of an SD from one to the next."""
    rng = np.random.default_rng([seed, raters, items])
    rater, item, system = (each.ravel() for each in np.indices((raters, items, SYSTEMS)))
    position = np.argsort(np.argsort(rng.random((raters, items, SYSTEMS)), axis=2), axis=2).ravel()
    order = np.argsort(np.argsort(rng.random((raters, items)), axis=1), axis=1)
    length = rng.normal(size=(items, SYSTEMS)) + np.arange(SYSTEMS) / 2
    share = order[rater, item] / max(items - 1, 1)
    late = order[rater, item] >= items / 2
    value = rng.normal(size=len(rater)) + system / 3 + rng.normal(size=raters)[rater]
    value += TASTE * rng.normal(size=(raters, SYSTEMS))[rater, system]
    value += TASTE * rng.normal(size=(items, SYSTEMS))[item, system]
    value += planted.place * position + planted.length * length[item, system]
    value += planted.time * share - planted.fatigue * share * system / 3
    value += planted.drift * (late & (system == 0))
    slopes = rng.normal(size=(3, raters))[:, rater] * SLOPE
    value += slopes[0] * (position - 2) / 2 + slopes[1] * length[item, system] + slopes[2] * share
    value += SLOPE * rng.normal(size=(raters, SYSTEMS))[rater, system] * late
    return _table(
        {"rater": rater, "item": item, "system": system},
        screen=rater * items + item,
        value=value,
        position=position + 1,
        order=order[rater, item] + 1,
        length=np.round(length[item, system], 3),
        version=np.where(late, 2, 1),
    )


def circle_campaign(seed: int, raters: int, items: int, planted: Planted) -> JudgementTable:
    """Simulate screens of two systems; of the first three, each may be preferred to the next."""
    rng = np.random.default_rng([seed, raters, items])
    first, second = np.triu_indices(SYSTEMS, 1)
    rater, item, pair, side = (each.ravel() for each in np.indices((raters, items, len(first), 2)))
    system = np.where(side == 0, first[pair], second[pair])
    value = rng.normal(size=len(rater)) + 1.5 * np.maximum(system - 2, 0)
    value += TASTE * rng.normal(size=(items, SYSTEMS))[item, system]
    value += rng.normal(size=(raters, len(first)))[rater, pair] * (0.5 - side)
    ahead = np.where((first == 0) & (second == 2), -1, 1)[pair] * (second[pair] < 3)
    value += planted.circle * np.where(side == 0, ahead, -ahead)
    screen = (rater * items + item) * len(first) + pair
    return _table({"rater": rater, "item": item, "system": system}, screen=screen, value=value)


def assisted_campaign(seed: int, raters: int, items: int, planted: Planted) -> JudgementTable:
    """Simulate screens of one output, a tenth of them without the suggestions that it has.

    Suggestions do something else to each rater and for each output, in values and in time.
    """
    rng = np.random.default_rng([seed, raters, items])
    rater, item, system = (each.ravel() for each in np.indices((raters, items, SYSTEMS)))
    rank = np.argsort(np.argsort(rng.random((raters, items * SYSTEMS)), axis=1), axis=1).ravel()
    assisted = rank >= max(items * SYSTEMS // 10, 1)
    helped = np.zeros((2, len(rater)))
    for own in helped:
        own += TASTE * rng.normal(size=raters)[rater]
        own += TASTE * rng.normal(size=(items, SYSTEMS))[item, system]
    value = rng.normal(size=len(rater)) + system / 3 + rng.normal(size=raters)[rater]
    value += TASTE * rng.normal(size=(raters, SYSTEMS))[rater, system]
    value += TASTE * rng.normal(size=(items, SYSTEMS))[item, system]
    value += (planted.assistance + helped[0]) * assisted
    log_seconds = 3 + 0.5 * rng.normal(size=len(rater)) + 0.5 * rng.normal(size=raters)[rater]
    log_seconds += (helped[1] - planted.assistance) / 2 * assisted
    return _table(
        {"rater": rater, "item": item, "system": system},
        screen=np.arange(len(rater)),
        value=value,
        assisted=np.where(assisted, "yes", "no"),
        screen_ms=np.round(1000 * np.exp(log_seconds)),
    )


def _table(codes: dict[str, np.ndarray], **columns: np.ndarray) -> JudgementTable:
    values = np.round(columns.pop("value") * 2) / 2
    labels = {name: np.char.add(name[0], each.astype(str)) for name, each in codes.items()}
    factors = {name: each.astype(str) for name, each in columns.items()}
    return JudgementTable.from_columns(
        {**labels, "criterion": ["quality"] * len(values), "value": values, **factors}
    )


def judged(table: JudgementTable, *, relative: bool) -> Judged:
    """Prepare a table as a report does."""
    options = ReportOptions(covariates=("length",) if "length" in table.factors else ())
    return Judged(
        table, options, higher=True, relative=relative, scale=not relative,
        unit="log-odds" if relative else "value",
    )  # fmt: skip


def independent(case: Judged) -> Judged:
    """Take each judgement (each screen, where screens are compared) as a rater and an item."""
    part = case.part
    return replace(case, part=replace(part, rater=part.screen, item=part.screen))


def of_screens(case: Judged) -> Judged:
    """Take each screen for an item and claims as about items, so that raters are ignored."""
    options = replace(case.options, generality="items")
    return replace(case, part=replace(case.part, item=case.part.screen), options=options)


@dataclass(frozen=True)
class Check:
    """What a check claims of a campaign, and what is planted for it."""

    name: str
    claims: Callable[[Judged], bool]
    planted: Planted
    relative: bool
    campaign: Callable[[int, int, int, Planted], JudgementTable] = campaign
    control: Callable[[Judged], Judged] = independent


def order_claim(name: str) -> Callable[[Judged], bool]:
    def claims(case: Judged) -> bool:
        return any(each.name == name and each.p < 0.05 for each in order_of(case).trends)

    return claims


def checks() -> list[Check]:
    of_both = [
        ("place on screen", order_claim("position"), Planted(place=0.3)),
        ("length", lambda case: covariates_of(case).effects[0].p < 0.05,
         Planted(length=0.5)),
        ("drift", lambda case: any(each.p < 0.05 for each in drift_of(case).shifts),
         Planted(drift=1.5)),
    ]  # fmt: skip
    found = [
        Check("circles", lambda case: cycles_of(case).claimed > 0, Planted(circle=1.5), True,
              circle_campaign)
    ]  # fmt: skip
    for relative in (False, True):
        kind = "comparisons" if relative else "values"
        found += [
            Check(f"{name}, {kind}", claims, what, relative) for name, claims, what in of_both
        ]
    found.append(
        Check(
            "suggestions", lambda case: any(one.p < 0.05 for one in assistance_of(case).measures),
            Planted(assistance=0.5), False, assisted_campaign, of_screens,
        )
    )  # fmt: skip
    found.append(Check("time, values", order_claim("order"), Planted(time=1.0), False))
    found.append(Check("time, comparisons", order_claim("order"), Planted(fatigue=1.0), True))
    return found


def claimed(check: Check, case: Judged) -> bool | None:
    """What a check claims; None where it gives a reason instead."""
    try:
        return check.claims(case)
    except (Undefined, RankingError):
        return None


def share(answers: list[bool | None]) -> str:
    known = [each for each in answers if each is not None]
    return f"{np.mean(known):.3f}" if known else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=200)
    parser.add_argument("--checks", default="", help="beginnings of names, with commas")
    options = parser.parse_args()
    wanted = tuple(options.checks.split(",")) if options.checks else ("",)
    print("| check | raters | items | false | independent | found |\n|" + " --- |" * 6)
    for check in checks():
        if not check.name.startswith(wanted):
            continue
        for raters, items in CELLS:
            false, control, found = [], [], []
            for seed in range(options.campaigns):
                case = judged(
                    check.campaign(seed, raters, items, Planted()), relative=check.relative
                )
                false.append(claimed(check, case))
                if seed < options.campaigns // 4:
                    control.append(claimed(check, check.control(case)))
                    table = check.campaign(seed, raters, items, check.planted)
                    found.append(claimed(check, judged(table, relative=check.relative)))
            numbers = " | ".join(map(share, (false, control, found)))
            print(f"| {check.name} | {raters} | {items} | {numbers} |", flush=True)


if __name__ == "__main__":
    main()
