"""The form in which a curator settles an output, one field for each criterion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from rankme.models import Settlement
from rankme.queries.disagreements.values import Scale

OPEN = "–"


class SettlingForm(forms.Form):
    """The values that apply, to be changed; an empty one leaves the output open."""

    reason = forms.CharField(label=_("Reason"), max_length=500)

    def __init__(
        self,
        scales: Mapping[str, Scale],
        standing: Mapping[str, Settlement],
        data: Mapping[str, Any] | None = None,
    ) -> None:
        # A page has one for each output: fields are named by the labels around them, not by ids.
        super().__init__(data, auto_id=False)
        for name, scale in scales.items():
            known = standing.get(name)
            self.fields[name_of(name)] = _field(name, scale, known.value if known else None)
        self.order_fields([*map(name_of, scales), "reason"])
        self.names = list(scales)

    def values(self) -> dict[str, float | None]:
        """The value of each criterion; None where it is open."""
        given = {name: self.cleaned_data[name_of(name)] for name in self.names}
        return {
            name: None if value in ("", None) else float(value) for name, value in given.items()
        }


def name_of(criterion: str) -> str:
    """Name the field of a criterion, which may itself be called “reason”."""
    return f"value-{criterion}"


def _field(name: str, scale: Scale, value: float | None) -> forms.Field:
    if not scale.labels:
        return forms.FloatField(label=name, required=False, initial=value)
    choices: Sequence[tuple[str, str]] = [
        (f"{number:g}", label if label == f"{number:g}" else f"{number:g}: {label}")
        for number, label in scale.labels.items()
    ]
    initial = "" if value is None else f"{value:g}"
    return forms.ChoiceField(
        label=name, required=False, choices=[("", OPEN), *choices], initial=initial
    )
