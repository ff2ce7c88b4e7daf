"""DataFrames as the files that a site reads, and its files as DataFrames."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence

import pandas as pd

from .errors import RankmeClientError

# Names stay texts: an item "007" is not 7, and a system "NA" is not a missing value.
NAMES = ("item", "system", "rater", "criterion", "screen", "text", "cannot_judge", "document")
FORMULA_START = re.compile(r"'\s*[=+\-@\t\r]")


class BadFrame(RankmeClientError):
    """A DataFrame that cannot be uploaded as it is."""


def csv_of(frame: pd.DataFrame) -> bytes:
    """The rows as CSV, without the index."""
    if frame.empty:
        raise BadFrame("The table has no rows.")
    return frame.to_csv(index=False, lineterminator="\n").encode()


def frame_of(content: bytes, *, texts: Sequence[str] = NAMES) -> pd.DataFrame:
    """A CSV file of the site. Only an empty cell is missing, and only where numbers are."""
    header = pd.read_csv(io.BytesIO(content), nrows=0).columns
    named: dict[str, type] = {name: str for name in header if name.lower() in texts}
    frame = pd.read_csv(
        io.BytesIO(content),
        dtype=named,
        keep_default_na=False,
        na_values={name: [""] for name in header if name not in named},
    )
    for name in named:
        frame[name] = frame[name].map(without_guard)
    return frame


def without_guard(text: str) -> str:
    """The name again, where the site kept a spreadsheet from running it as a formula."""
    return text[1:] if FORMULA_START.match(text) else text


def long_of(
    frame: pd.DataFrame,
    *,
    systems: Sequence[str] = (),
    item: str = "item",
    system: str = "system",
    output: str = "output",
    more: Sequence[str] = ("input", "reference", "context"),
) -> pd.DataFrame:
    """A row for each output, with the columns item, system, output and what describes the item.

    Parameters
    ----------
    frame : a row for each output; or with `systems` a row for each item, and a column for each of
        these systems
    item : the column that names the items; without it, the index does
    more : columns that are taken along if they exist
    """
    if item not in frame.columns:
        frame = frame.rename_axis(item).reset_index()
    kept = [name for name in more if name in frame.columns]
    if systems:
        _require(frame, systems)
        frame = frame.melt([item, *kept], list(systems), var_name=system, value_name=output)
    _require(frame, [item, system, output])
    frame = frame[[item, system, output, *kept]].rename(
        columns={item: "item", system: "system", output: "output"}
    )
    if (missing := frame["output"].isna()).any():
        where = frame.loc[missing].iloc[0]
        raise BadFrame(f"Item “{where['item']}” has no output of “{where['system']}”.")
    return frame


def _require(frame: pd.DataFrame, columns: Sequence[str]) -> None:
    if missing := [name for name in columns if name not in frame.columns]:
        there = ", ".join(map(str, frame.columns))
        raise BadFrame(f"There is no column “{missing[0]}”. The table has: {there}.")
