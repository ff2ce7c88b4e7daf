"""What each column of a table is: given by the organiser, or proposed from names and values."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

Layout = Literal["long", "wide", "items"]

LAYOUTS: tuple[Layout, ...] = ("long", "wide", "items")
ITEM_TEXTS = ("input", "reference", "context", "highlight")
# Where an item is in a document. Both are given, or neither.
DOCUMENT_PLACE = ("document", "segment")
# Which columns name the pictures, sounds and films of the upload, and which describe them.
INPUT_FILE, INPUT_ALT, OUTPUT_FILE, OUTPUT_ALT = FILE_ROLES = (
    *("input_file", "input_alt", "output_file", "output_alt"),
)
ROLES = ("system", "item", "output", *ITEM_TEXTS, *DOCUMENT_PLACE, *FILE_ROLES)
NAMING = ("item", "input", "document", INPUT_FILE)
FACTOR = "factor"
LEFT_OUT = "leave out"
# What outputs are called, the likeliest first.
OUTPUT_WORDS = (
    "output", "system_output", "model_output", "response", "model_response", "completion",
    "generation", "generated", "generated_text", "output_text", "hypothesis", "hyp",
    "prediction", "predicted", "pred", "candidate", "answer", "model_answer", "reply", "mt",
    "translation", "summary", "simplification", "paraphrase", "text", "content", "result",
)  # fmt: skip
LIKELY_AFFIXES = 20  # so many of them are also found in names such as `output_gpt`


class InvalidColumns(ValueError):
    """The description of the columns cannot be used; the message says why."""


def column_name(cell: str) -> str:
    """A column's name as it is compared: without outer blanks, in lower case."""
    return cell.strip().casefold()


@dataclass(frozen=True)
class Columns:
    """The columns of one table.

    `roles` maps a role to the column that has it; one column may be both `item` and `input`. In a
    long table each row is an output; without a `system` column, the file's name is the system. In a
    wide table `systems` maps each column of outputs to the system's name. A table of items has no
    outputs. Without an `item` column, items are numbered, or named by `document` and `segment`.
    An output may be a file (`output_file`) instead of a text, or both. Columns that are not named
    are left out.
    """

    layout: Layout
    roles: Mapping[str, str] = field(default_factory=dict)
    systems: Mapping[str, str] = field(default_factory=dict)
    factors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.layout == "long" and not {"output", OUTPUT_FILE} & set(self.roles):
            raise InvalidColumns("Say which column has the outputs.")
        if self.layout == "wide" and not self.systems:
            raise InvalidColumns("Say which columns have the outputs of the systems.")
        if len(set(DOCUMENT_PLACE) & set(self.roles)) == 1:
            raise InvalidColumns("Say which column names the document, and which its segments.")
        if self.layout == "items" and not set(NAMING) & set(self.roles):
            raise InvalidColumns("Say which column names the items, or has their inputs.")

    @property
    def has_documents(self) -> bool:
        return "document" in self.roles

    @property
    def used(self) -> set[str]:
        """The names of all columns that are read."""
        return {column_name(name) for name in (*self.roles.values(), *self.systems, *self.factors)}

    def role_of(self, name: str) -> str:
        """What the column is: roles joined with "+", `output`, `factor` or `leave out`."""
        roles = [role for role, column in self.roles.items() if is_same(column, name)]
        if any(is_same(column, name) for column in self.systems):
            roles.append("output")
        if any(is_same(column, name) for column in self.factors):
            roles.append(FACTOR)
        return "+".join(roles) or LEFT_OUT

    def as_document(self) -> dict[str, Any]:
        """For campaign files and commands; `columns_from` reads it."""
        document: dict[str, Any] = {"layout": self.layout, "columns": dict(self.roles)}
        if self.systems:
            document["system_columns"] = dict(self.systems)
        if self.factors:
            document["factors"] = list(self.factors)
        return document


