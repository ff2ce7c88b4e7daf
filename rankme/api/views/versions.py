"""The versions of a launched campaign: read them, make a new one, reopen."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.campaign import changes, extensions, large_extensions
from rankme.actions.campaign.campaigns import definition_of
from rankme.api import version_shapes as shapes
from rankme.api.view import View, operation
from rankme.models import Campaign
from rankme.permissions import Permission, get_campaign, user_of
from rankme.protocols.files import definition_from_document
from rankme.queries.versions import version_lines


class VersionsView(View):
    @operation(
        "versions_list",
        "The versions of a campaign, with the raters and judgements under each",
        needs=Permission.SEE,
        gives=shapes.VersionLineSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        return version_lines(get_campaign(request, code))

    @operation(
        "versions_create",
        "Change a launched campaign: its texts, pay, codes and crowd settings",
        needs=Permission.EDIT,
        takes=shapes.NewVersionSerializer,
        gives=shapes.VersionDetailSerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        given = self.given
        return changes.change_campaign(
            campaign,
            definition_from_document(given["definition"]),
            reason=given["reason"],
            by=user_of(request),
            base=given["base"],
        )


class VersionView(View):
    @operation(
        "versions_read",
        "One version with its definition",
        needs=Permission.FILES,
        gives=shapes.VersionDetailSerializer,
    )
    def get(self, request: Request, code: str, version: int) -> object:
        versions = get_campaign(request, code).versions
        return get_object_or_404(versions, number=version)


class ExtensionView(View):
    @operation(
        "extension_preview",
        "What an extension of the plan would add, with the balance before and after. For a "
        "large plan: how far a worker is with the newest request, and what it has drawn",
        needs=Permission.EDIT,
        gives=OpenApiTypes.OBJECT,
        query=shapes.ExtensionQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        if extensions.is_large(campaign):
            newest = campaign.extensions.first()
            return Response(shapes.PlanExtensionSerializer(newest).data if newest else {})
        extension = extensions.draw_extension(
            campaign, self._raters(campaign, self.query), self.query["mixed_percent"]
        )
        return Response(extension.as_document())

    @operation(
        "extension_create",
        "Extend the plan: more raters per trial, and batches for material that was added. "
        "A large plan is extended by a worker",
        needs=Permission.EDIT,
        takes=shapes.NewExtensionSerializer,
        responses={201: shapes.VersionDetailSerializer, 202: shapes.PlanExtensionSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.given
        if extensions.is_large(campaign):
            row = large_extensions.request_extension(
                campaign,
                self._raters(campaign, given),
                reason=given["reason"],
                base=given["base"],
                by=user_of(request),
                mixed_percent=given["mixed_percent"],
            )
            return Response(shapes.PlanExtensionSerializer(row).data, status=202)
        version = extensions.extend_campaign(
            campaign,
            reason=given["reason"],
            base=given["base"],
            by=user_of(request),
            raters_per_trial=self._raters(campaign, given),
            mixed_percent=given["mixed_percent"],
        )
        return Response(shapes.VersionDetailSerializer(version).data, status=201)

    def _raters(self, campaign: Campaign, given: dict[str, Any]) -> int:
        return int(given.get("raters_per_trial", definition_of(campaign).raters_per_trial))


class ReopenView(View):
    @operation(
        "campaigns_reopen",
        "Collect again in a closed campaign; this makes a new version",
        needs=Permission.EDIT,
        takes=shapes.ReasonSerializer,
        gives=shapes.VersionDetailSerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        given = self.given
        return changes.reopen_campaign(campaign, by=user_of(request), **given)
