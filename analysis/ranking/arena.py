"""Votes of arenas: two models, which of them won, and who judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from analysis.errors import TableError
from analysis.typing import Codes

from .bradley_terry import INDEPENDENT, BradleyTerry, bradley_terry
from .pairs import LOSS, TIE, WIN, Pairs

NEEDED, JUDGE = ("model_a", "model_b", "winner"), "judge"
OUTCOMES = {
    "model_a": WIN, "model_b": LOSS, "a": WIN, "b": LOSS, "tie": TIE, "both_bad": TIE,
    "bothbad": TIE, "tie (bothbad)": TIE, "tie (both bad)": TIE,
}  # fmt: skip
# Arenas print 1000 + 400 log₁₀ of the odds.
SCALE, OFFSET = 400 / np.log(10), 1000.0
MOST_PROBLEMS = 10
LABELS = pa.dictionary(pa.int32(), pa.string())


@dataclass(frozen=True, eq=False)
class Votes:
    """Comparisons whose raters are the judges; without judges, votes are taken as independent."""

    pairs: Pairs
    has_judges: bool


def read_votes(source: str | Path | IO[bytes]) -> Votes:
    """Read `model_a, model_b, winner` and, if there is one, `judge`; other columns are left alone.

    `winner` is `model_a`, `model_b`, `tie`, or that both are bad, which is a tie, too.

    Parameters
    ----------
    source : a CSV or Parquet file

    Raises
    ------
    TableError : missing columns, an unknown winner, an empty cell, or a model against itself
    """
    try:
        table = _read(source)
    except (pa.ArrowInvalid, OSError, UnicodeDecodeError) as error:
        raise TableError([f"This is not a file of votes: {error}"]) from error
    columns = {name: _coded(table[name]) for name in table.column_names}
    if problems := list(_problems(columns)):
        raise TableError(problems)
    outcomes = [OUTCOMES[label.strip().lower()] for label in columns["winner"][1]]
    models = sorted({*columns["model_a"][1], *columns["model_b"][1]})
    place = {name: number for number, name in enumerate(models)}
    sides = []
    for name in ("model_a", "model_b"):
        codes, labels = columns[name]
        sides.append(np.array([place[label] for label in labels], dtype=np.int32)[codes])
    judges, names = columns.get(JUDGE, (np.zeros(table.num_rows, dtype=np.int32), ("",)))
    nothing = np.zeros(table.num_rows, dtype=np.int32)
    pairs = Pairs(
        systems=tuple(models),
        first=sides[0],
        second=sides[1],
        outcome=np.array(outcomes, dtype=np.int8)[columns["winner"][0]],
        screen=nothing,
        rater=judges,
        item=nothing,
        raters=names,
        items=("",),
    )
    return Votes(pairs, JUDGE in columns)


def arena_strengths(votes: Votes, *, ties: str = "half", alpha: float = 0.05) -> BradleyTerry:
    """Fit Bradley–Terry to votes, with errors clustered by judge.

    Parameters
    ----------
    votes : from `read_votes`
    ties : `half`: half a win for each, as arenas count them; or `davidson`
    alpha : 1 − confidence of all intervals together

    Raises
    ------
    RankingError : models that cannot be ranked
    Undefined : fewer than three judges

    Source
    ------
    Bradley & Terry (1952); arenas: Chiang et al. (2024).
    """
    generality = "raters" if votes.has_judges else INDEPENDENT
    return bradley_terry(votes.pairs, ties=ties, generality=generality, alpha=alpha)


def arena_score(ability: float) -> float:
    """Turn log-odds into the points that arenas print: 400 are ten to one.

    Parameters
    ----------
    ability : in log-odds, with a mean of 0 over all models
    """
    return float(OFFSET + SCALE * ability)


def _read(source: str | Path | IO[bytes]) -> pa.Table:
    """Read the columns of votes alone, as labels by number."""
    known = [*NEEDED, JUDGE]
    with _opened(source) as file:
        head = file.read(4)
        file.seek(0)
        if head == b"PAR1":
            names = [name for name in known if name in parquet.ParquetFile(file).schema_arrow.names]
            _require(names)
            file.seek(0)
            table = parquet.read_table(file, columns=names, read_dictionary=names)
            table = table.cast(pa.schema([(name, LABELS) for name in names]))
        else:
            line = file.read(1 << 16).split(b"\n", 1)[0].decode("utf-8-sig").strip()
            names = [
                name for name in known if name in [each.strip('" ') for each in line.split(",")]
            ]
            _require(names)
            file.seek(0)
            table = arrow_csv.read_csv(
                file,
                convert_options=arrow_csv.ConvertOptions(
                    include_columns=names, column_types=dict.fromkeys(names, LABELS)
                ),
            )
    return table.unify_dictionaries()


def _opened(source: str | Path | IO[bytes]) -> pa.NativeFile:
    if isinstance(source, str | Path):
        return pa.OSFile(str(source))
    return pa.BufferReader(source.read())


def _require(names: list[str]) -> None:
    missing = [name for name in NEEDED if name not in names]
    if missing:
        raise TableError(
            [f"Missing column: {', '.join(missing)}. Votes have the columns {', '.join(NEEDED)}."]
        )


def _coded(column: pa.ChunkedArray) -> tuple[Codes, tuple[str, ...]]:
    """Return codes and labels; an empty cell is the code of a label that is empty."""
    if not column.num_chunks:
        return np.zeros(0, dtype=np.int32), ()
    labels = tuple(column.chunk(0).dictionary.to_pylist())
    empty = len(labels)
    codes = [chunk.indices.fill_null(empty).to_numpy() for chunk in column.chunks]
    found = np.concatenate(codes).astype(np.int32, copy=False)
    return found, (*labels, "") if (found == empty).any() else labels


def _problems(columns: dict[str, tuple[Codes, tuple[str, ...]]]) -> Iterator[str]:
    """Yield what is wrong, with the vote counted from 1; few of each kind."""
    if not len(columns["winner"][0]):
        yield "There is no vote."
        return
    for name, (codes, labels) in columns.items():
        for place in _first_rows(codes, [k for k, label in enumerate(labels) if not label.strip()]):
            yield f"Vote {place}: {name} is empty."
    codes, labels = columns["winner"]
    for k, label in enumerate(labels):
        if label.strip() and label.strip().lower() not in OUTCOMES:
            place = next(_first_rows(codes, [k]))
            yield (
                f"Vote {place}: winner is {label!r}, but must be model_a, model_b, tie or both_bad."
            )
    a, b = (columns[name] for name in ("model_a", "model_b"))
    place_of = {label: k for k, label in enumerate(b[1])}
    same = np.array([place_of.get(label, -1) for label in a[1]], dtype=np.int64)[a[0]] == b[0]
    for row in np.flatnonzero(same)[:MOST_PROBLEMS].tolist():
        yield f"Vote {row + 1} compares {a[1][a[0][row]]!r} with itself."


def _first_rows(codes: Codes, wanted: list[int]) -> Iterator[Any]:
    if wanted:
        yield from (np.flatnonzero(np.isin(codes, wanted))[:MOST_PROBLEMS] + 1).tolist()
