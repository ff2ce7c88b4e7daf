"""The meaning of each column of a table: given by the organiser, or proposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from analysis.spans.judged import MARKS

from .headings import (
    InvalidColumns,
    Says,
    likely_says,
    match_pattern,
    parsed_pattern,
    read_headings,
    system_names,
)

About = Literal["outputs", "judgements", "scores"]
Layout = Literal["long", "wide", "items"]

LAYOUTS: tuple[Layout, ...] = ("long", "wide", "items")
ITEM_TEXTS = ("input", "reference", "context", "highlight")
# Where an item is in a document. Both are given, or neither.
DOCUMENT_PLACE = ("document", "segment")
# Which columns name the pictures, sounds and films of the upload, and which describe them.
INPUT_FILE, INPUT_ALT, OUTPUT_FILE, OUTPUT_ALT = FILE_ROLES = (
    "input_file", "input_alt", "output_file", "output_alt",
)  # fmt: skip
NAMING = ("item", "input", "document", INPUT_FILE)
FACTOR = "factor"
LEFT_OUT = "leave out"
VALUE = "value"
NAMES_OF_A_JUDGEMENT = ("rater", "item", "system", "criterion")
VERDICT = ("item", "first", "second", "winner")
FACT = ("system", "item", "entity", "value", "type", "supported")
ONLY_CRITERION = "score"  # where neither a column nor a heading names it


@dataclass(frozen=True)
class Subject:
    """The roles that the columns of a table can have.

    Several columns may have the role `repeated`; their headings then name the `headed` roles.
    """

    roles: tuple[str, ...]
    repeated: str
    headed: tuple[str, ...]
    proposed: tuple[str, ...]  # those of them that are proposed without a pattern
    spread: str  # what campaign files call the headings of these columns


SUBJECTS: dict[About, Subject] = {
    "outputs": Subject(
        ("system", "item", "output", *ITEM_TEXTS, *DOCUMENT_PLACE, *FILE_ROLES),
        "output",
        ("system",),
        ("system",),
        "system_columns",
    ),
    "judgements": Subject(
        (*NAMES_OF_A_JUDGEMENT, VALUE, "screen", "time_ms", "input", "output", "late", "excluded",
         MARKS),
        VALUE,
        NAMES_OF_A_JUDGEMENT,
        ("rater", "system", "criterion"),
        "value_columns",
    ),
    "scores": Subject(
        ("system", "item", "metric", "score", "judge", "first", "second", "winner", "entity",
         "value", "type", "supported"),
        "score",
        ("system", "metric", "item"),
        ("system", "metric"),
        "value_columns",
    ),
}  # fmt: skip


def column_name(cell: str) -> str:
    """A column's name as it is compared: without outer blanks and line breaks, in lower case."""
    return one_line(cell.strip().casefold())


def one_line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text or "\r" in text else text


@dataclass(frozen=True)
class Columns:
    """The columns of one table.

    `roles` maps a role to the column that has it; one column may be both `item` and `input`. In a
    wide table `headings` maps each column of outputs or values to what its heading says, such as
    `{"gpt_fluency": {"system": "gpt", "criterion": "fluency"}}`. A `pattern` finds these columns
    in each table by their headings. Without a `system` anywhere, the file's name is the system. A
    table of items has no outputs. Without an `item`, items are numbered, or named by `document` and
    `segment`. An output may be a file instead of a text, or both. Other columns are left out.
    """

    about: About = "outputs"
    roles: Mapping[str, str] = field(default_factory=dict)
    headings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    factors: tuple[str, ...] = ()
    pattern: str = ""

    def __post_init__(self) -> None:
        CHECKS[self.about](self)

    @property
    def layout(self) -> Layout:
        if self.headings or self.pattern:
            return "wide"
        if self.about == "outputs" and not {"output", OUTPUT_FILE} & set(self.roles):
            return "items"
        return "long"

    @property
    def systems(self) -> dict[str, str]:
        """The system of each column of outputs."""
        return {column: said["system"] for column, said in self.headings.items()}

    @property
    def said(self) -> set[str]:
        """The roles that headings name."""
        by_pattern = parsed_pattern(self.pattern).roles if self.pattern else ()
        return {role for said in self.headings.values() for role in said} | set(by_pattern)

    @property
    def has_documents(self) -> bool:
        return "document" in self.roles

    @property
    def used(self) -> set[str]:
        """The names of all columns that are read."""
        spread = () if self.pattern else self.headings
        return {column_name(name) for name in (*self.roles.values(), *spread, *self.factors)}

    @property
    def read(self) -> set[str]:
        """`used`, with the columns that the pattern has found."""
        return self.used | set(map(column_name, self.headings))

    def fitted(self, names: Sequence[str]) -> Columns:
        """The same for a table with these headings, in which the pattern finds its columns.

        Raises
        ------
        InvalidColumns : no heading fits the pattern
        """
        if not self.pattern:
            return self
        free = [name for name in names if column_name(name) not in self.used]
        found = match_pattern(self.pattern, free)
        if not found:
            raise InvalidColumns(f'No heading fits the pattern "{self.pattern[:100]}".')
        return replace(self, headings=found)

    def role_of(self, name: str) -> str:
        """The column's roles joined with "+", or `factor` or `leave out`."""
        roles = [role for role, column in self.roles.items() if is_same(column, name)]
        if any(is_same(column, name) for column in self.headings):
            roles.append(SUBJECTS[self.about].repeated)
        if any(is_same(column, name) for column in self.factors):
            roles.append(FACTOR)
        return "+".join(roles) or LEFT_OUT

    def as_document(self) -> dict[str, Any]:
        """For campaign files and commands; `columns_from` reads it."""
        document: dict[str, Any] = {"layout": self.layout, "columns": dict(self.roles)}
        if self.pattern:
            document["pattern"] = self.pattern
        elif self.about == "outputs" and self.headings:
            document["system_columns"] = self.systems
        elif self.headings:
            document["value_columns"] = {name: dict(said) for name, said in self.headings.items()}
        if self.factors:
            document["factors"] = list(self.factors)
        return document


