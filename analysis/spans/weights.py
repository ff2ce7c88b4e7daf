"""Weights of errors by severity and category."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from analysis.errors import OptionsError, TableError
from analysis.spans.model import Mark, SpanTable, short

ANY, NONE = "any", "none"
# Those of Freitag et al. (2021). A mark of a protocol without severities counts as one error.
DEFAULT = (
    "major:5 minor:1 minor/Fluency/Punctuation:0.1 any/Non-translation:25 "
    "neutral:0 no-error:0 hotw-test:0 none:1"
)
PART = re.compile(r"[^:]*:[^:\s,]*")
SEPARATORS = " ,\t\n"
# These are never errors, so other weights need not list them.
WEIGHTLESS = ("neutral:0", "no-error:0", "hotw-test:0")


@dataclass(frozen=True)
class Weights:
    """The weight of each (severity, level of category, level …); the most specific one counts.

    Severities and categories are compared without regard to case, and to the "!" that Google's
    "Non-translation!" ends with. The severity "any" is every severity, "none" is none.
    """

    by_kind: Mapping[tuple[str, ...], float]
    stated: str

    def of(self, severity: str, category: str) -> float | None:
        """Return the weight of an error; None where the severity has none."""
        levels = tuple(map(_folded, category.split("/"))) if category else ()
        given = _folded(severity) or NONE
        for depth in range(len(levels), -1, -1):
            for first in (given, ANY):
                found = self.by_kind.get((first, *levels[:depth]))
                if found is not None:
                    return found
        return None


def parse_weights(text: str = "") -> Weights:
    """Read weights as `severity[/category[/subcategory]]:weight`, separated by spaces or commas.

    Parameters
    ----------
    text : the weights, in place of the default ones; the default ones where it is empty

    Returns
    -------
    The weights. "neutral", "no-error" and "hotw-test" (a planted test) weigh 0 unless stated.

    Raises
    ------
    OptionsError : every part that is not a weight

    Source
    ------
    Freitag et al. (2021), "Experts, Errors, and Context", section 3; the form is that of
    mt_metrics_eval.converters.score_mqm
    """
    stated = text.strip() or DEFAULT
    by_kind: dict[tuple[str, ...], float] = {}
    problems = []
    for part in (*WEIGHTLESS, *_parts(stated)):
        kind, _, number = part.rpartition(":")
        weight = _weight(number)
        if not kind.strip() or weight is None:
            problems.append(f"{short(part)} is not a weight such as major:5 or minor/Fluency:0.5.")
            continue
        by_kind[tuple(map(_folded, kind.split("/")))] = weight
    if problems:
        raise OptionsError(problems)
    return Weights(by_kind, " ".join(_parts(stated)))


def _parts(text: str) -> list[str]:
    """Return the single weights: a category's name may have spaces and commas in it, a number has
    none.
    """
    rest = PART.sub("", text).strip(SEPARATORS)
    return [part.strip(SEPARATORS) for part in PART.findall(text)] + ([rest] if rest else [])


def _weight(number: str) -> float | None:
    try:
        weight = float(number)
    except ValueError:
        return None
    return weight if math.isfinite(weight) and weight >= 0 else None


def _folded(name: str) -> str:
    return name.strip().rstrip("!").casefold()


def check_weights(table: SpanTable, weights: Weights) -> None:
    """Refuse severities that have no weight: they would silently count as nothing.

    Parameters
    ----------
    table : marked outputs
    weights : what an error weighs

    Raises
    ------
    TableError : each severity without a weight, and how often it was marked
    """
    unknown: dict[str, int] = {}
    for kind, count in kinds_of(table).items():
        if weights.of(*kind) is None:
            unknown[kind[0]] = unknown.get(kind[0], 0) + count
    if unknown:
        raise TableError(
            [
                f"Severity {short(name) if name else 'none'} ({count} marks) has no weight: "
                f"add {name or NONE}:… to the weights."
                for name, count in sorted(unknown.items())
            ]
        )


def kinds_of(table: SpanTable) -> dict[tuple[str, str], int]:
    """Count the marks of each (severity, category), as they are spelled.

    Parameters
    ----------
    table : the marked outputs
    """
    counts: dict[tuple[str, str], int] = {}
    for each in table.outputs:
        for mark in each.marks:
            if not mark.continues:
                kind = (mark.severity, mark.category)
                counts[kind] = counts.get(kind, 0) + 1
    return counts


class Penalties:
    """The weights of marks, looked up once for each kind."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self._known: dict[tuple[str, str], float] = {}

    def of(self, mark: Mark) -> float:
        """Return a mark's weight; further places of an error add nothing."""
        if mark.continues:
            return 0.0
        kind = (mark.severity, mark.category)
        if kind not in self._known:
            self._known[kind] = self._weights.of(*kind) or 0.0
        return self._known[kind]

    def total(self, marks: tuple[Mark, ...]) -> float:
        """Sum the weights of one output's marks."""
        return math.fsum(map(self.of, marks))
