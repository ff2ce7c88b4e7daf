"""Several judgements per line: a column for each criterion, or a column for each system."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, islice

from analysis.table_files import unguarded
from analysis.translatable import gettext_noop as _
from rankme.importing.column_guesses import INDEX, Sample
from rankme.importing.files import SourceFile
from rankme.importing.judgement_reader import JudgementReader
from rankme.importing.judgement_spool import JudgementSpool
from rankme.importing.long_judgements import OPTIONAL_COLUMNS, columns_of, given_of, note_names
from rankme.importing.records import Record, Shape, columns_missing, possible_shapes, records
from rankme.importing.sources import Sources

# What the columns with numbers are: the role whose own column is missing, and the other one.
SPREAD_ROLES = {"criterion": "system", "system": "criterion"}
ROWS_LOOKED_AT = 200


def spread_role(shape: Shape) -> str | None:
    """The role whose names are the headings of columns; None where the table is not wide."""
    found = set(columns_of(shape))
    if not {"rater", "item"} <= found:
        return None
    missing = [role for role, other in SPREAD_ROLES.items() if role not in found and other in found]
    return missing[0] if missing and _candidates(shape, missing[0]) else None


def is_wide_judgements(file: SourceFile) -> Shape | None:
    return next((shape for shape in possible_shapes(file) if spread_role(shape)), None)


def _candidates(shape: Shape, role: str) -> list[str]:
    """The columns that could have values: those without another meaning."""
    columns = columns_of(shape)
    known = {columns[name] for name in ("rater", "item", SPREAD_ROLES[role])}
    return [
        name
        for name in shape.columns
        if name not in known and name not in OPTIONAL_COLUMNS and not INDEX.match(name)
    ]


def read_wide_judgements(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    """Columns with nothing but numbers in the first rows have values; the others are factors."""
    shape = is_wide_judgements(file)
    role = spread_role(shape) if shape else None
    if shape is None or role is None:
        message = columns_missing(file, ("rater", "item", "system"))
        sources.problems.add(file.label, 1, "", message)
        return
    lines = records(sources, file, shape)
    first = list(islice(lines, ROWS_LOOKED_AT))
    sample = Sample.of(shape.columns, [record for _line, record in first])
    candidates = _candidates(shape, role)
    valued = [name for name in candidates if sample.is_number(name)]
    if not valued:
        sources.problems.add(file.label, None, "", f"No column has the values of a {role}.")
        return
    factors = [name for name in candidates if name not in valued]
    found = columns_of(shape)
    spool.columns = {name: found[name] for name in ("rater", "item", SPREAD_ROLES[role])}
    note_names(spool, shape)
    names = ", ".join(f'"{name}"' for name in valued)
    spool.notes.append(f"Each of these columns has the values of one {role}: {names}.")
    spool.expect_factors(factors)
    for line, written in chain(first, lines):
        record = {name: unguarded(cell) for name, cell in written.items()}
        _add_line(record, spool, (role, valued, factors), (file, line))


def _add_line(
    record: Record,
    spool: JudgementSpool,
    layout: tuple[str, Sequence[str], Sequence[str]],
    place: tuple[SourceFile, int],
) -> None:
    """One judgement for each column with a value; an empty cell is skipped."""
    role, valued, factors = layout
    columns = spool.columns
    is_named = all(record.get(name, "").strip() for name in columns.values())
    kept = {name: record.get(name, "") for name in factors}
    filled = [name for name in valued if record.get(name, "").strip()]
    # A line without its rater is one problem, however many values it has.
    for name in filled if is_named else filled[:1]:
        spool.columns = columns | {role: name, "value": name}
        spool.add_judgement(given_of(record, spool, place, **{role: name}), kept, place)
    spool.columns = columns


READER = JudgementReader(
    title=_("Several judgements per line"),
    help=_(
        "A table with the columns rater, item and system, or common names for them, and a column "
        "of numbers for each criterion; or with rater, item and criterion, and a column of numbers "
        "for each system. Empty cells are skipped. Other columns are factors."
    ),
    recognises=is_wide_judgements,
    read=read_wide_judgements,
)