# --- what a description must contain ---------------------------------------------------------


def _check_outputs(columns: Columns) -> None:
    if len(set(DOCUMENT_PLACE) & set(columns.roles)) == 1:
        raise InvalidColumns("Say which column names the document, and which its segments.")
    if columns.layout == "items" and not set(NAMING) & set(columns.roles):
        raise InvalidColumns("Say which column names the items, or has their inputs.")


def _check_judgements(columns: Columns) -> None:
    roles, said = set(columns.roles), columns.said
    if VALUE not in roles and columns.layout != "wide":
        raise InvalidColumns("Say which columns have the values.")
    if not {"item", "input"} & (roles | said):
        raise InvalidColumns("Say which column names the items.")
    _refuse_twice(columns)
    # A row that has the values of several items is all that one rater said.
    if "rater" not in said | roles and "item" not in said:
        raise InvalidColumns("Say which column names the raters.")


def _check_scores(columns: Columns) -> None:
    roles = set(columns.roles)
    if {"first", "second"} & roles:
        return _require(columns, VERDICT)
    if "entity" in roles:
        return _require(columns, FACT)
    if "score" not in roles and columns.layout != "wide":
        raise InvalidColumns("Say which columns have the scores.")
    if "system" not in roles | columns.said:
        raise InvalidColumns("Say which column names the systems.")
    return _refuse_twice(columns)


def _require(columns: Columns, needed: Sequence[str]) -> None:
    if missing := [role for role in needed if role not in columns.roles]:
        raise InvalidColumns(f"Say which columns have these: {', '.join(missing)}.")


def _refuse_twice(columns: Columns) -> None:
    if twice := columns.said & set(columns.roles):
        role = min(twice)
        raise InvalidColumns(
            f'The {role} is in the column "{columns.roles[role]}" and in the headings. Choose one.'
        )


CHECKS: dict[About, Callable[[Columns], None]] = {
    "outputs": _check_outputs,
    "judgements": _check_judgements,
    "scores": _check_scores,
}

# --- descriptions ----------------------------------------------------------------------------


def columns_from(document: Mapping[str, Any]) -> Columns:
    """Read what `Columns.as_document` wrote; the roles tell what the table is about.

    Raises
    ------
    InvalidColumns : with the reason, for people
    """
    about = about_of(document)
    layout, roles = document.get("layout", "long"), document.get("columns", {})
    factors, pattern = document.get("factors", []), document.get("pattern", "")
    if layout not in LAYOUTS:
        raise InvalidColumns(f"A layout is one of: {', '.join(LAYOUTS)}.")
    if not is_texts(roles):
        raise InvalidColumns("`columns` maps roles to names of columns.")
    if unknown := set(roles) - set(SUBJECTS[about].roles):
        known = ", ".join(SUBJECTS[about].roles)
        raise InvalidColumns(f'There is no role "{min(unknown)}": choose {known}.')
    if not isinstance(factors, list | tuple) or not is_texts(dict.fromkeys(factors, "")):
        raise InvalidColumns("`factors` is a list of names of columns.")
    if not isinstance(pattern, str):
        raise InvalidColumns("`pattern` is a text.")
    headings = _headings_from(document, about)
    columns = Columns(about, dict(roles), headings, tuple(factors), pattern)
    if about == "outputs" and columns.layout != layout and "layout" in document:
        if layout == "wide":
            raise InvalidColumns("Say which columns have the outputs of the systems.")
        raise InvalidColumns("Say which column has the outputs.")
    return columns


