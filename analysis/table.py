"""The judgement table: one row for each value that a rater gave an output on a criterion."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, NamedTuple, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
from numpy.typing import NDArray

from analysis.errors import TableError
from analysis.scales.codes import compact, distinct
from analysis.typing import Codes, Flags, Values

LABEL_COLUMNS = ("rater", "item", "system", "criterion", "screen")
REQUIRED_COLUMNS = ("rater", "item", "system", "criterion", "value", "screen")
FLAG_COLUMNS = ("excluded", "late")
OWN_COLUMNS = (*REQUIRED_COLUMNS, "time_ms", *FLAG_COLUMNS)
# Factors that say where a judgement was made: the place of the output on its screen, and of the
# screen in its rater's work.
POSITION, ORDER = "position", "order"


class Column(NamedTuple):
    """Labels by number: row r holds `labels[codes[r]]`; labels are sorted and all in use."""

    codes: Codes
    labels: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class JudgementTable:
    """Judgements as columns of equal length, shape (judgements,); make one with `from_columns`.

    `value` is in the criterion's own unit. `screen` names the outputs that were rated together;
    `screens` numbers them in a way that does not depend on these names.
    `factors` are further properties of the row (`entity_type`, `domain`, …). `time_ms` is NaN
    where no time was taken. `excluded` marks rows of raters who are excluded; `late` marks work
    that came in after its batch had been handed to somebody else.
    """

    rater: Column
    item: Column
    system: Column
    criterion: Column
    screen: Column
    value: Values
    factors: Mapping[str, Column] = field(default_factory=dict)
    time_ms: Values | None = None
    excluded: Flags | None = None
    late: Flags | None = None

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Sequence[object] | NDArray[Any] | Column],
    ) -> Self:
        """Make a table from columns under the names of the CSV; other names are factors.

        Label columns may be sequences of text or ready `Column`s (labels in any order).
        Without a column `screen`, each rater saw each item on one screen, as the site reads such
        files. Raises TableError with every problem and its row (counted from 1).
        """
        require_columns(columns)
        if "screen" not in columns:
            columns = {**columns, "screen": _one_screen_each(columns["rater"], columns["item"])}
        values = np.asarray(columns["value"], dtype=np.float64) + 0.0  # makes -0.0 plain 0.0
        _require_equal_lengths(columns, len(values))
        labels = {name: column_of(columns[name]) for name in LABEL_COLUMNS}
        factors = {name: column_of(columns[name]) for name in columns if name not in OWN_COLUMNS}
        times = columns.get("time_ms")
        table = cls(
            **labels,
            value=values,
            factors=dict(sorted(factors.items())),
            time_ms=None if times is None else np.asarray(times, dtype=np.float64),
            excluded=_flags(columns.get("excluded")),
            late=_flags(columns.get("late")),
        )
        problems = list(_problems(table))
        if problems:
            raise TableError(problems)
        return table

    def __len__(self) -> int:
        return len(self.value)

    @cached_property
    def sha256(self) -> str:
        """A hash of the content that does not depend on the order of the rows."""
        numbers = self._numbers()
        order = np.lexsort([numbers[name] for name in sorted(numbers)])
        digest = hashlib.sha256()
        for name in sorted(numbers):
            labels = self._label_columns().get(name, Column(self.screen.codes, ())).labels
            digest.update(json.dumps([name, labels], ensure_ascii=False).encode())
            stored_type = "<f8" if numbers[name].dtype.kind == "f" else "<i4"
            digest.update(numbers[name][order].astype(stored_type).tobytes())
        return digest.hexdigest()

    def rows(self, mask: NDArray[Any]) -> Self:
        """Only the rows that a mask or an index array picks; labels out of use are dropped.

        A mask that picks them all gives the table itself: a copy of a large one is half a gigabyte.
        """
        if mask.dtype == np.bool_ and mask.all() and self._uses_all_labels():
            return self
        return type(self)(
            **{name: _picked(getattr(self, name), mask) for name in LABEL_COLUMNS},
            value=self.value[mask],
            factors={name: _picked(column, mask) for name, column in self.factors.items()},
            time_ms=None if self.time_ms is None else self.time_ms[mask],
            excluded=None if self.excluded is None else self.excluded[mask],
            late=None if self.late is None else self.late[mask],
        )

    def in_order(self) -> Self:
        """Return the rows by rater, item, screen, system and criterion, so that sums are equal in
        every digit whatever the order in which the rows came and the names of their screens."""
        order = np.lexsort([self.criterion.codes, self.system.codes, self.screens])
        is_in_order = (order[1:] > order[:-1]).all()
        if is_in_order:
            return self
        ordered = self.rows(order)
        # Their numbers do not depend on the order, and take seconds for millions of judgements.
        vars(ordered)["screens"] = self.screens[order]
        return ordered

    @cached_property
    def screens(self) -> Codes:
        """Number what each rater rated together by rater, item and content, shape (judgements,).

        A site names screens by numbers of its database, which differ between two campaigns with
        the same judgements. So a name only tells a rater's screens of one item apart.
        """
        cells = compact(self.rater.codes.astype(np.int64) * len(self.item.labels) + self.item.codes)
        names, labels = self.screen.codes, len(self.screen.labels)
        cell_of_name = np.zeros(labels, dtype=np.int64)
        cell_of_name[names] = cells
        if (cell_of_name[names] == cells).all():  # as on a site: there are fewer names than rows
            screens = compact(compact(cell_of_name * labels + np.arange(labels))[names])
        else:
            screens = compact(cells * labels + names)
        number = int(screens.max(initial=-1)) + 1
        if number <= cells.max(initial=-1) + 1:  # the usual case: an item has one screen
            return screens.astype(np.int32)
        cell_of = np.empty(number, dtype=np.int64)
        cell_of[screens] = cells
        order = np.lexsort([self._content_of(screens), cell_of])
        number_of = np.empty(len(order), dtype=np.int32)
        number_of[order] = np.arange(len(order), dtype=np.int32)
        return number_of[screens]

    def _content_of(self, screens: NDArray[Any]) -> NDArray[np.uint64]:
        """Return a sum of random keys for the rows of each screen: equal rows make equal sums."""
        rng = np.random.default_rng(0)  # any keys do: they only have to be distinct
        content = np.zeros(len(screens), dtype=np.int64)
        for name, numbers in sorted(self._numbers().items()):
            if name != "screen":
                codes = compact(numbers)
                content = content * (int(codes.max(initial=0)) + 1) + codes
                content = compact(content)
        keys = rng.integers(2**62, size=int(content.max(initial=-1)) + 1, dtype=np.uint64)
        sums = np.zeros(int(screens.max(initial=-1)) + 1, dtype=np.uint64)
        np.add.at(sums, screens, keys[content])
        return sums

    def for_criterion(self, name: str) -> Self:
        """Select the judgements on one criterion; refuse an unknown one, naming the known."""
        if name not in self.criterion.labels:
            known = ", ".join(self.criterion.labels) or "none"
            raise TableError([f"There is no criterion {name!r}; the table has: {known}."])
        return self.rows(self.criterion.codes == self.criterion.labels.index(name))

    def without_raters(self, names: Collection[str]) -> Self:
        """Leave out the judgements of these raters; refuse an unknown rater."""
        unknown = sorted(set(names) - set(self.rater.labels))
        if unknown:
            raise TableError([f"There is no rater {name!r} to exclude." for name in unknown])
        gone = np.isin(np.array(self.rater.labels, dtype=object), list(names))
        return self.rows(~gone[self.rater.codes]) if gone.any() else self

    def groups(self, name: str) -> Column:
        """Return the units that resampling draws: the values of a factor, or for "" the items.

        Raises TableError where there is no such factor, or an item has two of its values.
        """
        if not name:
            return self.item
        if name not in self.factors:
            known = ", ".join(self.factors) or "none"
            raise TableError([f"There is no factor {name!r}; the table has: {known}."])
        groups = self.factors[name]
        cells = self.item.codes.astype(np.int64) * len(groups.labels) + groups.codes
        if distinct(cells) > len(self.item.labels):
            raise TableError([f"Items differ in the factor {name!r}, so it cannot group them."])
        return groups

    def counted(self) -> Self:
        """Leave out the judgements of excluded raters."""
        if self.excluded is None or not self.excluded.any():
            return self
        return self.rows(~self.excluded)

    def _uses_all_labels(self) -> bool:
        columns = self._label_columns().values()
        return all(np.bincount(each.codes, minlength=len(each.labels)).all() for each in columns)

    def _label_columns(self) -> dict[str, Column]:
        named = {name: getattr(self, name) for name in LABEL_COLUMNS}
        return {**named, **{f"factor {name}": cells for name, cells in self.factors.items()}}

    def _numbers(self) -> dict[str, NDArray[Any]]:
        """Return every column as numbers, by name; flags that are all false are left out."""
        numbers: dict[str, NDArray[Any]] = {
            name: column.codes for name, column in self._label_columns().items()
        }
        numbers["value"] = self.value
        if self.time_ms is not None:
            numbers["time_ms"] = np.nan_to_num(self.time_ms, nan=-1.0)
        for name in FLAG_COLUMNS:
            flags = getattr(self, name)
            if flags is not None and flags.any():
                numbers[name] = flags
        return numbers


# --- columns -------------------------------------------------------------------------------


def column_of(cells: Any) -> Column:
    """Number the labels in sorted order, regardless of the order in which they arrive.

    Parameters
    ----------
    cells : labels: a sequence, or an Arrow array
    """
    if isinstance(cells, Column):
        return _sorted_column(np.asarray(cells.codes), pa.array(cells.labels, pa.string()))

    encoded = pa.array([str(cell) for cell in cells], type=pa.string()).dictionary_encode()
    return _sorted_column(encoded.indices.to_numpy(), encoded.dictionary)


def _sorted_column(codes: NDArray[Any], labels: pa.StringArray) -> Column:
    """Sort labels, some of which may be equal or out of use.

    In Arrow, whose order is Python's, too: millions of names of screens as Python's own texts and
    pairs would take more memory than all other columns.
    """
    used = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    distinct = labels.take(pa.array(used)).dictionary_encode()
    order = compute.array_sort_indices(distinct.dictionary)
    place = np.empty(len(order), dtype=np.int32)
    place[order.to_numpy()] = np.arange(len(order), dtype=np.int32)
    number_of = np.zeros(len(labels), dtype=np.int32)
    number_of[used] = place[distinct.indices.to_numpy()]
    return Column(number_of[codes], tuple(distinct.dictionary.take(order).to_pylist()))


def _one_screen_each(raters: Any, items: Any) -> Column:
    """Return a screen for each rater and item."""
    rater, item = column_of(raters), column_of(items)
    if len(rater.codes) != len(item.codes):
        return rater  # the columns have different lengths, which is refused
    pairs = rater.codes.astype(np.int64) * max(len(item.labels), 1) + item.codes
    distinct, codes = np.unique(pairs, return_inverse=True)
    return Column(codes.astype(np.int32), tuple(str(pair) for pair in distinct.tolist()))


def _picked(column: Column, mask: NDArray[Any]) -> Column:
    """Pick rows; the labels that remain keep their order."""
    codes = column.codes[mask]
    used = np.bincount(codes, minlength=len(column.labels)) > 0
    if used.all():
        return Column(codes, column.labels)
    number_of = (np.cumsum(used) - 1).astype(np.int32)
    return Column(
        number_of[codes],
        tuple(label for label, in_use in zip(column.labels, used, strict=True) if in_use),
    )


def _flags(cells: Any) -> Flags | None:
    return None if cells is None else np.asarray(cells, dtype=bool)


# --- problems --------------------------------------------------------------------------------


def require_columns(columns: Collection[str]) -> None:
    """Refuse columns that do not make a judgement table.

    Parameters
    ----------
    columns : of the header

    Raises
    ------
    TableError : with every column that is missing
    """
    missing = [name for name in REQUIRED_COLUMNS if name not in {*columns, "screen"}]
    if missing:
        raise TableError(
            [
                f"Missing column: {', '.join(missing)}. A judgement table has the columns "
                f"{', '.join(REQUIRED_COLUMNS)}."
            ]
        )


def _require_equal_lengths(columns: Mapping[str, Any], length: int) -> None:
    problems = []
    for name, cells in columns.items():
        found = len(cells.codes if isinstance(cells, Column) else cells)
        if found != length:
            problems.append(f"Column {name} has {found} rows, but value has {length}.")
    if problems:
        raise TableError(problems)


def _problems(table: JudgementTable) -> Iterator[str]:
    """Yield every problem of a table's content, with the row counted from 1."""
    for row in np.flatnonzero(~np.isfinite(table.value)):
        yield f"Row {row + 1}: value is {table.value[row]}, not a finite number."
    for name in LABEL_COLUMNS:
        column = getattr(table, name)
        blank = [code for code, label in enumerate(column.labels) if not label.strip()]
        for row in np.flatnonzero(np.isin(column.codes, blank)):
            yield f"Row {row + 1}: {name} is empty."
    if table.time_ms is not None:
        for row in np.flatnonzero(table.time_ms < 0):
            yield f"Row {row + 1}: time_ms is negative."
    for first, again in _duplicates(table):
        yield f"Row {again + 1} judges the same output as row {first + 1}."


