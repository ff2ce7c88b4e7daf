"""Scores of metrics: the array that comparisons work on, and the files it is read from."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

import numpy as np

from analysis.csv_rows import Rows, Source, finite_number, read_rows
from analysis.errors import TableError
from analysis.table_files import guarded
from analysis.typing import Values

LONG = ("metric", "score")
# Well-known metrics for which lower is better.
LOWER_IS_BETTER = frozenset({"ter", "ser", "wer", "cer", "mer", "wil"})


@dataclass(frozen=True, eq=False)
class MetricScores:
    """`segments` has shape (metrics, systems, items), `whole` has shape (metrics, systems).

    NaN marks what is missing. `whole` are scores of systems as they were given (BLEU of a whole
    system is not the mean of its segments). All are oriented: higher is better; `turned` names the
    metrics whose sign was changed for that.
    """

    metrics: tuple[str, ...]
    systems: tuple[str, ...]
    items: tuple[str, ...]
    segments: Values
    whole: Values
    turned: tuple[str, ...] = ()

    @property
    def sha256(self) -> str:
        """A hash of the scores; the order of rows in the file does not change it."""
        order = np.argsort(np.array(self.metrics, dtype=object))
        names = (sorted(self.metrics), self.systems, self.items)
        digest = hashlib.sha256(json.dumps(names, ensure_ascii=False).encode())
        for values in (self.segments[order], self.whole[order]):
            digest.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        return digest.hexdigest()

    @property
    def system_scores(self) -> Values:
        """Scores of systems, shape (metrics, systems): as given, else the mean of the segments."""
        known = ~np.isnan(self.segments)
        counts = known.sum(axis=2)
        sums = np.where(known, self.segments, 0.0).sum(axis=2)
        means = np.divide(sums, counts, out=np.full(counts.shape, np.nan), where=counts > 0)
        return np.where(np.isnan(self.whole), means, self.whole)

    @property
    def scored_systems(self) -> int:
        """Count the systems with a score of any metric."""
        return int((~np.isnan(self.system_scores)).any(axis=0).sum())

    @property
    def scored_outputs(self) -> int:
        """Count the outputs with a score of any metric."""
        return int((~np.isnan(self.segments)).any(axis=0).sum())

    def of(self, metrics: Sequence[str]) -> MetricScores | None:
        """Return the scores of these metrics; None if there are none."""
        if not metrics:
            return None
        places = [self.metrics.index(name) for name in metrics]
        turned = tuple(name for name in self.turned if name in metrics)
        return MetricScores(
            tuple(metrics),
            self.systems,
            self.items,
            self.segments[places],
            self.whole[places],
            turned,
        )

    def only(self, metric: str) -> MetricScores:
        """Return the scores of one metric, without the systems and items that it says nothing
        about.
        """
        place = self.metrics.index(metric)
        known = ~np.isnan(self.segments[place])
        systems = np.flatnonzero(known.any(axis=1) | ~np.isnan(self.whole[place]))
        items = np.flatnonzero(known.any(axis=0))
        return MetricScores(
            (metric,),
            tuple(self.systems[number] for number in systems),
            tuple(self.items[number] for number in items),
            self.segments[place][np.ix_(systems, items)][None],
            self.whole[place][systems][None],
            (metric,) if metric in self.turned else (),
        )

    def aligned(self, systems: Sequence[str], items: Sequence[str]) -> MetricScores:
        """Rearrange for these systems and items, in this order; NaN where there are no scores."""
        rows, columns = _places(systems, self.systems), _places(items, self.items)
        segments = np.full((len(self.metrics), len(systems), len(items)), np.nan)
        whole = np.full((len(self.metrics), len(systems)), np.nan)
        has_row, has_column = rows >= 0, columns >= 0
        place = np.ix_(
            np.arange(len(self.metrics)), np.flatnonzero(has_row), np.flatnonzero(has_column)
        )
        segments[place] = self.segments[:, rows[has_row]][:, :, columns[has_column]]
        whole[:, has_row] = self.whole[:, rows[has_row]]
        return MetricScores(
            self.metrics, tuple(systems), tuple(items), segments, whole, self.turned
        )


def _places(
    wanted: Sequence[str], known: Sequence[str]
) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
    place = {name: number for number, name in enumerate(known)}
    return np.array([place.get(name, -1) for name in wanted], dtype=np.intp)


@dataclass(frozen=True)
class Known:
    """The systems and items that scores may be about."""

    systems: Collection[str]
    items: Collection[str]


def read_scores(
    source: Source,
    *,
    lower_is_better: Sequence[str] | None = None,
    known: Known | None = None,
) -> MetricScores:
    """Read scores of metrics from a CSV, in one of three shapes.

    Long: `system,item,metric,score`. Wide: `system,item` and a column for each metric. Either
    without the column `item`, or with an empty cell in it: the score of a whole system.

    Parameters
    ----------
    source : a path or a binary file; optionally compressed with gzip
    lower_is_better : metrics whose sign is to be changed; None: TER, SER, WER, CER, MER, WIL
    known : a score of another system or item is a problem; None: any may come

    Returns
    -------
    Scores, oriented so that higher is better. A score that is missing in a wide file is an empty
    cell.

    Raises
    ------
    TableError : with every problem and its line and column
    """
    return scores_of_rows(read_rows(source), lower_is_better=lower_is_better, known=known)


def scores_of_rows(
    rows: Rows, *, lower_is_better: Sequence[str] | None = None, known: Known | None = None
) -> MetricScores:
    """Read scores, as `read_scores` does, from rows that are read already.

    Parameters
    ----------
    rows : of the file
    lower_is_better : metrics whose sign is turned; None: those that are known to be errors
    known : a score of another system or item is a problem; None: any may come

    Raises
    ------
    TableError : with every problem and its line and column
    """
    rows.require(("system",))
    cells = list(_long(rows) if set(LONG) <= set(rows.header) else _wide(rows))
    if not cells and not rows.problems:
        rows.problem(1, "", "there are no scores.")
    if known:
        note_unknown(rows, known)
    found = _collected(rows, cells)
    turned = _turned(rows, {metric for metric, _, _ in found}, lower_is_better)
    rows.refuse()
    return scores_from(found, turned)


def note_unknown(rows: Rows, known: Known, systems: Sequence[str] = ("system",)) -> None:
    """Note every row whose systems or item are unknown as a problem.

    Parameters
    ----------
    rows : of the file
    known : systems and items
    systems : the columns that name systems
    """
    for line, row in rows:
        for column in systems:
            if row[column].strip() and row[column] not in known.systems:
                rows.problem(line, column, f'there is no system "{row[column][:40]}".')
        if row.get("item", "") and row["item"] not in known.items:
            rows.problem(line, "item", f'there is no item "{row["item"][:40]}".')


def joined(parts: Sequence[MetricScores]) -> MetricScores:
    """Join sets of scores whose metrics differ.

    Systems and items of any part are in the result, in alphabetical order.

    Parameters
    ----------
    parts : each with metrics of its own
    """
    systems = sorted({name for part in parts for name in part.systems})
    items = sorted({name for part in parts for name in part.items})
    aligned = [part.aligned(systems, items) for part in parts]
    return MetricScores(
        tuple(name for part in parts for name in part.metrics),
        tuple(systems),
        tuple(items),
        np.concatenate([part.segments for part in aligned]),
        np.concatenate([part.whole for part in aligned]),
        tuple(sorted(name for part in parts for name in part.turned)),
    )


def scores_from(
    found: Mapping[tuple[str, str, str], float], lower_is_better: Sequence[str] = ()
) -> MetricScores:
    """Arrange scores as arrays of shape (systems, items).

    Parameters
    ----------
    found : by (metric, system, item); an empty item is the whole system
    lower_is_better : metrics whose sign is turned
    """
    metrics = list(dict.fromkeys(metric for metric, _, _ in found))
    systems = sorted({system for _, system, _ in found})
    items = sorted({item for _, _, item in found if item})
    places = [{name: n for n, name in enumerate(names)} for names in (metrics, systems, items)]
    segments = np.full((len(metrics), len(systems), len(items)), np.nan)
    whole = np.full((len(metrics), len(systems)), np.nan)
    for (metric, system, item), value in found.items():
        place = places[0][metric], places[1][system]
        if item:
            segments[(*place, places[2][item])] = value
        else:
            whole[place] = value
    for name in lower_is_better:
        segments[places[0][name]] *= -1
        whole[places[0][name]] *= -1
    return MetricScores(
        tuple(metrics), tuple(systems), tuple(items), segments, whole, tuple(lower_is_better)
    )


def write_scores(scores: MetricScores, file: IO[bytes]) -> None:
    """Write the long CSV that `read_scores` reads; signs are those of the original scores.

    Parameters
    ----------
    scores : of all metrics
    file : open for writing bytes
    """
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    out = csv.writer(text)
    out.writerow(("system", "item", "metric", "score"))
    for number, metric in enumerate(scores.metrics):
        sign = -1 if metric in scores.turned else 1
        for system, value in zip(scores.systems, scores.whole[number], strict=True):
            if not math.isnan(value):
                out.writerow((guarded(system), "", guarded(metric), repr(sign * float(value))))
        for place in np.argwhere(~np.isnan(scores.segments[number])):
            row, column = int(place[0]), int(place[1])
            value = sign * float(scores.segments[number, row, column])
            names = guarded(scores.systems[row]), guarded(scores.items[column]), guarded(metric)
            out.writerow((*names, repr(value)))
    text.flush()
    text.detach()


Cell = tuple[int, str, str, str, str, str]  # line, column, metric, system, item, number as text


def _long(rows: Rows) -> Iterator[Cell]:
    for line, row in rows:
        if not row["metric"].strip():
            rows.problem(line, "metric", "the cell is empty.")
            continue
        yield line, "score", row["metric"], row["system"], row.get("item", ""), row["score"]


def _wide(rows: Rows) -> Iterator[Cell]:
    metrics = [name for name in rows.header if name not in ("system", "item")]
    if not metrics:
        rows.problem(
            1, "", "there are no scores: name the columns system, item, metric, score, or add a "
            "column for each metric.",
        )  # fmt: skip
    for line, row in rows:
        for metric in metrics:
            if row[metric].strip():
                yield line, metric, metric, row["system"], row.get("item", ""), row[metric]


def _collected(rows: Rows, cells: Sequence[Cell]) -> dict[tuple[str, str, str], float]:
    found: dict[tuple[str, str, str], float] = {}
    lines: dict[tuple[str, str, str], int] = {}
    for line, column, metric, system, item, text in cells:
        if not system.strip():
            rows.problem(line, "system", "the cell is empty.")
            continue
        value = finite_number(text)
        if value is None:
            rows.problem(line, column, f'"{text[:40]}" is not a finite number.')
            continue
        key = (metric, system, item)
        first = lines.setdefault(key, line)
        if first != line:
            rows.problem(line, column, f"{metric} of this output is already on line {first}.")
            continue
        found[key] = value
    return found


def _turned(rows: Rows, known: set[str], given: Sequence[str] | None) -> list[str]:
    if given is None:
        return sorted(name for name in known if name.lower() in LOWER_IS_BETTER)
    if unknown := sorted(set(given) - known):
        listed = ", ".join(sorted(known))
        raise TableError(
            [f"There is no metric {name!r}; the file has: {listed}." for name in unknown]
        )
    return sorted(set(given))
