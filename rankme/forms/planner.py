"""The form of the planner: a size, how far judgements scatter, and the terms of the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.planning.published import STUDIES
from analysis.planning.sizes import MOST_ITEMS, MOST_RATERS, MOST_REPEATS
from rankme.actions.campaign.planner import OWN


def _number(label: Any, least: float, most: float, step: str = "any") -> forms.FloatField:
    widget = forms.NumberInput(attrs={"step": step})
    return forms.FloatField(label=label, min_value=least, max_value=most, widget=widget)


def _percent(label: Any, help_text: Any = "") -> forms.FloatField:
    field = _number(label, 0, 95)
    field.help_text = help_text
    return field


class PlannerForm(forms.Form):
    """The numbers of a plan; `limited` ones look for the best plan."""

    raters = forms.IntegerField(label=_("Raters"), min_value=1, max_value=MOST_RATERS)
    items = forms.IntegerField(label=_("Items"), min_value=1, max_value=MOST_ITEMS)
    repeats = forms.IntegerField(
        label=_("Raters of each output"), min_value=1, max_value=MOST_REPEATS
    )
    spreads = forms.ChoiceField(label=_("Judgements scatter as in"))
    rater_system = _number(_("Raters’ tastes"), 0, 1e9)
    item_system = _number(_("Systems on items"), 0, 1e9)
    residual = _number(_("What is left"), 1e-9, 1e9)
    system = _number(_("Systems"), 0, 1e9)
    seconds = _number(_("Seconds for a screen"), 0.1, 86_400)
    fixed_minutes = _number(_("Minutes of a rater before the first screen"), 0, 1_000)
    pay = _number(_("Pay for an hour"), 0, 100_000)
    fee = _percent(_("Fee of the panel (%)"), _("On top of the pay"))
    fee.max_value = 500
    dropouts = _percent(_("Raters who leave (%)"), _("Others do their work again"))
    lost = _percent(_("Careful raters excluded (%)"), _("By the forecast of your rule"))
    overhead = _percent(_("Time for checks (%)"))
    money = forms.FloatField(
        label=_("Money"),
        min_value=0,
        max_value=1e9,
        required=False,
        help_text=_("For the best plan at this sum"),
    )
    most_minutes = forms.FloatField(
        label=_("Minutes of each rater"),
        min_value=0,
        max_value=100_000,
        required=False,
        help_text=_("For the best plan in this time"),
    )
    most_raters = forms.IntegerField(
        label=_("Raters at most"),
        min_value=1,
        max_value=MOST_RATERS,
        required=False,
        help_text=_("For the best plan; empty: as many as above"),
    )
    shown = forms.IntegerField(min_value=1, max_value=500, widget=forms.HiddenInput)
    coverage = forms.FloatField(min_value=1e-6, max_value=1, widget=forms.HiddenInput)

    def __init__(self, *args: Any, pilots: Sequence[tuple[str, str]] = (), **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.auto_id = "planner_%s"  # the launch page has another field of raters
        choices = [(each.key, each.title) for each in STUDIES]
        spreads = self.fields["spreads"]
        assert isinstance(spreads, forms.ChoiceField)
        offered = [(_("Pilots: your closed campaigns"), pilots)] if pilots else []
        spreads.choices = [
            *offered,
            (_("Published studies"), choices),
            (OWN, _("The numbers below")),
        ]

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("most_raters"):
            cleaned["most_raters"] = cleaned.get("raters")
        if (cleaned.get("money") or 0) > 0 and not cleaned.get("pay"):
            self.add_error("pay", _("Enter what an hour is paid, so that money limits the work."))
        return cleaned

    def sizes(self) -> list[forms.BoundField]:
        return [self[name] for name in ("raters", "items", "repeats")]
