"""The versions of a launched campaign: read them, make a new one, reopen."""

from __future__ import annotations

from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.campaign import changes, extensions, large_extensions
from rankme.actions.campaign.campaigns import definition_of
from rankme.api.version_shapes import (
    ExtensionQuery,
    NewExtensionSerializer,
    NewVersionSerializer,
    PlanExtensionSerializer,
    ReasonSerializer,
    VersionDetailSerializer,
    VersionLineSerializer,
)
from rankme.api.view import View
from rankme.models import Campaign
from rankme.permissions import get_campaign, user_of
from rankme.protocols.files import definition_from_document
from rankme.queries.versions import version_lines


class VersionsView(View):
    @extend_schema(
        operation_id="versions_list",
        summary="The versions of a campaign, with the raters and judgements under each",
        responses=VersionLineSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> Response:
        lines = version_lines(get_campaign(request, code))
        return Response(VersionLineSerializer(lines, many=True).data)

    @extend_schema(
        operation_id="versions_create",
        summary="Change a launched campaign: its texts, pay, codes and crowd settings",
        request=NewVersionSerializer,
        responses={201: VersionDetailSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.read(NewVersionSerializer)
        version = changes.change_campaign(
            campaign,
            definition_from_document(given["definition"]),
            reason=given["reason"],
            by=user_of(request),
            base=given["base"],
        )
        return Response(VersionDetailSerializer(version).data, status=201)


class VersionView(View):
    @extend_schema(
        operation_id="versions_read",
        summary="One version with its definition",
        responses=VersionDetailSerializer,
    )
    def get(self, request: Request, code: str, version: int) -> Response:
        versions = get_campaign(request, code).versions
        return Response(VersionDetailSerializer(get_object_or_404(versions, number=version)).data)


class ExtensionView(View):
    queries = {"GET": ExtensionQuery}

    @extend_schema(
        operation_id="extension_preview",
        summary="What an extension of the plan would add, with the balance before and after. For a "
        "large plan: how far a worker is with the newest request, and what it has drawn",
        parameters=[ExtensionQuery],
        responses=OpenApiTypes.OBJECT,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        if extensions.is_large(campaign):
            newest = campaign.extensions.first()
            return Response(PlanExtensionSerializer(newest).data if newest else {})
        extension = extensions.draw_extension(campaign, self._raters(campaign, self.query))
        return Response(extension.as_document())

    @extend_schema(
        operation_id="extension_create",
        summary="Extend the plan: more raters per trial, and batches for material that was added. "
        "A large plan is extended by a worker",
        request=NewExtensionSerializer,
        responses={201: VersionDetailSerializer, 202: PlanExtensionSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.read(NewExtensionSerializer)
        if extensions.is_large(campaign):
            row = large_extensions.request_extension(
                campaign,
                self._raters(campaign, given),
                reason=given["reason"],
                base=given["base"],
                by=user_of(request),
            )
            return Response(PlanExtensionSerializer(row).data, status=202)
        version = extensions.extend_campaign(
            campaign,
            reason=given["reason"],
            base=given["base"],
            by=user_of(request),
            raters_per_trial=self._raters(campaign, given),
        )
        return Response(VersionDetailSerializer(version).data, status=201)

    def _raters(self, campaign: Campaign, given: dict[str, Any]) -> int:
        return int(given.get("raters_per_trial", definition_of(campaign).raters_per_trial))


class ReopenView(View):
    @extend_schema(
        operation_id="campaigns_reopen",
        summary="Collect again in a closed campaign; this makes a new version",
        request=ReasonSerializer,
        responses={201: VersionDetailSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.read(ReasonSerializer)
        version = changes.reopen_campaign(campaign, by=user_of(request), **given)
        return Response(VersionDetailSerializer(version).data, status=201)