def about_of(document: Mapping[str, Any]) -> About:
    """Find the subject of a table with this description."""
    given, headings = document.get("columns"), document.get("value_columns")
    roles = set(given) if isinstance(given, Mapping) else set()
    if isinstance(headings, Mapping):
        roles |= {role for said in headings.values() if isinstance(said, Mapping) for role in said}
    if {"metric", "score", "first", "winner", "entity"} & roles:
        return "scores"
    is_judged = {"rater", "criterion", VALUE} & roles or headings or document.get("pattern")
    return "judgements" if is_judged else "outputs"


def _headings_from(document: Mapping[str, Any], about: About) -> dict[str, dict[str, str]]:
    subject = SUBJECTS[about]
    given = document.get(subject.spread, {})
    if about == "outputs":
        if not is_texts(given):
            raise InvalidColumns("`system_columns` maps names of columns to systems.")
        return {column: {"system": system} for column, system in given.items()}
    named = ", ".join(subject.headed)
    if not isinstance(given, Mapping) or not all(
        is_texts(said) and set(said) <= set(subject.headed) for said in given.values()
    ):
        raise InvalidColumns(f"`value_columns` maps columns to what they say: {named}.")
    return {str(name): dict(said) for name, said in given.items()}


def columns_from_roles(
    given: Sequence[tuple[str, str]],
    about: About = "outputs",
    *,
    says: Says | None = None,
    pattern: str = "",
) -> Columns:
    """The columns of a table from each column's name and its role, as a form sends them.

    Parameters
    ----------
    says : the roles that headings name, in their order; None: the roles that no column has
    pattern : finds the columns with values by their headings, whatever is chosen for them

    Raises
    ------
    InvalidColumns : if a role is given to two columns, or a needed one to none
    """
    roles, repeated, factors = _columns_by_role(given, SUBJECTS[about])
    return arranged(about, roles, repeated, tuple(factors), says=says, pattern=pattern)


def _columns_by_role(
    given: Sequence[tuple[str, str]], subject: Subject
) -> tuple[dict[str, str], list[str], list[str]]:
    """The column of each role, those of the role that may be repeated, and those of factors.

    Raises
    ------
    InvalidColumns : if a role is given to two columns, or is not known
    """
    roles: dict[str, str] = {}
    several: dict[str, list[str]] = {subject.repeated: [], FACTOR: []}
    for name, role in ((name, role) for name, chosen in given for role in chosen.split("+")):
        if role in several:
            several[role].append(name)
        elif role in roles:
            message = f'Two columns are the {role}: "{roles[role]}" and "{name}". Choose one.'
            raise InvalidColumns(message)
        elif role in subject.roles:
            roles[role] = name
        elif role != LEFT_OUT:
            raise InvalidColumns(f'There is no role "{role[:40]}".')
    return roles, several[subject.repeated], several[FACTOR]


def arranged(
    about: About,
    roles: Mapping[str, str],
    repeated: Sequence[str],
    factors: tuple[str, ...] = (),
    *,
    says: Says | None = None,
    pattern: str = "",
) -> Columns:
    """A long table if each row says everything but one text or value, otherwise a wide one.

    Raises
    ------
    InvalidColumns : with what is missing
    """
    subject = SUBJECTS[about]
    if pattern:
        return Columns(about, roles, {}, factors, pattern)
    if about == "outputs" and len(repeated) > 1:
        if "system" in roles:
            raise InvalidColumns(
                f'With several columns of outputs, the system is the column: "{roles["system"]}" '
                "cannot name it too."
            )
        systems = system_names(repeated).items()
        return Columns(about, roles, {name: {"system": said} for name, said in systems}, factors)
    if not repeated:
        return Columns(about, roles, {}, factors)
    if about == "outputs":
        return Columns(about, {**roles, "output": repeated[0]}, {}, factors)
    says = likely_says(subject.proposed, roles, repeated) if says is None else says
    if says:
        return Columns(about, roles, read_headings(repeated, says), factors)
    if len(repeated) > 1:
        raise InvalidColumns(
            f'Both "{repeated[0]}" and "{repeated[1]}" have values. Choose one, or say what the '
            "headings name."
        )
    return Columns(about, {**roles, subject.repeated: repeated[0]}, {}, factors)


def is_same(column: str, name: str) -> bool:
    return column_name(column) == column_name(name)


def is_texts(document: object) -> bool:
    return isinstance(document, Mapping) and all(
        isinstance(part, str) for pair in document.items() for part in pair
    )
