"""Judgements collected elsewhere: the E2E challenge's RankME files, and our own long export."""

from __future__ import annotations

import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from analysis.e2e_ratings import INPUT, RATER, layout_of, ratings_of
from analysis.table_files import unguarded
from rankme.importing.limits import LIMITS, Limits
from rankme.importing.preview import FilePreview
from rankme.importing.problems import FileProblem, ImportRefused, Problems, StopFile
from rankme.importing.records import Record, Shape, columns_missing, records, shape_of, without
from rankme.importing.rows import ItemRow, JudgementRow, OutputRow
from rankme.importing.sources import Paths, Progress, SourceFile, Sources, open_sources
from rankme.importing.spool import (
    ROWS_AT_ONCE,
    Place,
    Spool,
    digest_of,
    open_spool,
    read_items,
    read_judgements,
    read_outputs,
)
from rankme.untrusted.clean_text import LARGEST_NUMBER

NAMES = ("rater", "item", "system", "criterion", "screen")
LONG_COLUMNS = (*NAMES, "value")
FLAGS = ("late", "excluded")
OWN_COLUMNS = (*LONG_COLUMNS, "time_ms", "input", "output", *FLAGS)
TRUE_WORDS = {"1", "true", "yes"}
FALSE_WORDS = {"", "0", "false", "no"}

E2E_TIME = "%m/%d/%Y %H:%M:%S"
LONGEST_NAME = 500


@dataclass(frozen=True)
class CriterionPreview:
    """A criterion as its values show it; `labels` name values where the file has names."""

    name: str
    judgements: int
    lowest: float
    highest: float
    whole_numbers: bool
    labels: dict[float, str]


@dataclass(frozen=True)
class JudgementPreview:
    """The whole of the judgements in one page."""

    format: str
    n_judgements: int
    n_screens: int
    n_raters: int
    n_items: int
    systems: tuple[str, ...]
    criteria: tuple[CriterionPreview, ...]
    files: tuple[FilePreview, ...]
    notes: tuple[str, ...]


class JudgementMaterial:
    """Checked judgements on their way in, with the items, systems and outputs they are about."""

    def __init__(self, spool: Path, preview: JudgementPreview) -> None:
        self.preview = preview
        self._folder = spool.parent
        self._database = open_spool(spool)

    def items(self) -> Iterator[ItemRow]:
        return read_items(self._database)

    def outputs(self) -> Iterator[OutputRow]:
        """One for each system and item that was judged; without text where the file has none."""
        return read_outputs(self._database)

    def judgements(self) -> Iterator[JudgementRow]:
        """Screen by screen."""
        return read_judgements(self._database)

    def close(self) -> None:
        self._database.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> JudgementMaterial:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(frozen=True)
class Given:
    """What one line says of one output, before it is checked."""

    rater: str
    item: str
    system: str
    criterion: str
    screen: str
    value: str
    input: str = ""
    output: str = ""
    time_ms: str = ""
    label: str = ""
    late: bool = False
    excluded: bool = False
    started_at: str = ""
    submitted_at: str = ""


