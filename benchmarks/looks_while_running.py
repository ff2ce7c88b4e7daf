"""Ever-wrong claims and savings of campaigns that are looked at while they run.

Run: python benchmarks/looks_while_running.py [--campaigns N] [--part wrong|controls|saving|real]
         [--only NAME]

`wrong`: the share of campaigns of equal systems in which any look tells any two apart. Raters
differ in their tastes, and so do items: claims of the generality `raters` are about these items,
whose tastes cancel, and those of `both` about all items. `controls`: the same with an order or a
test that looks must not have, and bets that are taken to be about new items. `saving`: raters until
a look proposes to stop, of those that a fixed plan needs for about 80 % power. `real`: as `wrong`,
with raters drawn from the E2E challenge's quality ratings (`../shared/data/e2e-eval`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import scipy

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from analysis import Column, JudgementTable, read_table  # noqa: E402
from analysis.report.options import ReportOptions  # noqa: E402
from analysis.sequential.plan import ANYTIME, GROUP_SEQUENTIAL, LookPlan  # noqa: E402
from analysis.sequential.section import SequentialSection, sequential_section  # noqa: E402

CRITERION = "quality"
LEVEL = 0.05
STEP = 0.5
RHO = 0.5  # with which the asymptotic confidence sequence is narrowest at about 20 raters


@dataclass(frozen=True)
class Setting:
    """Campaigns of one kind; tastes are in SDs of one judgement's own scatter.

    Each rater judges one of `batches` of the items, all systems of an item on one screen. `effect`
    is how much better the first system is. `lean` is how much fast raters prefer the first system,
    and slow ones the others.
    """

    raters: int = 40
    items: int = 12
    batches: int = 1
    systems: int = 2
    taste: float = 0.3
    item_taste: float = 0.3
    generality: str = "raters"
    relative: bool = False
    effect: float = 0.0
    lean: float = 0.0

    def campaign(self, number: int) -> JudgementTable:
        """Simulate one campaign; raters are named in the order in which they begin."""
        rng = np.random.default_rng([number, self.raters, self.items, self.systems])
        batch = rng.permutation(self.items).reshape(self.batches, -1)
        item = batch[np.arange(self.raters) % self.batches].ravel()
        rater = np.repeat(np.arange(self.raters), batch.shape[1])
        rater, item = np.repeat(rater, self.systems), np.repeat(item, self.systems)
        system = np.tile(np.arange(self.systems), len(rater) // self.systems)
        tastes = self.taste * rng.normal(size=(self.raters, self.systems))
        speed = self.speed(number)
        tastes[:, 0] += self.lean * np.where(speed < np.median(speed), 1, -1)
        fits = self.item_taste * rng.normal(size=(self.items, self.systems))
        if self.generality == "raters":  # what is true of these very items
            fits[1::2] = -fits[: self.items - self.items % 2 : 2]
        value = rng.normal(size=len(rater)) + tastes[rater, system] + fits[item, system]
        value += self.effect * (system == 0)
        screen = rater * self.items + item
        return _table(rater, item, system, screen, np.round(value / STEP) * STEP)

    def speed(self, number: int) -> np.ndarray:
        """How long each rater takes, in the order in which they begin."""
        return np.random.default_rng([number, self.raters, 7]).random(self.raters)

    def began(self, _: int) -> tuple[str, ...]:
        return tuple(f"r{rater:04d}" for rater in range(self.raters))

    def finished(self, number: int) -> tuple[str, ...]:
        """The order of finishing, where all begin within half of the time a slow rater takes."""
        begin = np.linspace(0, 0.5, self.raters)
        return tuple(f"r{rater:04d}" for rater in np.argsort(begin + self.speed(number)))


E2E_RATINGS = ROOT.parent / "shared/data/e2e-eval/human_ratings/quality.csv"


@cache
def e2e_ratings() -> JudgementTable:
    return read_table(E2E_RATINGS).for_criterion(CRITERION)


@cache
def e2e_ranks() -> np.ndarray:
    """The rank of each system by the mean of its ranks on screens, the best first."""
    ratings = e2e_ratings()
    means = np.bincount(ratings.system.codes, ratings.value) / np.bincount(ratings.system.codes)
    return np.argsort(np.argsort(-means))


@dataclass(frozen=True)
class RealRaters(Setting):
    """Raters drawn with replacement from those of the E2E challenge, with the work that each did.

    Each drawn rater's 21 systems are dealt to those of this campaign at random, so these are truly
    equal, whatever tastes the rater has. With `is_dealt_by_rank` the first system is the better
    half of them in all ratings, and the second the others. Of two outputs of one system on a screen
    the first counts.
    """

    is_dealt_by_rank: bool = False

    def campaign(self, number: int) -> JudgementTable:
        """Draw one campaign; raters are named in the order in which they begin."""
        ratings = e2e_ratings()
        rng = np.random.default_rng([number, self.raters, self.systems])
        drawn = rng.integers(0, len(ratings.rater.labels), self.raters)
        parts = []
        for place, rater in enumerate(drawn.tolist()):
            rows = np.flatnonzero(ratings.rater.codes == rater)
            ranks = e2e_ranks()
            dealt = rng.permutation(len(ranks)) % self.systems
            if self.is_dealt_by_rank:
                dealt = (ranks >= len(ranks) // 2).astype(np.int64)
            system, screen = dealt[ratings.system.codes[rows]], ratings.screen.codes[rows]
            first = np.unique(screen * self.systems + system, return_index=True)[1]
            rows, system = rows[first], system[first]
            parts.append((np.full(len(rows), place), system, rows))
        rater, system, rows = (np.concatenate(each) for each in zip(*parts, strict=True))
        screen = np.unique(rater * len(ratings) + ratings.screen.codes[rows], return_inverse=True)
        item = np.unique(ratings.item.codes[rows], return_inverse=True)
        return _table(rater, item[1], system, screen[1], ratings.value[rows])


def _table(
    rater: np.ndarray, item: np.ndarray, system: np.ndarray, screen: np.ndarray, value: np.ndarray
) -> JudgementTable:
    codes = {"rater": rater, "item": item, "system": system, "screen": screen}
    return JudgementTable.from_columns(
        {name: _column(column, name[0]) for name, column in codes.items()}
        | {"criterion": Column(np.zeros(len(value), dtype=np.int32), (CRITERION,)), "value": value}
    )


def _column(codes: np.ndarray, prefix: str) -> Column:
    labels = tuple(f"{prefix}{code:04d}" for code in range(int(codes.max()) + 1))
    return Column(codes.astype(np.int32), labels)


# --- looks -----------------------------------------------------------------------------------


def group(looks: int, raters: int) -> LookPlan:
    """Plan looks at equal distances, from ten raters on."""
    ends = sorted({max(10, round(raters * k / looks)) for k in range(1, looks)})
    return LookPlan(GROUP_SEQUENTIAL, planned=raters, looks=tuple(ends))


def betting(raters: int) -> LookPlan:
    """Plan looks at every moment."""
    return LookPlan(ANYTIME, planned=raters)


def looked_at(
    setting: Setting,
    number: int,
    plan: LookPlan,
    order: tuple[str, ...],
    *,
    generality: str = "",
) -> SequentialSection:
    """What all looks of one campaign claim together."""
    plan = replace(plan, order=order)
    options = ReportOptions(
        generality=generality or setting.generality,
        kinds={CRITERION: "relative" if setting.relative else "scale"},
        looking=plan.as_dict(),
    )
    return sequential_section(
        setting.campaign(number), options, relative=setting.relative, higher_is_better=True
    )


def wrong(setting: Setting, plan: LookPlan, number: int) -> bool:
    return any(pair.apart for pair in looked_at(setting, number, plan, setting.began(number)).pairs)


def wrong_about_new_items(setting: Setting, plan: LookPlan, number: int) -> bool:
    """The negative control: claims about these items, taken to be about all items."""
    found = looked_at(setting, number, plan, setting.began(number), generality="raters")
    return any(pair.apart for pair in found.pairs)


def wrong_by_finishing(setting: Setting, plan: LookPlan, number: int) -> bool:
    """The negative control: the raters in the order in which they finished."""
    found = looked_at(setting, number, plan, setting.finished(number))
    return any(pair.apart for pair in found.pairs)


def wrong_by_peeking(setting: Setting, plan: LookPlan, number: int) -> bool:
    """The negative control: the t test of a fixed plan for all pairs, at each look from 10 on."""
    means = _means(setting, number)
    level = LEVEL / means.shape[1]
    ends = (*plan.looks, setting.raters) if plan.looks else range(10, setting.raters + 1)
    return any(np.any(scipy.stats.ttest_1samp(means[:end], 0.0).pvalue < level) for end in ends)


def wrong_asymptotically(setting: Setting, plan: LookPlan, number: int) -> bool:
    """The negative control: an asymptotic confidence sequence, from 20 raters on."""
    names = setting.finished(number)
    means = _means(setting, number)[[int(name[1:]) for name in names]]
    t = np.arange(1, len(means) + 1)[:, None]
    centre = np.cumsum(means, axis=0) / t
    variance = np.maximum(np.cumsum(means**2, axis=0) / t - centre**2, 1e-12)
    sd = np.sqrt(variance * t / np.maximum(t - 1, 1))
    known = t * RHO**2 + 1
    width = np.sqrt(2 * known / (t * RHO) ** 2 * np.log(np.sqrt(known) * means.shape[1] / LEVEL))
    return bool(np.any((np.abs(centre) > sd * width)[19:]))


def _means(setting: Setting, number: int) -> np.ndarray:
    """Each rater's mean difference of every two systems, in the order in which they begin."""
    table = setting.campaign(number)
    sums = np.zeros((setting.raters, setting.systems))
    np.add.at(sums, (table.rater.codes, table.system.codes), table.value)
    first, second = np.triu_indices(setting.systems, 1)
    return (sums[:, first] - sums[:, second]) * setting.systems / (len(table) / setting.raters)


