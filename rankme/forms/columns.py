"""What the columns of an upload are: the proposal, which the organiser can correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rankme.importing import (
    InvalidColumns,
    Reading,
    columns_from_roles,
    judgement_columns_from_roles,
)
from rankme.importing.encodings import ENCODINGS
from rankme.importing.judgement_headings import Says, order_of

JUDGEMENT_ROLES = {
    "leave out": _("Leave out"),
    "rater": _("Rater"),
    "item": _("Item (its name or number)"),
    "item+input": _("Item and input"),
    "input": _("Input"),
    "system": _("System"),
    "output": _("Output"),
    "criterion": _("Criterion"),
    "value": _("Value (the judgement)"),
    "screen": _("Screen"),
    "time_ms": _("Time in milliseconds"),
    "late": _("Late (1 or 0)"),
    "excluded": _("Excluded (1 or 0)"),
    "factor": _("Factor"),
}
HEADINGS = {
    "": _("Whatever no column says"),
    "criterion": _("Criterion"),
    "system": _("System"),
    "rater": _("Rater"),
    "system+criterion": _("System, then criterion"),
    "criterion+system": _("Criterion, then system"),
    "rater+criterion": _("Rater, then criterion"),
    "criterion+rater": _("Criterion, then rater"),
    "rater+system": _("Rater, then system"),
    "system+rater": _("System, then rater"),
}
ROLES = {
    "leave out": _("Leave out"),
    "system": _("System"),
    "item": _("Item (its name or number)"),
    "item+input": _("Item and input"),
    "item+input_file": _("Item and file of the input"),
    "input": _("Input"),
    "input_file": _("File of the input (picture, sound or film)"),
    "input_alt": _("Description of the input’s file"),
    "output": _("Output"),
    "output_file": _("File of the output (picture, sound or film)"),
    "output_alt": _("Description of the output’s file"),
    "reference": _("Reference"),
    "context": _("Context"),
    "highlight": _("Highlighted sentence"),
    "document": _("Document (its name)"),
    "segment": _("Segment (its number in the document)"),
    "factor": _("Factor"),
}


@dataclass(frozen=True)
class ShownTable:
    """A table of the upload with a field above each of its columns."""

    file: str
    sheet: str
    columns: list[tuple[str, forms.BoundField]]
    rows: Sequence[Sequence[str]]


class ColumnsForm(forms.Form):
    """A choice for each column of each table that the check has seen."""

    def __init__(
        self,
        tables: Sequence[Mapping[str, Any]],
        data: Any = None,
        *,
        encoding: str = "",
        of_judgements: bool = False,
    ) -> None:
        """`encoding` is the one that the organiser chose for the check, if any."""
        super().__init__(data)
        self._tables = tables
        self.of_judgements = of_judgements
        roles = JUDGEMENT_ROLES if of_judgements else ROLES
        for number, table in enumerate(tables):
            for place, (name, role) in enumerate(zip(table["names"], table["roles"], strict=True)):
                self.fields[f"role-{number}-{place}"] = forms.ChoiceField(
                    label=name or _("(no name)"),
                    choices=list((roles | {role: roles.get(role, role)}).items()),
                    initial=role,
                )
        if of_judgements:
            self._ask_about_headings()
        self._ask_about_the_file(encoding)
        self._reading = Reading()

    def _ask_about_headings(self) -> None:
        self.fields["headings"] = forms.ChoiceField(
            label=_("Headings of columns with values name"),
            help_text=_(
                "For tables with several columns of values: gpt_fluency, for example, names the "
                "system, then the criterion."
            ),
            required=False,
            initial=_chosen_headings(self._tables[0]),
            choices=list(HEADINGS.items()),
        )

    def _ask_about_the_file(self, encoding: str) -> None:
        tables = self._tables
        used = dict.fromkeys(table["encoding"] for table in tables if table["encoding"])
        if used:
            names = ", ".join(ENCODINGS[name] for name in used)
            self.fields["encoding"] = forms.ChoiceField(
                label=_("Encoding"),
                help_text=_("Read as %(encoding)s. Change this if letters look wrong.")
                % {"encoding": names},
                required=False,
                initial=encoding,
                choices=[("", _("Detect automatically")), *ENCODINGS.items()],
            )
        sheets = list(dict.fromkeys(sheet for table in tables for sheet in table["sheets"]))
        if len(sheets) > 1:
            self.fields["sheet"] = forms.ChoiceField(
                label=_("Sheet"), choices=[(sheet, sheet) for sheet in sheets]
            )
            self.initial["sheet"] = tables[0]["sheet"]

    def tables(self) -> Iterator[ShownTable]:
        for number, table in enumerate(self._tables):
            fields = [self[f"role-{number}-{place}"] for place in range(len(table["names"]))]
            named = list(zip(table["names"], fields, strict=True))
            yield ShownTable(table["file"], table["sheet"], named, table["rows"])

    def other_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("headings", "encoding", "sheet") if name in self.fields]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        try:
            self._reading = self._read(cleaned)
        except InvalidColumns as refused:
            raise forms.ValidationError(str(refused)) from refused
        return cleaned

    def _read(self, cleaned: Mapping[str, Any]) -> Reading:
        sheet = cleaned.get("sheet", "")
        if sheet and sheet != self._tables[0]["sheet"]:
            return Reading(encoding=cleaned.get("encoding", ""), sheet=sheet)
        given = [self._roles(number, table, cleaned) for number, table in enumerate(self._tables)]
        encoding = cleaned.get("encoding", "")
        if not self.of_judgements:
            return Reading(tuple(map(columns_from_roles, given)), encoding, sheet)
        says = says_of(cleaned.get("headings", ""))
        described = tuple(judgement_columns_from_roles(roles, says) for roles in given)
        return Reading(described, encoding, sheet)

    def _roles(
        self, number: int, table: Mapping[str, Any], cleaned: Mapping[str, Any]
    ) -> list[tuple[str, str]]:
        names = enumerate(table["names"])
        return [(name, cleaned.get(f"role-{number}-{at}", "leave out")) for at, name in names]

    def reading(self) -> Reading:
        """What the organiser says; of another sheet than the shown one, the columns are guessed."""
        return self._reading


def says_of(headings: str) -> Says | None:
    return tuple(headings.split("+")) if headings else None


def _chosen_headings(table: Mapping[str, Any]) -> str:
    """What the headings name, if it is not what would be read without a choice."""
    values = table["columns"].get("value_columns", {})
    given = list(zip(table["names"], table["roles"], strict=True))
    try:
        found: Mapping[str, Any] = judgement_columns_from_roles(given).values
    except InvalidColumns:
        found = {}
    chosen = "+".join(order_of(values))
    return chosen if found != values and chosen in HEADINGS else ""