def columns_from(document: Mapping[str, Any]) -> Columns:
    """Read what `Columns.as_document` wrote.

    Raises
    ------
    InvalidColumns : with the reason, for people
    """
    layout, roles = document.get("layout", "long"), document.get("columns", {})
    systems, factors = document.get("system_columns", {}), document.get("factors", [])
    if layout not in LAYOUTS:
        raise InvalidColumns(f"A layout is one of: {', '.join(LAYOUTS)}.")
    if not is_texts(roles) or not is_texts(systems):
        raise InvalidColumns("`columns` maps roles to names of columns.")
    if unknown := set(roles) - set(ROLES):
        raise InvalidColumns(f'There is no role "{min(unknown)}": choose {", ".join(ROLES)}.')
    if not isinstance(factors, list | tuple) or not all(isinstance(name, str) for name in factors):
        raise InvalidColumns("`factors` is a list of names of columns.")
    return Columns(layout, dict(roles), dict(systems), tuple(factors))


def columns_from_roles(given: Sequence[tuple[str, str]]) -> Columns:
    """The columns of a table from each column's name and its role, as a form sends them.

    Several columns of outputs are a wide table, one is a long table, none is a table of items.

    Raises
    ------
    InvalidColumns : if a role is given to two columns, or a needed one to none
    """
    roles, outputs, factors = columns_by_role(given, known=ROLES, repeated="output")
    if len(outputs) == 1:
        return Columns("long", {**roles, "output": outputs[0]}, factors=tuple(factors))
    if not outputs and OUTPUT_FILE in roles:
        return Columns("long", roles, factors=tuple(factors))
    if not outputs:
        return Columns("items", roles, factors=tuple(factors))
    if "system" in roles:
        raise InvalidColumns(
            f'With several columns of outputs, the system is the column: "{roles["system"]}" '
            "cannot name it too."
        )
    return Columns("wide", roles, system_names(outputs), tuple(factors))


def columns_by_role(
    given: Sequence[tuple[str, str]], *, known: Container[str], repeated: str
) -> tuple[dict[str, str], list[str], list[str]]:
    """The column of each role, those of the role that may be repeated, and those of factors.

    Raises
    ------
    InvalidColumns : if a role is given to two columns, or is not known
    """
    roles: dict[str, str] = {}
    several: dict[str, list[str]] = {repeated: [], FACTOR: []}
    for name, role in ((name, role) for name, chosen in given for role in chosen.split("+")):
        if role in several:
            several[role].append(name)
        elif role in roles:
            message = f'Two columns are the {role}: "{roles[role]}" and "{name}". Choose one.'
            raise InvalidColumns(message)
        elif role in known:
            roles[role] = name
        elif role != LEFT_OUT:
            raise InvalidColumns(f'There is no role "{role[:40]}".')
    return roles, several[repeated], several[FACTOR]


def system_names(columns: Sequence[str]) -> dict[str, str]:
    """The systems of a wide table: what remains of the columns' names without common affixes."""
    stripped = [column.strip() for column in columns]
    prefix, suffix = _affix(stripped, 1), _affix(stripped, -1)
    short = [name.removeprefix(prefix).removesuffix(suffix) for name in stripped]
    names = short if all(short) and len(set(short)) == len(short) else stripped
    return dict(zip(columns, names, strict=True))


def _affix(names: Sequence[str], step: int) -> str:
    """The word with its joint that all names begin (or, with step -1, end) with, as `output_`."""
    if len(names) < 2:
        return ""
    for word in OUTPUT_WORDS[:LIKELY_AFFIXES]:
        for joint in "_-. :/":
            affix = word + joint if step == 1 else joint + word
            lower = [name.casefold() for name in names]
            if all(name.startswith(affix) if step == 1 else name.endswith(affix) for name in lower):
                return names[0][: len(affix)] if step == 1 else names[0][-len(affix) :]
    return ""


def is_same(column: str, name: str) -> bool:
    return column_name(column) == column_name(name)


def is_texts(document: object) -> bool:
    return isinstance(document, Mapping) and all(
        isinstance(part, str) for pair in document.items() for part in pair
    )