# --- tables ----------------------------------------------------------------------------------

Check = Callable[[Setting, LookPlan, int], bool]


def cells() -> Iterator[tuple[str, Check, Setting, LookPlan]]:
    """Campaigns of equal systems, and how they are looked at."""
    kinds = {
        "2 systems, 12 items": Setting(taste=0.5, item_taste=0.5),
        "2 systems, 4 batches of 12 items": Setting(taste=0.5, item_taste=0.5, items=48, batches=4),
        "5 systems, 12 items": Setting(taste=0.5, item_taste=0.5, systems=5),
        "2 systems, 12 items, preferences": Setting(taste=0.5, item_taste=0.5, relative=True),
    }
    for name, kind in kinds.items():
        yield f"2 looks, {name}", wrong, kind, group(2, kind.raters)
        yield f"4 looks, {name}", wrong, kind, group(4, kind.raters)
        beyond = replace(kind, generality="both")
        yield f"4 looks, new items too, {name}", wrong, beyond, group(4, kind.raters)
        longer = replace(kind, raters=60)
        yield f"5 looks, {name}", wrong, longer, group(5, longer.raters)
        yield f"at any time, {name}", wrong, longer, betting(longer.raters)


def real() -> Iterator[tuple[str, Check, Setting, LookPlan]]:
    """Campaigns of real raters and equal systems; the last are looked at as they must not be."""
    for systems in (2, 5):
        drawn = RealRaters(systems=systems, relative=True)
        yield f"4 looks, {systems} systems", wrong, drawn, group(4, 40)
        yield f"at any time, {systems} systems", wrong, replace(drawn, raters=60), betting(60)
    two = RealRaters(relative=True)
    yield "t after each rater, 2 systems", wrong_at_any_end, two, group(2, 40)


