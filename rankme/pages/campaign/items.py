"""Read the judgements: a campaign's items, and everything that raters said about each."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext_lazy as _

from rankme.actions.audit import note_names_shown, note_seen
from rankme.models import Campaign, Item
from rankme.permissions import Permission, may, user_of
from rankme.protocols import item_input
from rankme.queries.complaints import complaints_about
from rankme.queries.items.answers import answers_about, system_names
from rankme.queries.items.list import Wish, item_lines, items_for
from rankme.queries.watching.effect import has_more_screens
from rankme.untrusted.clean_text import storable
from rankme.untrusted.whole_numbers import number_in

from .campaign_page import POST, SAFE, campaign_page, render_campaign
from .phases import address_of
from .settling import settled_parts

ITEMS_ON_A_PAGE = 30
LONGEST_SEARCH = 200
MOST_ORDERED = 50_000  # screens
CARRIED = ("among", "of", "open")
ORDERS = {
    "disagreement": _("Raters disagree most"),
    "reports": _("Most reported problems"),
    "lowest": _("Lowest values first"),
    "highest": _("Highest values first"),
    "apart": _("This rater differs most from the others"),
    "upload": _("Order of the upload"),
}
# What the items are ordered by, as the title of its column; the number of reports has one anyway.
NUMBERS = {
    "disagreement": _("Disagreement"),
    "lowest": _("Mean"),
    "highest": _("Mean"),
    "apart": _("Distance in SDs"),
}


@campaign_page(SAFE, needs=Permission.READ)
def list_items(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The items in the order that the organiser asks for; a draft's only in that of the upload.

    With `open`, the first or the last item of the page of the list.
    """
    note_seen(campaign, "items", by=user_of(request))
    names = names_of(request, campaign)
    wish = _wish(request, campaign, names)
    order = items_for(campaign, wish)
    page: Page[Any] = Paginator(order.ids, ITEMS_ON_A_PAGE).get_page(request.GET.get("page"))
    page.object_list = item_lines(campaign, list(page), order)
    among = [line.number_in_upload for line in page]
    carried = _list_asked(
        request,
        order=wish.order,
        page=page.number,
        of=len(order.ids),
        among=".".join(map(str, among)),
    )
    if among and (end := request.GET.get("open")):
        number = among[-1] if end == "last" else among[0]
        return redirect(address_of("campaign-item", campaign, number) + carried)
    has_inputs = any(line.item.input for line in page)
    context = {
        "carried": carried,
        "page": page,
        "wish": wish,
        "orders": ORDERS,
        "names": sorted(names.items(), key=lambda named: named[1]),
        "criteria": campaign.criteria.order_by("position"),
        "has_raters": not campaign.is_draft,
        "has_inputs": has_inputs,
        "has_references": not has_inputs and any(line.item.reference for line in page),
        "has_numbers": bool(order.numbers) and wish.order in NUMBERS,
        "number_title": NUMBERS.get(wish.order, ""),
    }
    return render_items(request, campaign, "organiser/items/list.html", context)


@campaign_page(SAFE, needs=Permission.READ)
def show_item(request: HttpRequest, campaign: Campaign, number: int) -> HttpResponse:
    """One item with its outputs and all answers; its neighbours are those of the list."""
    item = get_object_or_404(campaign.items.select_related("media"), position=number - 1)
    note_seen(campaign, "items", by=user_of(request))
    answers = answers_about(campaign, item, names_of(request, campaign))
    context: dict[str, Any] = item_context(item) | {
        "answers": answers,
        "parts": settled_parts(campaign, item, answers.about),
        "complaints": complaints_about([item]).get(item.pk, []),
    }
    context |= _neighbours(request, campaign, number)
    return render_items(request, campaign, "organiser/items/item.html", context)


def item_context(item: Item) -> dict[str, Any]:
    """An item with its tables or pictures, as `_item.html` shows it."""
    tables, pictures = item_input.read_tables(item.input), _pictures(item.input)
    drawn = {"tables": tables, "pictures": pictures}
    return {"item": item, "has_drawn_input": bool(tables or pictures)} | drawn


