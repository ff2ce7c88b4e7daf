"""Items, what raters said about them, disagreements, and how these were settled."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.audit import note_seen
from rankme.actions.campaign import damaged_texts
from rankme.actions.sitting.settling import settle
from rankme.api import item_shapes as shapes
from rankme.api.view import View, operation
from rankme.errors import RefusedAction
from rankme.models import Campaign, Item, Output
from rankme.permissions import Permission, get_campaign, may, user_of
from rankme.queries.disagreements.settled import settled_about, settled_values
from rankme.queries.disagreements.values import comparable_criteria, lines_of, values_of
from rankme.queries.items.answers import answers_about, system_names
from rankme.queries.items.list import ItemOrder, Wish, item_lines, items_for

UPLOAD_ORDER = ItemOrder([], {})


class ItemsView(View):
    @operation(
        "items_list",
        "The items of a campaign, in the order of the upload",
        needs=Permission.READ,
        lists=shapes.ItemLineSerializer,
        query=shapes.ItemQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        note_seen(campaign, "API: items", by=user_of(request))
        items = campaign.items.all()
        if search := self.query.get("search"):
            items = items.filter(pk__in=items_for(campaign, Wish(search=search)).ids)
        lines = partial(_lines, campaign)
        return self.paged(items, shapes.ItemLineSerializer, newest_first=False, shown=lines)


class ItemView(View):
    @operation(
        "items_read",
        "One item with its outputs, and everything that raters said about each",
        needs=Permission.READ,
        gives=shapes.ItemDetailSerializer,
    )
    def get(self, request: Request, code: str, number: int) -> object:
        item = get_item(request, code, number)
        note_seen(item.campaign, "API: items", by=user_of(request))
        return _detail(request, item)


class SettlementsView(View):
    @operation(
        "items_settle",
        "Settle a disagreement: values that apply next to those of the raters",
        needs=Permission.SETTLE,
        takes=shapes.NewSettlementSerializer,
        gives=shapes.ItemDetailSerializer,
        status=201,
    )
    def post(self, request: Request, code: str, number: int) -> object:
        item = get_item(request, code, number)
        given = self.given
        output = None
        if given["system"] is not None:
            named = {name: pk for pk, name in names_of(request, item.campaign).items()}
            output = item.outputs.filter(system=named.get(given["system"])).first()
            if output is None:
                raise RefusedAction("This item has no output of that system.")
        reason, by = given["reason"], user_of(request)
        settle(item.campaign, item, output, given["values"], reason=reason, by=by)
        return _detail(request, item)


class DisagreementsView(View):
    @operation(
        "disagreements_list",
        "The outputs on which raters differ most, by one criterion; settled ones come last",
        needs=Permission.READ,
        gives=shapes.DisagreementSerializer(many=True),
        query=shapes.DisagreementQuery,
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        note_seen(campaign, "API: disagreements", by=user_of(request))
        criteria = {each.name: each for each in comparable_criteria(campaign)}
        name = self.query.get("criterion") or next(iter(criteria), None)
        if name not in criteria:
            raise RefusedAction("There is no such criterion whose values compare.")
        given, settled = (
            values_of(campaign, criteria[name]),
            settled_values(campaign, criteria[name]),
        )
        spread = given.spread().tolist()
        order = [place for place, apart in enumerate(spread) if apart > 0]
        order.sort(key=lambda place: (given.units[place] in settled, -spread[place]))
        places = order[: self.query["limit"]]
        return lines_of(campaign, given, places, names=names_of(request, campaign), settled=settled)


class DamagedTextsView(View):
    @operation(
        "damaged_texts_list",
        "The damaged copies of outputs that a launch of this draft would show in checks",
        needs=Permission.EDIT,
        gives=shapes.DamagedTextSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        if not campaign.is_draft:
            raise RefusedAction("Damaged texts are drawn and changed before the launch.")
        return [
            {
                "check": check.name,
                "output": damage.output,
                "original": damage.original,
                "text": damage.text,
                "damage": damage.kind,
            }
            for check, damage in damaged_texts.damages_of(campaign)
        ]

    @operation(
        "damaged_texts_change",
        "Show this text as the damaged copy of an output",
        needs=Permission.EDIT,
        takes=shapes.NewDamagedTextSerializer,
    )
    def put(self, request: Request, code: str) -> None:
        campaign = get_campaign(request, code)
        given = self.given
        outputs = Output.objects.filter(item__campaign=campaign)
        output = get_object_or_404(outputs, pk=given["output"])
        damaged_texts.change_damaged_text(
            campaign, given["check"], output, given["text"], by=user_of(request)
        )


def get_item(request: Request, code: str, number: int) -> Item:
    if number < 1:
        raise Http404
    items = get_campaign(request, code).items.select_related("campaign", "media")
    return get_object_or_404(items, position=number - 1)


def names_of(request: Request, campaign: Campaign) -> dict[int, str]:
    """What the answer calls the systems: codes for roles that see no names."""
    return system_names(campaign, in_codes=not may(request, Permission.SYSTEMS))


def _lines(campaign: Campaign, items: list[Item]) -> list[Any]:
    return list(item_lines(campaign, [item.pk for item in items], UPLOAD_ORDER))


def _detail(request: Request, item: Item) -> object:
    campaign = item.campaign
    [line] = _lines(campaign, [item])
    answers = answers_about(campaign, item, names_of(request, campaign))
    settled = settled_about(campaign, item)
    outputs = [
        {
            "system": about.name if about.output else None,
            "text": about.output.text if about.output else "",
            "answers": [_said(rater) for rater in about.raters],
            "settled": [
                row
                for (output, _name), row in settled.items()
                if output == (about.output.pk if about.output else None)
            ],
        }
        for about in answers.about
    ]
    found: dict[str, Any] = {each: getattr(line, each) for each in line.__dataclass_fields__}
    found["number_in_upload"] = line.number_in_upload
    return SimpleNamespace(**found, outputs=outputs, is_cut=answers.is_cut)


def _said(rater: Any) -> dict[str, Any]:
    found = {each: getattr(rater, each) for each in rater.__dataclass_fields__}
    return found | {"marks": [dict(each.mark) for each in rater.marks]}