def wrong_at_any_end(setting: Setting, plan: LookPlan, number: int) -> bool:
    """The negative control: the test of a fixed plan, made again after each rater from 10 on."""
    means = _shares(setting, number)
    return any(
        scipy.stats.ttest_1samp(means[:end], 0.0).pvalue < LEVEL
        for end in range(10, setting.raters + 1)
    )


def _shares(setting: Setting, number: int) -> np.ndarray:
    """How much more often each rater prefers the first of two systems, as they began."""
    table = setting.campaign(number)
    wins = np.zeros((setting.raters, 2))
    place = {}
    for row in np.lexsort((table.system.codes, table.screen.codes)).tolist():
        rater, screen = int(table.rater.codes[row]), int(table.screen.codes[row])
        if screen in place:
            wins[rater] += np.sign(place[screen] - table.value[row]), 1
        place[screen] = table.value[row]
    shares: np.ndarray = wins[:, 0] / np.maximum(wins[:, 1], 1)
    return shares


def controls() -> Iterator[tuple[str, Check, Setting, LookPlan]]:
    """Looks that must not be: by finishing, and with the tests of a fixed plan."""
    plain = Setting(taste=0.5, item_taste=0.0, raters=100)
    for lean in (0.0, 0.2, 0.4):
        setting = replace(plain, lean=lean)
        five = group(5, setting.raters)
        yield f"5 looks as they began, lean {lean}", wrong, setting, five
        yield f"5 looks as they finished, lean {lean}", wrong_by_finishing, setting, five
        yield f"betting as they began, lean {lean}", wrong, setting, betting(setting.raters)
        yield f"betting as they finished, lean {lean}", wrong_by_finishing, setting, betting(100)
        yield f"asymptotic as they finished, lean {lean}", wrong_asymptotically, setting, five
    for name, setting, plan in (
        ("t at 4 looks", replace(plain, raters=40), group(4, 40)),
        ("t at 5 looks", replace(plain, raters=60), group(5, 60)),
        ("t after each rater", replace(plain, raters=60), betting(60)),
    ):
        yield name, wrong_by_peeking, setting, plan
    few = Setting(raters=60, taste=0.5, item_taste=0.5, generality="both")
    yield "betting about new items, 12 items", wrong_about_new_items, few, betting(60)


