"""Tables of the checks of an answer's robustness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from analysis.report.robustness_section import RobustnessSection
from analysis.report.robustness_sentences import TITLES, Said, said_of
from analysis.robustness.agreement_range import AgreementRange
from analysis.robustness.assistance import SECONDS, Assistance
from analysis.robustness.covariates import ControlledRanking
from analysis.robustness.cycles import Cycles
from analysis.robustness.drift import Drift
from analysis.robustness.influence import Influence
from analysis.robustness.more_units import MoreUnits
from analysis.robustness.order_effects import OrderEffects
from analysis.robustness.peer_agreement import PeerAgreement
from analysis.robustness.scale_use import ScaleUse
from analysis.table import ORDER
from analysis.translatable import gettext_noop as _

from .model_tables import ABOUT_SIZES, SIZE_COLUMNS
from .table_model import (
    INTERVAL,
    SYSTEM,
    A,
    B,
    Cell,
    Column,
    Format,
    N,
    P,
    Table,
    interval,
    number,
    rows_of,
    whole,
)

MOST_NAMES = 20
MEASURES = {
    "value": _("value"),
    "marks": _("number of marks"),
    SECONDS: _("seconds on the screen (geometric means, and their ratio)"),
}
# Tables of other sections that belong to a check.
BELONGS = {"variance-shares": "agreement-range"}


@dataclass(frozen=True)
class Finding:
    """One check: its sentence, how often it is wrong, and its tables."""

    said: Said
    tables: tuple[Table, ...]

    @property
    def filled_tables(self) -> list[Table]:
        """Return the tables that have rows: only found circles have any, for example."""
        return [table for table in self.tables if table.rows]


def robustness_tables(section: RobustnessSection, generality: str, alpha: float) -> Iterator[Table]:
    """Yield a table for each check that has a result, with its sentences as notes.

    Parameters
    ----------
    section : of one criterion
    generality : what claims are about
    alpha : level of each check
    """
    found = section.results()
    for said in said_of(section, generality, alpha):
        columns, rows = MADE[said.name](found[said.name])
        notes = (said.sentence, said.rate, *([ABOUT_SIZES] if columns == SIZE_COLUMNS else []))
        yield Table(said.name, said.title, columns, rows_of(rows), notes=notes)


def findings_of(tables: tuple[Table, ...]) -> tuple[Finding, ...]:
    """Sort the tables of a criterion by check, in the order of the checks.

    Parameters
    ----------
    tables : of one criterion
    """
    found = []
    for name in TITLES:
        mine = [each for each in tables if BELONGS.get(each.name, each.name) == name]
        own = next((each for each in mine if each.name == name), None)
        if own is not None:
            said = Said(name, *own.notes[:2])
            rest = tuple(each for each in mine if each is not own)
            found.append(Finding(said, (replace(own, notes=own.notes[2:]), *rest)))
    return tuple(found)


Made = tuple[tuple[Column, ...], list[tuple[Cell, ...]]]


def _influence(found: Influence) -> Made:
    columns = (
        Column(_("Left out")), whole(_("Number")), whole(_("Of")),
        number(_("Share of the judgements (%)"), 1), Column(_("What changes")), Column(_("Which")),
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for units, changes in found.searched:
        removal = next(
            (each for each in found.removals if (each.units, each.changes) == (units, changes)),
            None,
        )
        if removal is None:
            rows.append((units, None, len(found.without[units]), None, _("nothing found"), ""))
            continue
        what = (
            f"{removal.b} is first instead of {removal.a}"
            if changes == "first"
            else f"{removal.a} and {removal.b} are no longer told apart"
        )
        names = ", ".join(removal.removed[:MOST_NAMES])
        more = len(removal.removed) - MOST_NAMES
        rows.append(
            (units, len(removal.removed), removal.of, 100 * removal.share, what,
             names + (f" … (+{more})" if more > 0 else ""))
        )  # fmt: skip
    return columns, rows


def _covariates(found: ControlledRanking) -> Made:
    columns = (
        SYSTEM, whole(_("Rank")), whole(_("Rank, held constant")),
        number(_("Estimate"), 2), number(_("Estimate, held constant"), 2),
        *(number(each.name, 2, is_label=True) for each in found.effects),
    )  # fmt: skip
    return columns, [
        (each.system, each.rank, each.rank_controlled, each.plain, each.controlled, *each.means)
        for each in found.systems
    ]


def _cycles(found: Cycles) -> Made:
    columns = (
        whole(_("Circle")), A, B,
        number(_("Share that prefers A"), 2), interval(_("Interval"), 2), N,
        Column(_("Claimed")),
    )  # fmt: skip
    return columns, [
        (number, step.a, step.b, step.share, (step.low, step.high), step.comparisons,
         _("yes") if circle.is_claimed else _("no"))
        for number, circle in enumerate(found.shown, start=1)
        for step in circle.steps
    ]  # fmt: skip


def _order(found: OrderEffects) -> Made:
    columns = (
        Column(_("Order")), number(_("Trend")), INTERVAL, P,
        number(_("Systems' mean places differ by"), 2), number(_("Moves differences by at most")),
    )  # fmt: skip
    return columns, [
        (
            _("first screen to last") if each.name == ORDER else _("one place on the screen"),
            each.slope, (each.low, each.high), each.p, each.imbalance, each.moved,
        )
        for each in found.trends
    ]  # fmt: skip


def _scale_use(found: ScaleUse) -> Made:
    columns = (
        Column(_("Rater")), Column(_("Range"), Format.RANGE, 1), number(_("Mean"), 2),
        number("SD", 2), N,
    )  # fmt: skip
    return columns, [
        (each.rater, (each.lowest, each.highest), each.mean, each.sd, each.judgements)
        for each in found.raters
    ]


def _peers(found: PeerAgreement) -> Made:
    columns = (
        Column(_("Rater")), whole(_("Outputs")), number(_("Beyond chance")), P,
        number(_("Equal answers (%)"), 0),
    )  # fmt: skip
    return columns, [
        (each.rater, each.outputs, each.score, each.p, 100 * each.naive) for each in found.raters
    ]


def _more_units(found: MoreUnits) -> Made:
    sizes = {(each.raters, each.items): each for each in found.sizes}
    for each in (found.now, found.twice_raters, found.twice_items):
        sizes[each.raters, each.items] = each
    rows: list[tuple[Cell, ...]] = [
        (*key, found.relative, found.absolute, found.half_width)
        for key, found in sorted(sizes.items())
    ]
    has_reliability = sizes[min(sizes)].relative is not None
    kept = range(5) if has_reliability else (0, 1, 4)
    return tuple(SIZE_COLUMNS[k] for k in kept), [tuple(row[k] for k in kept) for row in rows]


def _drift(found: Drift) -> Made:
    columns = (
        SYSTEM, Column(_("Since version")), number(_("Shift")),
        INTERVAL, P,
    )  # fmt: skip
    return columns, [
        (each.system, each.version, each.shift, (each.low, each.high), each.p)
        for each in found.shifts
    ]


def _agreement(found: AgreementRange) -> Made:
    columns = (Column(_("What differs")), number("SD"))
    return columns, [
        (_("outputs"), found.outputs),
        (_("raters on the same output"), found.raters),
        (_("answers at random"), found.guessing),
    ]


def _assistance(found: Assistance) -> Made:
    columns = (
        Column(_("Measure")), number(_("With suggestions"), 2), number(_("Without"), 2),
        number(_("Effect")), INTERVAL, P,
    )  # fmt: skip
    return columns, [
        (MEASURES[each.name], each.assisted, each.held_out, each.effect, (each.low, each.high),
         each.p)
        for each in found.measures
    ]  # fmt: skip


MADE: dict[str, Callable[[Any], Made]] = {
    "influence": _influence,
    "covariates": _covariates,
    "cycles": _cycles,
    "order": _order,
    "scale-use": _scale_use,
    "peers": _peers,
    "more-units": _more_units,
    "drift": _drift,
    "agreement-range": _agreement,
    "assistance": _assistance,
}
