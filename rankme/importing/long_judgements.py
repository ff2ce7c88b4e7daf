"""One judgement per line: the site's own export, or a table with common names of columns."""

from __future__ import annotations

from analysis.errors import TableError
from analysis.spans.judged import MARKS, read_cell
from analysis.table_files import unguarded
from analysis.translatable import gettext_noop as _
from rankme.importing.column_guesses import INDEX, NAMES, plain_name
from rankme.importing.files import SourceFile
from rankme.importing.judgement_reader import JudgementReader
from rankme.importing.judgement_spool import Given, JudgementSpool
from rankme.importing.records import Record, Shape, columns_missing, possible_shapes, records
from rankme.importing.sources import Sources
from rankme.importing.spool import Place

COLUMNS = ("rater", "item", "system", "criterion", "value")
# The likelier name comes first. A column that only numbers the rows does not name the items.
COMMON_NAMES: dict[str, tuple[str, ...]] = {
    "rater": (
        "rater_id", "annotator", "annotator_id", "worker", "worker_id", "workerid", "participant",
        "participant_id", "evaluator", "evaluator_id", "judge", "user", "user_id",
    ),
    "item": tuple(name for name in NAMES["item"][1:] if not INDEX.match(name)),
    "system": NAMES["system"][1:],
    "criterion": ("criteria", "metric", "dimension", "aspect", "quality_criterion", "question"),
    "value": ("score", "rating", "label", "judgement", "judgment"),
}  # fmt: skip
FLAGS = ("late", "excluded")
OPTIONAL_COLUMNS = ("screen", "time_ms", "input", "output", MARKS, *FLAGS)
ONLY_SCREEN = "1"  # of a rater for an item
TRUE_WORDS = {"1", "true", "yes"}
FALSE_WORDS = {"", "0", "false", "no"}


def is_long_judgements(file: SourceFile) -> Shape | None:
    shapes = possible_shapes(file)
    return next((shape for shape in shapes if set(columns_of(shape)) == set(COLUMNS)), None)


def columns_of(shape: Shape) -> dict[str, str]:
    """The column of each role: our own name for it, or else the likeliest common one."""
    plain = {plain_name(name): name for name in reversed(shape.columns)}
    found = {}
    for role, names in COMMON_NAMES.items():
        column = next((plain[name] for name in (role, *names) if name in plain), None)
        if column is not None:
            found[role] = column
    return found


def read_long_judgements(sources: Sources, spool: JudgementSpool, file: SourceFile) -> None:
    """One value per line; columns that are not known are factors."""
    shape = is_long_judgements(file)
    if shape is None:
        sources.problems.add(file.label, 1, "", columns_missing(file, COLUMNS))
        return
    spool.columns = columns = columns_of(shape)
    note_names(spool, shape)
    known = {"", *columns.values(), *OPTIONAL_COLUMNS}
    factors = [name for name in shape.columns if name not in known]
    needed = [*columns.values(), *({"screen"} & set(shape.columns))]
    spool.expect_factors(factors)
    for line, written in records(sources, file, shape):
        missing = [name for name in needed if name not in written]
        for name in missing:
            sources.problems.add(file.label, line, name, f'The line has no "{name}".')
        if not missing:
            record = {name: unguarded(cell) for name, cell in written.items()}
            given = given_of(record, spool, (file, line))
            spool.add_judgement(
                given, {name: record.get(name, "") for name in factors}, (file, line)
            )


def note_names(spool: JudgementSpool, shape: Shape) -> None:
    """Say which columns were understood although they have other names than ours."""
    taken = [f'"{name}" is the {role}' for role, name in spool.columns.items() if name != role]
    if taken:
        spool.notes.append(f"Columns by their names: {', '.join(taken)}.")
    if "screen" not in shape.columns:
        spool.notes.append('No column is called "screen": each rater saw each item on one screen.')


def given_of(record: Record, spool: JudgementSpool, place: Place, **told: str) -> Given:
    """What a line says; `told` has the roles that are not in a cell of their own."""
    cells = {role: record[column] for role, column in spool.columns.items()} | told
    return Given(
        rater=cells["rater"],
        item=cells["item"],
        system=cells["system"],
        criterion=cells["criterion"],
        value=cells["value"],
        screen=record.get("screen", ONLY_SCREEN),
        input=record.get("input", ""),
        output=record.get("output", ""),
        time_ms=record.get("time_ms", ""),
        marks=_marks(record.get(MARKS, ""), spool, place),
        late=_flag(record, "late", spool, place),
        excluded=_flag(record, "excluded", spool, place),
    )


def _marks(cell: str, spool: JudgementSpool, place: Place) -> str:
    """The marks of the site's own export; a column of this name in another table is refused."""
    if cell:
        try:
            read_cell(cell)
        except TableError as error:
            spool.problem(place, MARKS, " ".join(error.problems))
    return cell


def _flag(record: Record, column: str, spool: JudgementSpool, place: Place) -> bool:
    word = record.get(column, "").strip().lower()
    if word not in TRUE_WORDS | FALSE_WORDS:
        spool.problem(place, column, f'"{word[:40]}" must be 1 or 0.')
    return word in TRUE_WORDS


READER = JudgementReader(
    title=_("One judgement per line"),
    help=_(
        "A judgement export of this site, or any table with the columns rater, item, system, "
        "criterion and value, or common names for them such as annotator, model and score; "
        "screen, time_ms, input and output if you have them. Other columns are factors."
    ),
    recognises=is_long_judgements,
    read=read_long_judgements,
)