@dataclass(frozen=True)
class Campaign:
    """A typical campaign; a fixed plan of `raters` finds its goal in about 80 %."""

    name: str
    setting: Setting
    margin: float = 0.0


CAMPAIGNS = (
    Campaign("2 systems, the difference planned for", Setting(40, taste=0.5, effect=0.36)),
    Campaign("2 systems, twice that difference", Setting(40, taste=0.5, effect=0.72)),
    Campaign("5 systems, one better", Setting(60, systems=5, taste=0.5, effect=0.48)),
    Campaign("SR'11: 5 systems, sliders", Setting(24, 20, systems=5, taste=0.5, effect=0.72)),
    Campaign("E2E: real raters", RealRaters(32, relative=True, is_dealt_by_rank=True)),
    Campaign("2 equal systems, margin ± 0.1", Setting(48, taste=0.3, relative=True), margin=0.1),
)


def stops(campaign: Campaign, number: int, plan: LookPlan) -> tuple[int, bool]:
    """Count the raters until a look says that the goal is reached, or until all have come."""
    setting = replace(campaign.setting, raters=plan.planned)
    table, names = setting.campaign(number), setting.began(number)

    def is_reached(end: int, earlier: tuple[int, ...] = ()) -> bool:
        options = ReportOptions(
            generality=setting.generality,
            equivalence={CRITERION: campaign.margin} if campaign.margin else {},
            looking=replace(plan, order=names[:end], looks=earlier).as_dict(),
        )
        return sequential_section(
            table, options, relative=setting.relative, higher_is_better=True
        ).reached

    if plan.mode == GROUP_SEQUENTIAL:
        ends = (*plan.looks, setting.raters)
        for k, end in enumerate(ends):
            if is_reached(end, ends[:k]):
                return end, True
        return setting.raters, False
    if not is_reached(setting.raters):
        return setting.raters, False
    low, high = 11, setting.raters  # what was refuted once stays refuted
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_reached(middle) else (middle, high)
    return high, True


def in_the_end(campaign: Campaign, number: int) -> bool:
    """Whether the t tests or intervals of a fixed plan reach the goal with all raters."""
    setting = campaign.setting
    if setting.relative and not campaign.margin:
        return bool(scipy.stats.ttest_1samp(_shares(setting, number), 0.0).pvalue < LEVEL)
    means = _means(setting, number)
    if setting.relative:
        found = looked_at(setting, number, group(2, setting.raters), setting.began(number))
        pair = found.pairs[0]
        critical = found.steps[-1].critical or np.inf
        half = (pair.high - pair.low) / 2 / critical * scipy.stats.t.isf(LEVEL / 2, len(means) - 1)
        return abs(pair.difference) + half < campaign.margin
    p = scipy.stats.ttest_1samp(means[:, : setting.systems - 1], 0.0).pvalue
    return bool(np.all(p < LEVEL / means.shape[1]))


def print_savings(campaigns: int, only: str) -> None:
    """Print mean raters and the share in which the goal was reached."""
    for campaign in CAMPAIGNS:
        if only not in campaign.name or campaign.name.startswith("E2E") > E2E_RATINGS.exists():
            continue
        raters = campaign.setting.raters
        fixed = np.mean([in_the_end(campaign, number) for number in range(campaigns)])
        print(f"{campaign.name}: fixed plan {raters} raters, reached {fixed:.2f}", flush=True)
        plans = {
            "2 looks": group(2, raters),
            "4 looks": group(4, raters),
            "at any time, up to twice as many": betting(2 * raters),
        }
        for name, plan in plans.items():
            found = [stops(campaign, number, plan) for number in range(campaigns)]
            used = [end for end, _ in found]
            print(
                f"  {name}: {np.mean(used):.1f} raters, median {np.median(used):.0f}, reached "
                f"{np.mean([is_found for _, is_found in found]):.2f}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=1000)
    parser.add_argument("--part", choices=("wrong", "controls", "saving", "real"))
    parser.add_argument("--only", default="", help="a part of the name of what is simulated")
    options = parser.parse_args()
    parts = {"wrong": cells, "controls": controls, "real": real}
    if options.part is None and not E2E_RATINGS.exists():
        del parts["real"]
    for part, campaigns in parts.items():
        for name, check, setting, plan in campaigns() if options.part in (None, part) else ():
            if options.only not in name:
                continue
            wrongs = sum(check(setting, plan, number) for number in range(options.campaigns))
            print(f"{name}\t{wrongs / options.campaigns:.3f}", flush=True)
    if options.part in (None, "saving"):
        print_savings(options.campaigns, options.only)


if __name__ == "__main__":
    main()
