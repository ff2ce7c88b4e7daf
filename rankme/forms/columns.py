"""What the columns of an upload are: the proposal, which the organiser can correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rankme.importing import InvalidColumns, Reading, columns_from_roles
from rankme.importing.encodings import ENCODINGS

ROLES = {
    "leave out": _("Leave out"),
    "system": _("System"),
    "item": _("Item (its name or number)"),
    "item+input": _("Item and input"),
    "input": _("Input"),
    "output": _("Output"),
    "reference": _("Reference"),
    "context": _("Context"),
    "highlight": _("Highlighted sentence"),
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
        self, tables: Sequence[Mapping[str, Any]], data: Any = None, *, encoding: str = ""
    ) -> None:
        """`encoding` is the one that the organiser chose for the check, if any."""
        super().__init__(data)
        self._tables = tables
        for number, table in enumerate(tables):
            for place, (name, role) in enumerate(zip(table["names"], table["roles"], strict=True)):
                self.fields[f"role-{number}-{place}"] = forms.ChoiceField(
                    label=name or _("(no name)"),
                    choices=list((ROLES | {role: ROLES.get(role, role)}).items()),
                    initial=role,
                )
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
        self._reading = Reading()

    def tables(self) -> Iterator[ShownTable]:
        for number, table in enumerate(self._tables):
            fields = [self[f"role-{number}-{place}"] for place in range(len(table["names"]))]
            named = list(zip(table["names"], fields, strict=True))
            yield ShownTable(table["file"], table["sheet"], named, table["rows"])

    def other_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in ("encoding", "sheet") if name in self.fields]

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
        described = [
            columns_from_roles(
                [
                    (name, cleaned.get(f"role-{number}-{place}", "leave out"))
                    for place, name in enumerate(table["names"])
                ]
            )
            for number, table in enumerate(self._tables)
        ]
        return Reading(tuple(described), cleaned.get("encoding", ""), sheet)

    def reading(self) -> Reading:
        """What the organiser says; of another sheet than the shown one, the columns are guessed."""
        return self._reading