def _neighbours(request: HttpRequest, campaign: Campaign, number: int) -> dict[str, Any]:
    """Where the item is in its list, and the addresses of the items before and after it.

    The address carries the page of the list, since ordering all items of a large campaign takes
    seconds. Without one, the order is that of the upload.
    """
    asked = request.GET
    places = number_in(asked.get("of", ""))
    among = [number_in(part) for part in asked.get("among", "").split(".")[:ITEMS_ON_A_PAGE]]
    if number not in among:
        places = campaign.items.count()
        near = {name: place for name, place in (("before", number - 1), ("after", number + 1))}
        return {"place": number, "places": places} | {
            name: address_of("campaign-item", campaign, place)
            for name, place in near.items()
            if 0 < place <= places
        }
    here, page = among.index(number), max(number_in(asked.get("page", "")), 1)
    place = ITEMS_ON_A_PAGE * (page - 1) + here + 1
    found: dict[str, Any] = {"place": place, "places": places}
    for name, step, end in (("before", -1, "last"), ("after", 1, "first")):
        if 0 <= here + step < len(among):
            address = address_of("campaign-item", campaign, among[here + step])
            found[name] = f"{address}?{asked.urlencode()}"
        elif 0 < place + step <= places:
            turned = _list_asked(request, page=page + step, open=end)
            found[name] = address_of("campaign-items", campaign) + turned
    return found


def _list_asked(request: HttpRequest, **more: object) -> str:
    """What the address asks of the list, with these; without what only items carry."""
    asked = request.GET.copy()
    for name in CARRIED:
        asked.pop(name, None)
    for name, value in more.items():
        asked[name] = str(value)
    return f"?{asked.urlencode()}" if asked else ""


@campaign_page(POST, needs=Permission.SYSTEMS)
def show_names(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Show the systems' names instead of codes until the log-out, which the history notes."""
    is_shown = request.POST.get("show") == "yes"
    if is_shown and not request.session.get(_key(campaign)):
        note_names_shown(campaign, by=user_of(request))
    request.session[_key(campaign)] = is_shown
    back = request.POST.get("back", "")
    if not url_has_allowed_host_and_scheme(back, allowed_hosts=None):
        back = reverse("rankme:campaign-items", args=[campaign.code])
    return redirect(back)


def render_items(
    request: HttpRequest, campaign: Campaign, template: str, context: dict[str, Any]
) -> HttpResponse:
    tab = "campaign-material" if campaign.is_draft else "campaign-items"
    shown = {
        "is_blind": is_blind(request, campaign),
        "asked": _list_asked(request),
    }
    return render_campaign(request, campaign, template, shown | context, tab=tab)


def _is_large(campaign: Campaign) -> bool:
    """Whether an order by the judgements takes so long that it has to be asked for."""
    return has_more_screens(campaign, MOST_ORDERED)


def _key(campaign: Campaign) -> str:
    return f"names shown in {campaign.code}"


def is_blind(request: HttpRequest, campaign: Campaign) -> bool:
    """Whether this page shows codes: because the role sees no names, or nobody asked for them."""
    if not may(request, Permission.SYSTEMS):
        return True
    return not campaign.is_draft and not request.session.get(_key(campaign))


def names_of(request: HttpRequest, campaign: Campaign) -> dict[int, str]:
    """What this page calls the systems: codes, until somebody asks for their names."""
    return system_names(campaign, in_codes=is_blind(request, campaign))


def _wish(request: HttpRequest, campaign: Campaign, names: dict[int, str]) -> Wish:
    """Read what the address asks for; what cannot be is left out, and so nothing is refused."""
    asked = request.GET
    order = asked.get("order", "")
    if campaign.is_draft or (not order and _is_large(campaign)):
        order = "upload"
    named = {name: pk for pk, name in names.items()}
    criteria = {each.name: each.pk for each in campaign.criteria.order_by("position")}
    first = next(iter(criteria.values()), None)
    label, search = (
        text if storable(text := asked.get(name, "").strip()) else ""
        for name in ("rater", "search")
    )
    return Wish(
        search=search[:LONGEST_SEARCH],
        order=order if order in ORDERS else "disagreement",
        criterion=criteria.get(asked.get("criterion", ""), first),
        system=campaign.systems.filter(pk=named.get(asked.get("system", ""), 0)).first(),
        rater=campaign.participants.filter(label=label).first() if label else None,
    )


def _pictures(text: str) -> list[dict[str, str]]:
    found = item_input.read_pictures(text)
    return [
        {"name": picture.name, "source": source}
        for picture in (found.in_reading_order() if found else ())
        if (source := item_input.picture_source(picture))
    ]