def _duplicates(table: JudgementTable) -> list[tuple[int, int]]:
    """Rows (first, again) in which a rater judges one output twice on a screen and criterion."""
    key = table.screen.codes.astype(np.int64)
    for column in (table.system, table.criterion):
        key = key * len(column.labels) + column.codes
    key.sort()
    if not (key[1:] == key[:-1]).any():  # the usual case: screens have one rater and one item
        return []
    seen: dict[tuple[int, ...], int] = {}
    columns = [getattr(table, name).codes.tolist() for name in LABEL_COLUMNS]
    return [
        (seen[cell], row)
        for row, cell in enumerate(zip(*columns, strict=True))
        if seen.setdefault(cell, row) != row
    ]


# --- columns as a file: read in a fiftieth of the time of the CSV --------------------------------


def arrow_of(table: JudgementTable) -> pa.Table:
    """Arrange the judgements as a table of Arrow, labels as dictionaries.

    Parameters
    ----------
    table : the judgements

    Returns
    -------
    pyarrow.Table : the rows in the same order; only columns that the table has
    """
    columns: dict[str, Any] = {name: _dictionary(getattr(table, name)) for name in LABEL_COLUMNS}
    for name in ("value", "time_ms", "excluded", "late"):
        if getattr(table, name) is not None:
            columns[name] = getattr(table, name)
    columns |= {name: _dictionary(factor) for name, factor in table.factors.items()}
    return pa.table(columns)