class JudgementSpool(Spool):
    """Imports judgements together with the items and outputs that they refer to."""

    def __init__(self, path: Path, limits: Limits, problems: Problems) -> None:
        super().__init__(path, limits, problems)
        self.raters: dict[str, int] = {}
        self.criteria: dict[str, int] = {}
        self.labels: dict[int, dict[float, str]] = {}
        self.factor_names: tuple[str, ...] = ()
        self._varying: set[int] = set()
        self._factors_of_items: dict[int, tuple[str, ...]] = {}
        self._screens: dict[int, int] = {}
        self._screen_rows: list[tuple[Any, ...]] = []
        self._rows: list[tuple[Any, ...]] = []

    def add_judgement(self, given: Given, factors: Mapping[str, str], place: Place) -> None:
        before = self.problems.count
        value = self._number(given.value, "value", place)
        time_ms = self._time(given.time_ms, place)
        self._check_names(given, place)
        system = self.system_number(given.system, place) if given.system.strip() else None
        if self.problems.count > before or system is None or value is None:
            return
        item = self.item_or_new(given.item, place, input=given.input)
        if item is None:
            return
        values = tuple(factors.get(name, "") for name in self.factor_names)
        if values:
            self._note_factors(item, values)
        self.add_output(system, item, given.output, place)
        criterion = self.criteria.setdefault(given.criterion, len(self.criteria))
        if given.label:
            self.labels.setdefault(criterion, {})[value] = given.label
        row = (self._screen(given, item), system, criterion, value, time_ms, given.label)
        kept = json.dumps(values, ensure_ascii=False)
        self._rows.append((*row, given.late, given.excluded, kept, place[0].number, place[1]))
        if len(self._rows) >= ROWS_AT_ONCE:
            self._write_judgements()

    def _number(self, cell: str, column: str, place: Place) -> float | None:
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or "_" in cell:
            self.problem(place, column, f'"{cell[:40]}" is not a finite number.')
        elif abs(number) >= LARGEST_NUMBER:
            self.problem(place, column, f'"{cell[:40]}" is too large: the limit is 2^63.')
        else:
            return number + 0.0
        return None

    def _time(self, cell: str, place: Place) -> float | None:
        if not cell:
            return None
        time_ms = self._number(cell, "time_ms", place)
        if time_ms is not None and time_ms < 0:
            self.problem(place, "time_ms", "A time cannot be negative.")
        return time_ms

    def _check_names(self, given: Given, place: Place) -> None:
        for column in NAMES:
            name = getattr(given, column)
            if not name.strip():
                self.problem(place, column, "The cell is empty.")
            elif len(name) > LONGEST_NAME and column != "item":
                self.problem(place, column, f"The cell is longer than {LONGEST_NAME} characters.")

    def _screen(self, given: Given, item: int) -> int:
        rater = self.raters.setdefault(given.rater, len(self.raters))
        key = digest_of(f"{rater} {item} {given.screen}")
        number = self._screens.get(key)
        if number is None:
            number = self._screens[key] = len(self._screens)
            times = (given.started_at, given.submitted_at)
            self._screen_rows.append((number, given.screen, rater, item, *times))
        return number

    def _note_factors(self, item: int, values: tuple[str, ...]) -> None:
        """Find out which factors are properties of the item: they are the same in all its rows."""
        first = self._factors_of_items.setdefault(item, values)
        if first != values:
            pairs = enumerate(zip(first, values, strict=True))
            self._varying |= {place for place, (one, other) in pairs if one != other}

    def _write_judgements(self) -> None:
        self.database.executemany(
            f"INSERT INTO screen VALUES ({', '.join('?' * 6)})", self._screen_rows
        )
        self.database.executemany(
            f"INSERT INTO judgement VALUES ({', '.join('?' * 11)})", self._rows
        )
        self._screen_rows.clear()
        self._rows.clear()

    def finish_judgements(self, files: Sequence[SourceFile]) -> None:
        self._write_judgements()
        for table, names in (("rater", self.raters), ("criterion", self.criteria)):
            self.database.executemany(
                f"INSERT INTO {table} VALUES (?, ?)", [(n, name) for name, n in names.items()]
            )
        self.finish(files)
        self._part_factors()
        self.database.execute(
            "CREATE INDEX judgement_place ON judgement (screen, system, criterion)"
        )
        self._note_judgements_again(files)

    def _note_outputs_again(self, files: Sequence[SourceFile]) -> None:
        """Every judgement brought its output's text: they must agree, and one is kept."""
        differing = self.database.execute(
            """SELECT o.file, o.line, o.system, first.line FROM output o
            JOIN (
                SELECT system, item, min(rowid) AS id FROM output GROUP BY system, item
                HAVING min(digest) <> max(digest)
            ) various ON various.system = o.system AND various.item = o.item
            JOIN output first ON first.rowid = various.id
            WHERE first.digest <> o.digest"""
        )
        for file, line, system, first in differing:
            name = self.system_names[system]
            message = f'On line {first}, system "{name}" has a different output for this item.'
            self.problems.add(files[file].label, line, "output", message)
        self.database.execute(
            "DELETE FROM output WHERE rowid NOT IN "
            "(SELECT min(rowid) FROM output GROUP BY system, item)"
        )

    def _part_factors(self) -> None:
        """Give factors that never vary within an item to the items, and leave the rest."""
        of_items = {
            place: name
            for place, name in enumerate(self.factor_names)
            if place not in self._varying
        }
        self.database.executemany(
            "INSERT INTO factor VALUES (?, ?, ?)",
            [(place, name, place in of_items) for place, name in enumerate(self.factor_names)],
        )
        self.database.executemany(
            "UPDATE item SET factors = ? WHERE id = ?",
            (
                (_factors_text({name: values[n] for n, name in of_items.items()}), item)
                for item, values in self._factors_of_items.items()
            ),
        )

    def _note_judgements_again(self, files: Sequence[SourceFile]) -> None:
        again = self.database.execute(
            """SELECT j.file, j.line, first.line FROM judgement j
            JOIN (
                SELECT screen, system, criterion, min(rowid) AS id FROM judgement
                GROUP BY screen, system, criterion HAVING count(*) > 1
            ) twice USING (screen, system, criterion)
            JOIN judgement first ON first.rowid = twice.id
            WHERE j.rowid <> twice.id"""
        )
        for file, line, first in again:
            message = f"This judgement already appears on line {first}."
            self.problems.add(files[file].label, line, "", message)


