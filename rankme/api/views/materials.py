"""Material on its way in: uploaded, looked at, taken or dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.material import materials
from rankme.api.material_shapes import (
    ColumnsSerializer,
    ImportPageSerializer,
    ImportSerializer,
    NewImportSerializer,
)
from rankme.api.view import PageQuery, View
from rankme.errors import RefusedAction
from rankme.importing import InvalidColumns, Reading, reading_from
from rankme.models import MaterialImport
from rankme.permissions import get_campaign, user_of

ABOUT_SCORES = ("lower_is_better", "is_judge", "own_systems")


class ImportsView(View):
    parser_classes = [MultiPartParser]
    queries = {"GET": PageQuery}

    @extend_schema(
        operation_id="imports_list",
        summary="The uploads of a campaign, newest first",
        parameters=[PageQuery],
        responses=ImportPageSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        uploads = get_campaign(request, code).material_imports.all()
        return self.paged(uploads, ImportSerializer, newest_first=True)

    @extend_schema(
        operation_id="imports_create",
        summary="Upload outputs, scores, or (for an archive) judgements; a worker checks them",
        request={"multipart/form-data": NewImportSerializer},
        responses={202: ImportSerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.read(NewImportSerializer)
        items = given.pop("items", None)
        uploads = given.pop("files", None) or given.pop("outputs")
        files = [*uploads, *([items] if items else [])]
        options: dict[str, Any] = {"keep_rater_names": given.pop("keep_rater_names", False)}
        options |= {name: given.pop(name) for name in ABOUT_SCORES if name in given}
        if columns := given.pop("columns", None):
            options["reading"] = reading_of(columns).as_document()
        started = materials.start_import(
            campaign, files, **given, options=options, by=user_of(request)
        )
        started.refresh_from_db()
        return Response(ImportSerializer(started).data, status=202)


class ImportView(View):
    @extend_schema(
        operation_id="imports_read",
        summary="One upload: its progress, its problems or its preview",
        responses=ImportSerializer,
    )
    def get(self, request: Request, code: str, number: int) -> Response:
        return Response(ImportSerializer(get_import(request, code, number)).data)


def decision(name: str, action: Callable[..., Any], summary: str) -> type[View]:
    """A view that takes or drops an upload."""

    class Decision(View):
        @extend_schema(
            operation_id=f"imports_{name}",
            summary=summary,
            request=None,
            responses=ImportSerializer,
        )
        def post(self, request: Request, code: str, number: int) -> Response:
            found = get_import(request, code, number)
            self.read_nothing()
            action(found, by=user_of(request))
            return Response(ImportSerializer(get_import(request, code, number)).data)

    Decision.__name__ = f"{name.title()}ImportView"
    return Decision


class ColumnsView(View):
    @extend_schema(
        operation_id="imports_columns",
        summary="Correct the columns of the upload; a worker checks it again",
        request=ColumnsSerializer,
        responses={202: ImportSerializer},
    )
    def post(self, request: Request, code: str, number: int) -> Response:
        found = get_import(request, code, number)
        materials.read_again(found, reading_of(self.read(ColumnsSerializer)), by=user_of(request))
        return Response(ImportSerializer(get_import(request, code, number)).data, status=202)


def reading_of(given: Mapping[str, Any]) -> Reading:
    try:
        return reading_from(given)
    except InvalidColumns as refused:
        raise RefusedAction(str(refused)) from refused


TakeImportView = decision(
    "take",
    materials.take_import,
    "Import the previewed upload, which replaces the current material",
)
DropImportView = decision("drop", materials.drop_import, "Discard an upload that was not imported")


def get_import(request: Request, code: str, number: int) -> MaterialImport:
    return get_object_or_404(get_campaign(request, code).material_imports, pk=number)
