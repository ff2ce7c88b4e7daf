"""Show the guessed roles of an upload's columns, which the organiser can correct."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rankme.importing import InvalidColumns, Reading, columns_from_roles
from rankme.importing.encodings import ENCODINGS
from rankme.importing.tabular.columns import About
from rankme.importing.tabular.headings import Says, match_pattern, order_of
from rankme.importing.tabular.reading import ALL_SHEETS, LAST_HEADER

PATTERN_EXAMPLES = 4
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
    "": _("Detect from the headings"),
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


SCORE_ROLES = {
    "leave out": _("Leave out"),
    "system": _("System"),
    "item": _("Item (its name or number)"),
    "metric": _("Metric (its name)"),
    "score": _("Score"),
    "judge": _("Judge"),
    "first": _("First system of a pair"),
    "second": _("Second system of a pair"),
    "winner": _("Winner of a pair"),
    "entity": _("Fact: entity"),
    "value": _("Fact: value"),
    "type": _("Fact: type"),
    "supported": _("Fact: supported by the input (1 or 0)"),
}
ROLES_ABOUT = {"outputs": ROLES, "judgements": JUDGEMENT_ROLES, "scores": SCORE_ROLES}


@dataclass(frozen=True)
class ShownTable:
    """A table of the upload with a field above each of its columns."""

    file: str
    sheet: str
    columns: list[tuple[str, forms.BoundField]]
    rows: Sequence[Sequence[str]]
    alike: int


class ColumnsForm(forms.Form):
    """A choice for each column of each table that the check has seen."""

    def __init__(
        self,
        tables: Sequence[Mapping[str, Any]],
        data: Any = None,
        *,
        about: About = "outputs",
        reading: Mapping[str, Any] | None = None,
    ) -> None:
        """`reading` is the organiser's choice for the check, if any."""
        super().__init__(data)
        self._tables = tables
        self._given = reading or {}
        self.about = about
        roles = ROLES_ABOUT[about]
        for number, table in enumerate(tables):
            for place, (name, role) in enumerate(zip(table["names"], table["roles"], strict=True)):
                self.fields[f"role-{number}-{place}"] = forms.ChoiceField(
                    label=name or _("(no name)"),
                    choices=list((roles | {role: roles.get(role, role)}).items()),
                    initial=role,
                )
        if about == "judgements":
            self._ask_about_headings()
        self._ask_about_the_file(self._given.get("encoding", ""))
        self._reading = Reading()

    def _ask_about_headings(self) -> None:
        self.fields["headings"] = forms.ChoiceField(
            label=_("Value-column headings contain"),
            help_text=_(
                "For tables with several columns of values: gpt_fluency, for example, names the "
                "system, then the criterion."
            ),
            required=False,
            initial=_chosen_headings(self._tables[0]),
            choices=list(HEADINGS.items()),
        )
        self.fields["pattern"] = forms.CharField(
            label=_("Pattern of the value-column headings"),
            help_text=_(
                "For a row per rater, as forms are exported: Text {item} - System {system} "
                "[{criterion}]. All columns that fit it are values. {anything} stands for other "
                "text that differs. If this is empty, the choice above counts."
            ),
            required=False,
            max_length=500,
            initial=self._tables[0]["columns"].get("pattern", ""),
        )

    def pattern_examples(self) -> list[tuple[str, list[tuple[str, str]]]]:
        """Show how the pattern reads the first headings that fit it."""
        pattern = self["pattern"].value() if "pattern" in self.fields else ""
        try:
            found = match_pattern(pattern, self._tables[0]["names"]) if pattern else {}
        except InvalidColumns:
            return []
        return [(name, list(said.items())) for name, said in found.items()][:PATTERN_EXAMPLES]

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
        if tables[0].get("header"):
            self.fields["header"] = forms.IntegerField(
                label=_("Header is in row"),
                help_text=_("Rows above it, such as a title, are not read."),
                min_value=1,
                max_value=LAST_HEADER,
                required=False,
                initial=tables[0]["header"],
            )
        sheets = list(dict.fromkeys(sheet for table in tables for sheet in table["sheets"]))
        if len(sheets) > 1:
            named = [(sheet, sheet) for sheet in sheets]
            self.fields["sheet"] = forms.ChoiceField(
                label=_("Sheet"), choices=[*named, (ALL_SHEETS, _("All sheets"))]
            )
            self.initial["sheet"] = self._shown_sheet

    @property
    def _shown_sheet(self) -> str:
        """The sheet that the check has read, or all."""
        is_all = self._given.get("sheet") == ALL_SHEETS
        return ALL_SHEETS if is_all else str(self._tables[0]["sheet"])

    def tables(self) -> Iterator[ShownTable]:
        for number, table in enumerate(self._tables):
            fields = [self[f"role-{number}-{place}"] for place in range(len(table["names"]))]
            named = list(zip(table["names"], fields, strict=True))
            alike = table.get("alike", 0)  # a check by an earlier version does not say it
            yield ShownTable(table["file"], table["sheet"], named, table["rows"], alike)

    def other_fields(self) -> list[forms.BoundField]:
        names = ("headings", "pattern", "header", "sheet", "encoding")
        return [self[name] for name in names if name in self.fields]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        try:
            self._reading = self._read(cleaned)
        except InvalidColumns as refused:
            raise forms.ValidationError(str(refused)) from refused
        return cleaned

    def _read(self, cleaned: Mapping[str, Any]) -> Reading:
        """The columns as chosen; those of another sheet or header have not been seen yet."""
        sheet, encoding = cleaned.get("sheet", ""), cleaned.get("encoding", "")
        shown = self._tables[0].get("header", 0)
        header = cleaned.get("header") or shown
        is_moved = header != shown
        kept = header if is_moved or self._given.get("header") else 0
        if is_moved or (sheet and sheet != self._shown_sheet):
            return Reading(encoding=encoding, sheet=sheet, header=kept if is_moved else 0)
        says, pattern = says_of(cleaned.get("headings", "")), cleaned.get("pattern", "")
        described = tuple(
            columns_from_roles(
                self._roles(number, table, cleaned), self.about, says=says, pattern=pattern
            ).fitted(table["names"])
            for number, table in enumerate(self._tables)
        )
        return Reading(described, encoding, sheet, kept)

    def _roles(
        self, number: int, table: Mapping[str, Any], cleaned: Mapping[str, Any]
    ) -> list[tuple[str, str]]:
        names = enumerate(table["names"])
        return [(name, cleaned.get(f"role-{number}-{at}", "leave out")) for at, name in names]

    def reading(self) -> Reading:
        """Return the organiser's choices; columns of other sheets are guessed."""
        return self._reading


def says_of(headings: str) -> Says | None:
    return tuple(headings.split("+")) if headings else None


def _chosen_headings(table: Mapping[str, Any]) -> str:
    """Return what the headings name, if nobody would guess it."""
    values = table["columns"].get("value_columns", {})
    given = list(zip(table["names"], table["roles"], strict=True))
    try:
        found: Mapping[str, Any] = columns_from_roles(given, "judgements").headings
    except InvalidColumns:
        found = {}
    chosen = "+".join(order_of(values))
    return chosen if found != values and chosen in HEADINGS else ""