def _factors_text(factors: dict[str, str]) -> str:
    filled = {name: value for name, value in factors.items() if value}
    return json.dumps(filled, ensure_ascii=False) if filled else ""


# --- formats ---------------------------------------------------------------------------------


def is_e2e_ratings(file: SourceFile) -> Shape | None:
    """The shape of a file of ratings, numbered columns or not."""
    shape = shape_of(file, (RATER, INPUT))
    return shape if shape and layout_of(shape.columns) else None


def read_e2e_ratings(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    """One screen a line; see `analysis.e2e_ratings`."""
    shape = is_e2e_ratings(file)
    layout = layout_of(shape.columns) if shape else None
    if shape is None or layout is None:
        missing = columns_missing(file, (RATER, INPUT, "sys1", "quality1"))
        sources.problems.add(file.label, 1, "", missing)
        return
    if layout.has_units:
        spool.factor_names = ("unit",)
    for number, (line, record) in enumerate(records(sources, file, shape), start=1):
        place = (file, line)
        started_at, submitted_at = (
            _time_of(record, column, spool, place) for column in ("_started_at", "_created_at")
        )
        factors = {"unit": record["_unit_id"]} if layout.has_units else {}
        for each in ratings_of(layout, record, number):
            if each.fault:
                spool.problem(place, each.column, each.fault)
                continue
            given = Given(
                rater=each.rater,
                item=each.item,
                system=each.system,
                criterion=each.criterion,
                screen=each.screen,
                value=each.value,
                input=each.input,
                output=each.output,
                label=each.label,
                started_at=started_at,
                submitted_at=submitted_at,
            )
            spool.add_judgement(given, factors, place)


def _time_of(record: Record, column: str, spool: JudgementSpool, place: Place) -> str:
    cell = record.get(column, "")
    if not cell:
        return ""
    try:
        return datetime.strptime(cell, E2E_TIME).isoformat()
    except ValueError:
        spool.problem(place, column, f'"{cell[:40]}" is not a time such as 11/28/2017 14:51:43.')
        return ""


def is_long_judgements(file: SourceFile) -> Shape | None:
    return shape_of(file, LONG_COLUMNS)


def read_long_judgements(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    """The site's own export: one value per line; unknown columns are factors."""
    shape = shape_of(file, LONG_COLUMNS)
    if shape is None:
        sources.problems.add(file.label, 1, "", columns_missing(file, LONG_COLUMNS))
        return
    spool.factor_names = tuple(name for name in shape.columns if name not in OWN_COLUMNS)
    for line, written in records(sources, file, shape):
        missing = [name for name in LONG_COLUMNS if name not in written]
        for name in missing:
            sources.problems.add(file.label, line, name, f'The line has no "{name}".')
        if missing:
            continue
        record = {name: unguarded(cell) for name, cell in written.items()}
        given = Given(
            rater=record["rater"],
            item=record["item"],
            system=record["system"],
            criterion=record["criterion"],
            screen=record["screen"],
            value=record["value"],
            input=record.get("input", ""),
            output=record.get("output", ""),
            time_ms=record.get("time_ms", ""),
            late=_flag(record, "late", spool, (file, line)),
            excluded=_flag(record, "excluded", spool, (file, line)),
        )
        spool.add_judgement(given, without(record, OWN_COLUMNS), (file, line))


def _flag(record: Record, column: str, spool: JudgementSpool, place: Place) -> bool:
    word = record.get(column, "").strip().lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        spool.problem(place, column, f'"{word[:40]}" must be 1 or 0.')
    return word in TRUE_WORDS


@dataclass(frozen=True)
class JudgementReader:
    """One format of judgements: how to know it, and how to read it into the spool."""

    title: str
    recognises: Callable[[SourceFile], Shape | None]
    read: Callable[[Sources, JudgementSpool, SourceFile], None]


JUDGEMENT_READERS: dict[str, JudgementReader] = {
    "e2e": JudgementReader(
        "Ratings as the E2E challenge and RankME published them: one screen per line",
        is_e2e_ratings,
        read_e2e_ratings,
    ),
    "long": JudgementReader(
        "One judgement per line: rater, item, system, criterion, value, screen",
        is_long_judgements,
        read_long_judgements,
    ),
}


def read_judgement_material(
    paths: Paths,
    format: str | None = None,
    *,
    limits: Limits = LIMITS,
    progress: Progress | None = None,
) -> JudgementMaterial:
    """Read and check judgements; takes and raises the same as `read_material`."""
    folder = Path(tempfile.mkdtemp(prefix="rankme-import-"))
    try:
        preview = _spool(paths, format, folder / "spool.sqlite", limits, progress)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return JudgementMaterial(folder / "spool.sqlite", preview)


def _spool(
    paths: Paths, format: str | None, path: Path, limits: Limits, progress: Progress | None
) -> JudgementPreview:
    problems = Problems(limits.listed_problems)
    with open_sources(paths, limits, problems, progress) as sources:
        file = _only_file(sources)
        name = _known_format(format, sources, file)
        spool = JudgementSpool(path, limits, problems)
        try:
            with suppress(StopFile):
                JUDGEMENT_READERS[name].read(sources, spool, file)
            spool.finish_judgements(sources.files)
            preview = _preview(name, spool)
            if not preview.n_judgements and not problems.count:
                problems.add(file.label, None, "", "The file has no judgements.")
            problems.refuse_if_any()
            spool.commit()
        finally:
            spool.database.close()
        if progress:
            progress(sources.total_bytes, sources.total_bytes)
    return preview


def _only_file(sources: Sources) -> SourceFile:
    if len(sources.files) > 1:
        message = "Upload judgements as one file."
        sources.problems.add(sources.files[1].label, None, "", message)
        sources.problems.refuse_if_any()
    return sources.files[0]


def _known_format(format: str | None, sources: Sources, file: SourceFile) -> str:
    if format and format not in JUDGEMENT_READERS:
        message = f'There is no format "{format}": choose {", ".join(JUDGEMENT_READERS)}.'
        raise ImportRefused([FileProblem("", None, "", message)], 1)
    for name, reader in JUDGEMENT_READERS.items():
        if format == name or (not format and reader.recognises(file)):
            return name
    message = f"The format is not recognised. {columns_missing(file, LONG_COLUMNS)}"
    raise ImportRefused([FileProblem(file.label, 1, "", message)], 1)


def _preview(format: str, spool: JudgementSpool) -> JudgementPreview:
    database = spool.database
    (n_judgements,) = database.execute("SELECT count(*) FROM judgement").fetchone()
    (n_screens,) = database.execute("SELECT count(*) FROM screen").fetchone()
    rows = database.execute(
        """SELECT criterion, count(*), min(value), max(value), max(value <> round(value)) = 0
        FROM judgement GROUP BY criterion ORDER BY criterion"""
    )
    names = list(spool.criteria)
    return JudgementPreview(
        format=format,
        n_judgements=n_judgements,
        n_screens=n_screens,
        n_raters=len(spool.raters),
        n_items=spool.n_items,
        systems=tuple(spool.system_names),
        criteria=tuple(
            CriterionPreview(
                names[number], count, lowest, highest, bool(whole), spool.labels.get(number, {})
            )
            for number, count, lowest, highest, whole in rows
        ),
        files=tuple(
            FilePreview(*row)
            for row in database.execute("SELECT label, rows, bytes, sha256 FROM file ORDER BY id")
        ),
        notes=tuple(spool.notes),
    )
