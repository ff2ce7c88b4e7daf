"""Looks at the systems on the monitor page, as the launch planned them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from analysis.report.stored import read_look
from analysis.sequential.section import SequentialSection
from analysis.sequential.sentences import proposal
from rankme.actions.runs.looks import request_look
from rankme.models import Campaign, Look
from rankme.permissions import Permission
from rankme.protocols.looking import MODES
from rankme.queries.watching.looks import (
    beginning_of,
    looks_of,
    looks_planned,
    planned_sittings,
    why_no_look,
)

from .campaign_page import POST, act, campaign_page
from .items import is_blind, names_of

MOST_SHOWN = 20


@dataclass(frozen=True)
class ShownLook:
    """A look in one plain sentence for each criterion, with what the viewer calls the systems."""

    number: int
    taken_at: datetime
    raters: int
    proposes_to_stop: bool
    sentences: tuple[tuple[str, str], ...]


def looks_context(request: HttpRequest, campaign: Campaign) -> dict[str, Any]:
    """Build what the monitor shows of looks: their plan, the next one, and what they saw."""
    planned = looks_planned(campaign)
    context: dict[str, Any] = {
        "looks_are_planned": not planned.is_fixed,
        "why_no_look": why_no_look(campaign),
    }
    if planned.is_fixed:
        return context
    codes = names_of(request, campaign)
    names = {name: codes[pk] for pk, name in campaign.systems.values_list("pk", "name")}
    newest = campaign.look_requests.first()
    return context | {
        "looks_mode": _(MODES[planned.mode]),
        "looks_number": planned.number if planned.mode == "group-sequential" else None,
        "looks_raters": beginning_of(campaign).judged,
        "looks_all_raters": planned_sittings(campaign),
        "looks_blind": is_blind(request, campaign),
        "look_request": newest if newest and newest.state != newest.State.DONE else None,
        "looks": [_shown(look, names) for look in looks_of(campaign)[:MOST_SHOWN]],
    }


def _shown(look: Look, names: dict[str, str]) -> ShownLook:
    return ShownLook(
        look.number,
        look.taken_at,
        look.raters,
        look.proposes_to_stop,
        tuple(
            (criterion, proposal(_named(read_look(found), names)))
            for criterion, found in look.result.items()
        ),
    )


def _named(section: SequentialSection, names: dict[str, str]) -> SequentialSection:
    return replace(
        section,
        systems=tuple(names.get(each, each) for each in section.systems),
        pairs=tuple(
            replace(pair, a=names.get(pair.a, pair.a), b=names.get(pair.b, pair.b))
            for pair in section.pairs
        ),
    )


@campaign_page(POST, needs=Permission.EDIT)
def take_look(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Ask for a look, which a worker computes."""
    act(
        request,
        _("The look is being computed. It appears on this page."),
        request_look,
        campaign,
    )
    return redirect("rankme:campaign-monitor", campaign.code)