def write_columns(table: JudgementTable, file: IO[bytes]) -> None:
    """Write what `read_columns` reads.

    Parameters
    ----------
    table : the judgements
    file : open binary file
    """
    rows = arrow_of(table)
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_file(file, rows.schema, options=options) as writer:
        writer.write_table(rows)


def read_columns(content: bytes) -> JudgementTable:
    """Read what `write_columns` wrote: the same rows in the same order, unchecked.

    Parameters
    ----------
    content : of the file

    Returns
    -------
    JudgementTable : equal to the one that was written
    """
    file = pa.BufferReader(content)
    names = pa.ipc.open_file(file).schema.names
    columns: dict[str, Any] = {}
    for place, name in enumerate(names):  # one by one: all of them unpacked are the table once more
        alone = pa.ipc.IpcReadOptions(included_fields=[place])
        columns[name] = _own(pa.ipc.open_file(file, options=alone).read_all().column(0))
    release_memory()
    factors = {name: columns.pop(name) for name in names if name not in OWN_COLUMNS}
    return JudgementTable(**columns, factors=factors)


def release_memory() -> None:
    """Free what Arrow keeps after reading or writing, as large as the file."""
    pa.default_memory_pool().release_unused()


def _dictionary(column: Column) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(column.codes, pa.array(column.labels, pa.string()))


def _own(cells: pa.ChunkedArray) -> Any:
    """Copy a column out of the file's memory, which ends with the file."""
    whole = cells.combine_chunks()
    if pa.types.is_dictionary(whole.type):
        return Column(whole.indices.to_numpy().copy(), tuple(whole.dictionary.to_pylist()))
    return whole.to_numpy(zero_copy_only=False).copy()
