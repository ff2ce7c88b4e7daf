"""Settle disagreements on an item's page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from rankme.actions.sitting.settling import settle
from rankme.forms.settling import SettlingForm
from rankme.models import Campaign, Item, Output, Settlement
from rankme.permissions import Permission
from rankme.queries.disagreements.settled import settled_about
from rankme.queries.disagreements.values import Scale, comparable_criteria, scale_of
from rankme.queries.items.answers import AnswersAbout

from .campaign_page import POST, act, campaign_page


@dataclass(frozen=True)
class SettledAbout:
    """An output with what was said about it, its decisions, and the form for others."""

    about: AnswersAbout
    cells: list[tuple[str, Settlement] | None]  # by criterion: the value in words, and the decision
    form: SettlingForm | None
    address: str

    @property
    def decisions(self) -> list[tuple[str, Settlement]]:
        """The criteria that are settled, each with its decision."""
        named = zip(self.about.criteria, self.cells, strict=True)
        return [(name, cell[1]) for name, cell in named if cell]


def settled_parts(
    campaign: Campaign, item: Item, abouts: Sequence[AnswersAbout]
) -> list[SettledAbout]:
    """Put decisions next to what raters said, output by output."""
    standing = settled_about(campaign, item)
    scales = _scales(campaign)
    parts = []
    for about in abouts:
        pk = about.output.pk if about.output else None
        mine = {name: row for (output, name), row in standing.items() if output == pk}
        asked = {name: scales[name] for name in about.criteria if name in scales}
        cells = [
            (scales[name].said(row.value), row)
            if (row := mine.get(name)) and row.value is not None
            else None
            for name in about.criteria
        ]
        form = SettlingForm(asked, mine) if asked else None
        place = [campaign.code, item.position + 1, pk or 0]
        address = reverse("rankme:campaign-item-settle", args=place)
        parts.append(SettledAbout(about, cells, form, address))
    return parts


@campaign_page(POST, needs=Permission.SETTLE)
def settle_output(
    request: HttpRequest, campaign: Campaign, number: int, output: int
) -> HttpResponse:
    """Store a curator's values of one output; 0 is the item as a whole."""
    item = get_object_or_404(campaign.items, position=number - 1)
    chosen = get_object_or_404(Output, pk=output, item=item) if output else None
    scales = {
        name: scale for name, scale in _scales(campaign).items() if f"value-{name}" in request.POST
    }
    form = SettlingForm(scales, {}, request.POST)
    if form.is_valid():
        values, reason = form.values(), form.cleaned_data["reason"]
        act(request, _("Settled."), settle, campaign, item, chosen, values, reason=reason)
    else:
        problems = [
            f"{form.fields[name].label}: {error}"
            for name, errors in form.errors.items()
            for error in errors
        ]
        messages.error(request, " ".join(problems))
    back = reverse("rankme:campaign-item", args=[campaign.code, number])
    asked = f"?{query}" if (query := request.GET.urlencode()) else ""
    return redirect(f"{back}{asked}#output-{output}")


def _scales(campaign: Campaign) -> dict[str, Scale]:
    return {each.name: scale_of(campaign, each.name) for each in comparable_criteria(campaign)}
