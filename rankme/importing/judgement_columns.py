"""What each column of a table of judgements is: given by the organiser, or proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from analysis.spans.judged import MARKS
from rankme.importing.columns import (
    FACTOR,
    LEFT_OUT,
    InvalidColumns,
    column_name,
    columns_by_role,
    is_same,
    is_texts,
)
from rankme.importing.judgement_headings import (
    NAMED_BY_HEADINGS,
    Says,
    likely_says,
    read_headings,
)

VALUE = "value"
NAMES = ("rater", "item", "system", "criterion")
ROLES = (*NAMES, VALUE, "screen", "time_ms", "input", "output", "late", "excluded", MARKS)
ONLY_CRITERION = "score"  # where neither a column nor a heading names it


@dataclass(frozen=True)
class JudgementColumns:
    """The columns of one table of judgements.

    `roles` maps a role to the column that has it; one column may be both `item` and `input`. In a
    wide table `values` maps each column of values to what its heading says: a rater, a system, a
    criterion, or two of these. Without a system anywhere, the file's name is the system. Columns
    that are not named are left out.
    """

    roles: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    factors: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if VALUE not in self.roles and not self.values:
            raise InvalidColumns("Say which columns have the values.")
        if not {"item", "input"} & set(self.roles):
            raise InvalidColumns("Say which column names the items.")
        said = {role for each in self.values.values() for role in each}
        if twice := said & set(self.roles):
            role = min(twice)
            raise InvalidColumns(
                f'The {role} is in the column "{self.roles[role]}" and in the headings. Choose one.'
            )
        if "rater" not in said | set(self.roles):
            raise InvalidColumns("Say which column names the raters.")

    @property
    def layout(self) -> Literal["long", "wide"]:
        return "wide" if self.values else "long"

    @property
    def used(self) -> set[str]:
        """The names of all columns that are read."""
        return {column_name(name) for name in (*self.roles.values(), *self.values, *self.factors)}

    def role_of(self, name: str) -> str:
        """What the column is: roles joined with "+", `value`, `factor` or `leave out`."""
        roles = [role for role, column in self.roles.items() if is_same(column, name)]
        if any(is_same(column, name) for column in self.values):
            roles.append(VALUE)
        if any(is_same(column, name) for column in self.factors):
            roles.append(FACTOR)
        return "+".join(roles) or LEFT_OUT

    def as_document(self) -> dict[str, Any]:
        """For campaign files and commands; `judgement_columns_from` reads it."""
        document: dict[str, Any] = {"layout": self.layout, "columns": dict(self.roles)}
        if self.values:
            document["value_columns"] = {name: dict(said) for name, said in self.values.items()}
        if self.factors:
            document["factors"] = list(self.factors)
        return document


def is_about_judgements(document: Mapping[str, Any]) -> bool:
    roles = document.get("columns", {})
    named = isinstance(roles, Mapping) and {"rater", "criterion", VALUE} & set(roles)
    return bool(named or document.get("value_columns"))


def judgement_columns_from(document: Mapping[str, Any]) -> JudgementColumns:
    """Read what `JudgementColumns.as_document` wrote; the layout follows from the columns.

    Raises
    ------
    InvalidColumns : with the reason, for people
    """
    roles, values = document.get("columns", {}), document.get("value_columns", {})
    factors = document.get("factors", [])
    if not is_texts(roles) or not is_texts(dict.fromkeys(factors, "")):
        raise InvalidColumns("`columns` maps roles to columns, and `factors` lists columns.")
    if unknown := set(roles) - set(ROLES):
        raise InvalidColumns(f'There is no role "{min(unknown)}": choose {", ".join(ROLES)}.')
    if not isinstance(values, Mapping) or not all(map(_is_said, values.values())):
        named = ", ".join(NAMED_BY_HEADINGS)
        raise InvalidColumns(f"`value_columns` maps columns to what they say: {named}.")
    said = {str(name): dict(each) for name, each in values.items()}
    return JudgementColumns(dict(roles), said, tuple(factors))


def _is_said(document: object) -> bool:
    return is_texts(document) and set(dict(document)) <= set(NAMED_BY_HEADINGS)  # type: ignore[call-overload]


def judgement_columns_from_roles(
    given: Sequence[tuple[str, str]], says: Says | None = None
) -> JudgementColumns:
    """The columns from each one's name and role, as a form sends them.

    Parameters
    ----------
    says : what the headings of columns with values say, in their order; None: what no column says

    Raises
    ------
    InvalidColumns : if a role is given to two columns, or a needed one to none
    """
    roles, values, factors = columns_by_role(given, known=ROLES, repeated=VALUE)
    return arranged(roles, values, tuple(factors), says)


def arranged(
    roles: Mapping[str, str],
    values: Sequence[str],
    factors: tuple[str, ...],
    says: Says | None = None,
) -> JudgementColumns:
    """A long table if each row says everything but the value, otherwise a wide one.

    Raises
    ------
    InvalidColumns : with what is missing
    """
    says = likely_says(roles, values) if says is None else says
    if says or not values:
        return JudgementColumns(roles, read_headings(values, says), factors)
    if len(values) > 1:
        raise InvalidColumns(
            f'Both "{values[0]}" and "{values[1]}" have values. Choose one, or say what the '
            "headings name."
        )
    return JudgementColumns({**roles, VALUE: values[0]}, factors=factors)
