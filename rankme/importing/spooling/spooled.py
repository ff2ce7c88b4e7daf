"""Reading what a spool holds: checked rows, as often as needed."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Self

from .rows import ItemRow, JudgementRow, MediaRow, OutputRow

ROWS_AT_ONCE = 5_000


def open_spool(path: Path) -> sqlite3.Connection:
    """Open the file for one user at a time; it need not survive a crash."""
    database = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-16000"):
        database.execute(f"PRAGMA {setting}")
    return database


def insert(database: sqlite3.Connection, table: str, rows: Sequence[Sequence[Any]]) -> None:
    """Write rows with a value for each column of the table."""
    if rows:
        slots = ", ".join("?" * len(rows[0]))
        database.executemany(f"INSERT INTO {table} VALUES ({slots})", rows)


class Waiting:
    """Rows on their way into a table, written many at a time."""

    def __init__(self, database: sqlite3.Connection, table: str) -> None:
        self._database, self._table = database, table
        self._rows: list[tuple[Any, ...]] = []

    def add(self, *row: Any) -> None:
        self._rows.append(row)
        if len(self._rows) >= ROWS_AT_ONCE:
            self.write()

    def write(self) -> None:
        insert(self._database, self._table, self._rows)
        self._rows.clear()


class Spooled:
    """Checked rows in a file of their own, which can be read as often as needed."""

    def __init__(self, spool: Path) -> None:
        self._folder = spool.parent
        self._database = open_spool(spool)

    def items(self) -> Iterator[ItemRow]:
        """All items in order of position."""
        return read_items(self._database)

    def outputs(self) -> Iterator[OutputRow]:
        """All outputs in the order of the files."""
        rows = self._database.execute(
            """SELECT system.name, item.key, output.text, output.system, output.item, marks,
                output.media, output.alt
            FROM output
            CROSS JOIN system ON system.id = output.system
            CROSS JOIN item ON item.id = output.item"""
        )
        for row in rows:
            yield OutputRow(*row)

    def output_lines(self) -> Iterator[tuple[str, int]]:
        """The line of its file that each output is from, by the key of its item."""
        yield from self._database.execute(
            "SELECT item.key, output.line FROM output JOIN item ON item.id = output.item"
        )

    def judgements(self) -> Iterator[JudgementRow]:
        """All judgements, screen by screen."""
        names = dict(
            self._database.execute("SELECT position, name FROM factor WHERE NOT is_of_item")
        )
        rows = self._database.execute(
            """SELECT screen, rater.name, item.key, system.name, criterion.name, value,
                screen.name, started_at, submitted_at, time_ms, label, late, excluded,
                judgement.factors
            FROM judgement
            CROSS JOIN screen ON screen.id = judgement.screen
            CROSS JOIN rater ON rater.id = screen.rater
            CROSS JOIN item ON item.id = screen.item
            CROSS JOIN system ON system.id = judgement.system
            CROSS JOIN criterion ON criterion.id = judgement.criterion
            ORDER BY judgement.screen, judgement.rowid"""
        )
        for _, of_screen in groupby(rows, itemgetter(0)):
            places: dict[str, int] = {}
            for row in of_screen:
                yield _judgement(row, places.setdefault(row[3], len(places)), names)

    def media(self) -> Iterator[MediaRow]:
        """The pictures, sounds and films in the order of their numbers."""
        rows = self._database.execute(
            "SELECT id AS number, path, sha256, media_type, kind, size, seconds FROM media"
            " ORDER BY id"
        )
        names = [column[0] for column in rows.description]
        for row in rows:
            facts = dict(zip(names, row, strict=True))
            yield MediaRow(content=content_of(self._folder, row[0]), **facts)

    def close(self) -> None:
        """Forget the rows."""
        self._database.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def read_items(database: sqlite3.Connection) -> Iterator[ItemRow]:
    rows = database.execute(
        """SELECT id, key, input, reference, context, highlight, factors, media, alt
        FROM item ORDER BY id"""
    )
    for position, key, input, reference, context, highlight, factors, *attached in rows:
        texts = (input, reference, context, highlight)
        yield ItemRow(position, key, *texts, json.loads(factors) if factors else {}, *attached)


def _judgement(row: tuple[Any, ...], position: int, names: Mapping[int, str]) -> JudgementRow:
    screen, rater, item, system, criterion, value, screen_name, *rest = row
    started_at, submitted_at, time_ms, label, late, excluded, row_factors = rest
    values = json.loads(row_factors) if names else []
    return JudgementRow(
        screen_number=screen,
        rater=rater,
        item_key=item,
        system=system,
        criterion=criterion,
        value=value,
        screen=screen_name,
        position=position,
        started_at=started_at,
        submitted_at=submitted_at,
        time_ms=time_ms,
        label=label,
        late=bool(late),
        excluded=bool(excluded),
        factors={name: values[place] for place, name in names.items() if values[place]},
    )


def content_of(folder: Path, number: int) -> Path:
    return folder / f"media-{number}"
