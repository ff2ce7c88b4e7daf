"""Where raters disagree: by output, and in pairs of raters or with a judge or metric."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import urlencode

from analysis.reliability.two_raters import AgreementLimits
from rankme.actions.audit import note_seen
from rankme.models import Campaign, Criterion, Metric
from rankme.permissions import Permission, user_of
from rankme.queries.disagreements.pairs import MOST_LEVELS, MOST_POINTS, Other, Pair, pairs_of
from rankme.queries.disagreements.settled import settled_values
from rankme.queries.disagreements.values import (
    MOST_RATERS,
    MOST_VALUES,
    GivenValues,
    comparable_criteria,
    lines_of,
    scores_by_unit,
    values_of,
)

from .campaign_page import SAFE, campaign_page
from .items import names_of, render_items

LINES_ON_A_PAGE = 30
PAIRS_SHOWN = 50
WIDTH, HEIGHT, LEFT, BOTTOM = 480, 320, 56, 40


@campaign_page(SAFE, needs=Permission.READ)
def list_disagreements(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """One criterion's outputs by disagreement; its pairs of raters; and one pair that is chosen."""
    if campaign.is_draft:
        return redirect("rankme:campaign-items", campaign.code)
    note_seen(campaign, "disagreements", by=user_of(request))
    criteria = comparable_criteria(campaign)
    criterion = _named(criteria, request.GET.get("criterion")) or next(iter(criteria), None)
    context: dict[str, Any] = {"criteria": criteria, "criterion": criterion}
    if criterion is not None:
        context |= _about(request, campaign, criterion)
    return render_items(request, campaign, "organiser/items/disagreements.html", context)


def _about(request: HttpRequest, campaign: Campaign, criterion: Criterion) -> dict[str, Any]:
    given = values_of(campaign, criterion)
    metrics = list(campaign.metrics.filter(kind=Metric.Kind.SCORES).order_by("name"))
    if not given.scale.is_ordered:
        metrics = [each for each in metrics if each.is_judge]
    metric = _named(metrics, request.GET.get("against"))
    other = metric and Other(metric.name, scores_by_unit(campaign, metric, given), metric.is_judge)
    compared = given.raters[:MOST_RATERS]
    labels = dict(campaign.participants.filter(pk__in=compared).values_list("pk", "label"))
    pairs = pairs_of(given, labels, other)
    chosen = (request.GET.get("first"), request.GET.get("second"))
    shown = pairs[:PAIRS_SHOWN]
    pair = next((each for each in pairs if (each.first, each.second) == chosen), None)
    return {
        "given": given,
        "metrics": metrics,
        "metric": metric,
        "compared_by": urlencode(
            {"criterion": criterion.name, "against": metric.name if metric else ""}
        ),
        "pairs": shown,
        "all_pairs": len(pairs),
        "compared": len(compared),
        "raters": len(given.raters),
        "most_values": MOST_VALUES,
        "pair": pair,
        "is_tabled": any(each.levels for each in shown),
        "is_limited": given.scale.is_ordered and not all(each.levels for each in shown),
        "page": _page(request, campaign, criterion, given, pair),
    } | (_detail(pair) if pair else {})


def _named(rows: Any, name: str | None) -> Any:
    return next((each for each in rows if each.name == name), None)


def _page(
    request: HttpRequest,
    campaign: Campaign,
    criterion: Criterion,
    given: GivenValues,
    pair: Pair | None,
) -> Page[Any]:
    """Outputs on which all raters, or the two of the pair, are furthest apart; settled last."""
    settled = settled_values(campaign, criterion)
    apart = np.zeros(len(given.units))
    if pair is None:
        apart = given.spread()
    elif pair.scale.is_ordered:
        apart[pair.units] = np.abs(pair.values[0] - pair.values[1])
    else:
        apart[pair.units] = pair.values[0] != pair.values[1]
    order = [int(place) for place in np.argsort(-apart, kind="stable") if apart[place] > 0]
    order.sort(key=lambda place: given.units[place] in settled)
    page: Page[Any] = Paginator(order, LINES_ON_A_PAGE).get_page(request.GET.get("page"))
    names = names_of(request, campaign)
    page.object_list = lines_of(campaign, given, list(page), names=names, settled=settled)
    return page


# --- One pair ------------------------------------------------------------------------------------


def _detail(pair: Pair) -> dict[str, Any]:
    """A confusion table, or the limits of agreement and their plot."""
    if pair.levels or not pair.scale.is_ordered:
        named = [pair.scale.said(level) for level in pair.levels]
        rows = zip(named, pair.counts.astype(int).tolist(), strict=True)
        has_room = len(named) <= MOST_LEVELS
        return {"kappa": pair.kappa, "levels": named, "rows": list(rows) if has_room else None}
    limits = pair.limits
    plot = _plot(pair, limits) if isinstance(limits, AgreementLimits) else None
    return {"limits": limits, "plot": plot}


def _plot(pair: Pair, limits: AgreementLimits) -> dict[str, Any]:
    """Differences over means (Bland & Altman) in the coordinates of an SVG."""
    first, second = pair.values
    means, differences = (first + second) / 2, first - second
    lines = (limits.upper, limits.bias, limits.lower)
    ends = np.array([[line.low, line.high] for line in lines])
    low, high = _padded(min(differences.min(), ends.min()), max(differences.max(), ends.max()))
    left, right = _padded(means.min(), means.max())

    def across(value: float) -> float:
        return round(LEFT + (WIDTH - LEFT - 12) * (value - left) / (right - left), 1)

    def down(value: float) -> float:
        return round(8 + (HEIGHT - BOTTOM - 8) * (high - value) / (high - low), 1)

    step = -(-len(means) // MOST_POINTS)
    return {
        "width": WIDTH,
        "height": HEIGHT,
        "left": LEFT,
        "right": WIDTH - 12,
        "bottom": HEIGHT - BOTTOM,
        "points": [
            (across(mean), down(difference))
            for mean, difference in zip(means[::step], differences[::step], strict=True)
        ],
        "lines": [
            {
                "at": down(line.value),
                "top": down(line.high),
                "height": round(down(line.low) - down(line.high), 1),
                "value": line.value,
            }
            for line in lines
        ],
        "ticks": [(across(value), value) for value in (means.min(), means.max())],
        "drawn": len(means[::step]),
    }


def _padded(low: float, high: float) -> tuple[float, float]:
    room = 0.05 * (high - low) or 1.0
    return float(low - room), float(high + room)
