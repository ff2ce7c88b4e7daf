"""What suggested marks do to answers: screens that had them, and others drawn to have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.inference import LEAST_UNITS, Units, adjusted_p, beyond, critical_t
from analysis.scales.codes import compact, distinct
from analysis.table import JudgementTable
from analysis.typing import Codes, Flags, Values

from .covariates import values_with_covariates

# Factors of judgements: whether the output's suggestions were shown, and the time on the screen.
ASSISTED, SCREEN_MS = "assisted", "screen_ms"
SHOWN, HELD_OUT = "yes", "no"
SECONDS = "seconds"


@dataclass(frozen=True)
class Measure:
    """One measure with suggestions and without; of seconds, geometric means and their ratio.

    `effect` is by how much suggestions raise it, raters and systems held constant. The interval and
    `p` are adjusted for all measures.
    """

    name: str
    assisted: float
    held_out: float
    effect: float
    low: float
    high: float
    p: float


@dataclass(frozen=True)
class Assistance:
    """What suggestions do to `value`, `marks` and `seconds`, as far as they are known.

    `assisted` and `held_out` count screens with suggestions, and screens without those that their
    outputs have. `raters` are those of screens that were held out. `refused` are the reasons of
    measures without an estimate.
    """

    measures: tuple[Measure, ...]
    assisted: int
    held_out: int
    raters: int
    unit: str
    alpha: float
    refused: tuple[str, ...] = ()


def has_held_out(table: JudgementTable) -> bool:
    """Say whether suggestions were withheld from any judgement.

    Parameters
    ----------
    table : judgements
    """
    return ASSISTED in table.factors and HELD_OUT in table.factors[ASSISTED].labels


def seconds_on_screens(table: JudgementTable) -> Values:
    """Return the logarithm of the seconds on each screen, in its first row; NaN in all others.

    Parameters
    ----------
    table : judgements of one criterion

    Returns
    -------
    shape (judgements,); NaN where no time was taken
    """
    found = np.full(len(table), np.nan)
    if SCREEN_MS not in table.factors:
        return found
    column = table.factors[SCREEN_MS]
    numbers = np.array([_number(label) for label in column.labels])
    first = np.unique(table.screen.codes, return_index=True)[1]
    times = numbers[column.codes[first]] / 1000
    known = times > 0
    found[first[known]] = np.log(times[known])
    return found


def _number(label: str) -> float:
    try:
        return float(label)
    except ValueError:
        return np.nan


def assistance(
    table: JudgementTable,
    outcomes: Mapping[str, Values],
    items: Codes,
    *,
    generality: str = "both",
    alpha: float = 0.05,
    unit: str = "value",
) -> Assistance:
    """Compare screens with suggestions to those drawn to have none, by least squares.

    The model is `suggestions + system + rater`, with errors clustered by what claims are about.
    Units are counted on the screens that were held out, which are the fewer ones.

    Parameters
    ----------
    table : judgements of one criterion, with the factor `assisted`
    outcomes : by name, shape (judgements,), NaN where unknown; of seconds, their logarithms
    items : shape (judgements,), codes of the items that are drawn together
    generality : what claims are about: `raters`, `items` or `both`
    alpha : 1 − confidence of all measures together
    unit : of the values

    Raises
    ------
    Undefined : too few raters or items have screens without their suggestions

    Source
    ------
    Frisch & Waugh (1933); Cameron, Gelbach & Miller (2011).
    """
    compared = _Compared.of(table, items, generality)
    measures, refused = [], []
    for name, each in outcomes.items():
        try:
            measures.append(compared.measure(name, each, alpha=alpha, tests=len(outcomes)))
        except Undefined as reason:
            refused.append(f"{name}: {reason}")
    if not measures:
        raise Undefined(" ".join(refused))
    screens, shown, held_out = table.screen.codes, compared.shown, compared.held_out
    return Assistance(
        tuple(measures),
        distinct(screens[shown]),
        distinct(screens[held_out]),
        distinct(table.rater.codes[held_out]),
        unit,
        alpha,
        tuple(refused),
    )


@dataclass(frozen=True, eq=False)
class _Compared:
    """Rows with suggestions and without, of raters who had both; shape (judgements,) each."""

    shown: Flags
    held_out: Flags
    systems: Codes
    raters: Codes
    items: Codes
    units: Units

    @classmethod
    def of(cls, table: JudgementTable, items: Codes, generality: str) -> _Compared:
        column, raters = table.factors[ASSISTED], table.rater.codes
        labels = np.array(column.labels, dtype=object)[column.codes]
        shown, held_out = labels == SHOWN, labels == HELD_OUT
        of_both = np.isin(raters, np.intersect1d(raters[shown], raters[held_out]))
        held_out &= of_both
        units = _units(raters, items, held_out, generality)
        return cls(shown & of_both, held_out, table.system.codes, raters, items, units)

    def measure(self, name: str, outcome: Values, *, alpha: float, tests: int) -> Measure:
        """Fit one outcome; the interval and p are adjusted for that many tests."""
        kept = (self.shown | self.held_out) & ~np.isnan(outcome)
        values, helped = outcome[kept], self.shown[kept]
        if helped.all() or not helped.any():
            raise Undefined("none are known of screens with suggestions, or of those without.")
        system, rater, item = (
            compact(codes[kept]) for codes in (self.systems, self.raters, self.items)
        )
        found = values_with_covariates(
            values, system, (rater, item), helped.astype(np.float64)[:, None],
            generality=self.units.generality, counted=self.units,
        )  # fmt: skip
        effect, error = float(found.effects[0]), float(found.errors[0])
        if not error > 0:
            raise Undefined("they do not vary between raters and items.")
        width = critical_t(alpha, tests, self.units.df) * error
        p = float(adjusted_p(np.array(effect / error), tests, self.units.df))
        plain = np.exp if name == SECONDS else np.asarray
        return Measure(
            name=name,
            assisted=float(plain(values[helped].mean())),
            held_out=float(plain(values[~helped].mean())),
            effect=float(plain(effect)),
            low=float(plain(effect - width)),
            high=float(plain(effect + width)),
            p=p,
        )


def _units(raters: Codes, items: Codes, held_out: Flags, generality: str) -> Units:
    """Count raters and items of rows that were held out; refuse too few."""
    units = Units.of(raters[held_out], items[held_out], generality) if held_out.any() else None
    lacking = [unit for unit in units.sampled if unit.lacks(LEAST_UNITS)] if units else []
    if units is None or lacking:
        counted = " and ".join(unit.counted() for unit in lacking) or "no raters who had both"
        raise Undefined(
            f"Outputs without their suggestions were judged by too few to say what suggestions do "
            f"{beyond(generality)}: {counted}. At least {LEAST_UNITS} are needed."
        )
    return units
