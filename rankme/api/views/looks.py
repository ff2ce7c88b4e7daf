"""Looks at a campaign while it runs, as its launch planned them."""

from __future__ import annotations

from rest_framework.request import Request

from rankme.actions.audit import note_seen
from rankme.actions.runs.looks import request_look, require_raters
from rankme.api import look_shapes as shapes
from rankme.api.view import View, operation
from rankme.permissions import Permission, get_campaign, user_of
from rankme.queries.watching.looks import (
    beginning_of,
    looks_of,
    looks_planned,
    planned_sittings,
    raters_for_next_look,
    why_no_look,
)


class LooksView(View):
    @operation(
        "looks_list",
        "How the campaign may be looked at while it runs, and what each look saw",
        needs=Permission.REPORTS,
        gives=shapes.LooksSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        require_raters(campaign)
        newest = campaign.look_requests.first()
        if looks := looks_of(campaign):
            note_seen(campaign, "API: looks", by=user_of(request))
        return {
            "mode": looks_planned(campaign).mode,
            "raters": beginning_of(campaign).judged,
            "needed": raters_for_next_look(campaign),
            "planned": planned_sittings(campaign),
            "why_not_now": why_no_look(campaign),
            "request": newest if newest and newest.state != newest.State.DONE else None,
            "looks": looks,
        }

    @operation(
        "looks_create",
        "Ask for a look; a worker computes it",
        needs=Permission.EDIT,
        gives=shapes.LookRequestSerializer,
        status=202,
    )
    def post(self, request: Request, code: str) -> object:
        row = request_look(get_campaign(request, code), by=user_of(request))
        row.refresh_from_db()
        return row
