"""Keep judgements, with their items and outputs, while they are checked."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankme.importing.files import Place, SourceFile, where
from rankme.untrusted.clean_text import LARGEST_NUMBER

from .spool import NewItem, Spool, digest_of
from .spooled import Waiting, insert

NAMES = ("rater", "item", "system", "criterion", "screen")
LONGEST_NAME = 500


@dataclass(frozen=True)
class Given:
    """One judgement of an output as its line gives it, not checked yet."""

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
    marks: str = ""  # the marks that the value adds up, as JSON
    severities: tuple[str, ...] = ()  # of these marks
    late: bool = False
    excluded: bool = False
    started_at: str = ""
    submitted_at: str = ""


class JudgementSpool(Spool):
    """Imports judgements together with the items and outputs that they refer to."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.raters: dict[str, int] = {}
        self.criteria: dict[str, int] = {}
        self.labels: dict[int, dict[float, str]] = {}
        # The severities of marks, by criterion with marks, in the order in which they came.
        self.marked: dict[int, dict[str, None]] = {}
        self.columns: dict[str, str] = {}  # what the file calls them
        self._screens: dict[int, int] = {}
        self._new_screens = Waiting(self.database, "screen")
        self._new_judgements = Waiting(self.database, "judgement")

    def problem(self, place: Place, column: str, message: str) -> None:
        super().problem(place, self.columns.get(column, column), message)

    def add_judgement(self, given: Given, factors: Mapping[str, str], place: Place) -> None:
        before = self.problems.count
        value = self._number(given.value, "value", place)
        time_ms = self._time(given.time_ms, place)
        self._check_names(given, place)
        system = self.system_number(given.system, place) if given.system.strip() else None
        if self.problems.count > before or system is None or value is None:
            return
        item = self.item_or_new(NewItem(given.item, given.input), place)
        if item is None:
            return
        if given.input:
            self.check_texts(item, {"input": given.input}, place)
        values = self.note_factors(item, factors)
        self.add_output(system, item, given.output, place)
        criterion = self.criteria.setdefault(given.criterion, len(self.criteria))
        if given.label:
            self.labels.setdefault(criterion, {})[value] = given.label
        if given.marks:
            self.marked.setdefault(criterion, {}).update(dict.fromkeys(given.severities))
        label = given.marks or given.label
        row = (self._screen(given, item), system, criterion, value, time_ms, label)
        kept = json.dumps(values, ensure_ascii=False)
        flags = (given.late, given.excluded)
        self._new_judgements.add(*row, *flags, kept, place[0].number, place[1])

    def _number(self, cell: str, column: str, place: Place) -> float | None:
        try:
            number = float(cell)
        except ValueError:
            number = math.nan
        if not math.isfinite(number) or "_" in cell:
            found = f'"{cell[:40]}" is not a number' if cell.strip() else "The cell is empty"
            self.problem(place, column, f"{found}. Write one, such as 4 or 3.5, or delete the row.")
        elif abs(number) >= LARGEST_NUMBER:
            self.problem(place, column, f'"{cell[:40]}" is too large: it must be below 2^63.')
        else:
            return number + 0.0
        return None

    def _time(self, cell: str, place: Place) -> float | None:
        if not cell:
            return None
        time_ms = self._number(cell, "time_ms", place)
        if time_ms is not None and time_ms < 0:
            self.problem(place, "time_ms", "A time cannot be negative. Correct it or empty it.")
        return time_ms

    def _check_names(self, given: Given, place: Place) -> None:
        for column in NAMES:
            name = getattr(given, column)
            if not name.strip():
                self.problem(place, column, "The cell is empty. Fill it in or delete the row.")
            elif len(name) > LONGEST_NAME and column != "item":
                self.problem(
                    place, column, f"The cell is longer than {LONGEST_NAME} characters. Shorten it."
                )

    def _screen(self, given: Given, item: int) -> int:
        rater = self.raters.setdefault(given.rater, len(self.raters))
        key = digest_of(f"{rater} {item} {given.screen}")
        number = self._screens.get(key)
        if number is None:
            number = self._screens[key] = len(self._screens)
            times = (given.started_at, given.submitted_at)
            self._new_screens.add(number, given.screen, rater, item, *times)
        return number

    def finish(self, files: Sequence[SourceFile]) -> None:
        self._new_screens.write()
        self._new_judgements.write()
        for table, names in (("rater", self.raters), ("criterion", self.criteria)):
            insert(self.database, table, [(n, name) for name, n in names.items()])
        super().finish(files)
        self.database.execute(
            "CREATE INDEX judgement_place ON judgement (screen, system, criterion)"
        )
        self._note_judgements_again(files)

    def _note_outputs_again(self, files: Sequence[SourceFile]) -> None:
        """Every judgement brought its output's text: they must agree, and one is kept."""
        differing = self.database.execute(
            """SELECT o.file, o.line, o.system, first.file, first.line FROM output o
            JOIN (
                SELECT system, item, min(rowid) AS id FROM output GROUP BY system, item
                HAVING min(digest) <> max(digest)
            ) various ON various.system = o.system AND various.item = o.item
            JOIN output first ON first.rowid = various.id
            WHERE first.digest <> o.digest"""
        )
        for file, line, system, first, first_line in differing:
            name = self.system_names[system]
            place = where((files[first], first_line), (files[file], line))
            message = (
                f'On {place}, system "{name}" has a different output for '
                "this item. Make them the same."
            )
            self.problems.add(message, file=files[file].label, line=line, column="output")
        self.database.execute(
            "DELETE FROM output WHERE rowid NOT IN "
            "(SELECT min(rowid) FROM output GROUP BY system, item)"
        )

    def _note_judgements_again(self, files: Sequence[SourceFile]) -> None:
        again = self.database.execute(
            """SELECT j.file, j.line, first.file, first.line FROM judgement j
            JOIN (
                SELECT screen, system, criterion, min(rowid) AS id FROM judgement
                GROUP BY screen, system, criterion HAVING count(*) > 1
            ) twice USING (screen, system, criterion)
            JOIN judgement first ON first.rowid = twice.id
            WHERE j.rowid <> twice.id"""
        )
        for file, line, first, first_line in again:
            place = where((files[first], first_line), (files[file], line))
            message = (
                f"This judgement already appears on {place}. Delete one of the two rows, or tell "
                "them apart by a column “screen”."
            )
            self.problems.add(message, file=files[file].label, line=line)
