"""Material on its way in: uploaded, looked at, taken or dropped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.material import materials
from rankme.api import material_shapes as shapes
from rankme.api.view import PageQuery, View, action, operation
from rankme.errors import RefusedAction
from rankme.importing import InvalidColumns, Reading, reading_from
from rankme.models import MaterialImport
from rankme.permissions import Permission, get_campaign, user_of

ABOUT_SCORES = ("lower_is_better", "is_judge", "own_systems")


class ImportsView(View):
    parser_classes = [MultiPartParser]

    @operation(
        "imports_list",
        "The uploads of a campaign, newest first",
        needs=Permission.FILES,
        lists=shapes.ImportSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        uploads = get_campaign(request, code).material_imports.all()
        return self.paged(uploads, shapes.ImportSerializer, newest_first=True)

    @operation(
        "imports_create",
        "Upload outputs, scores, or (for an archive) judgements; a worker checks them",
        needs=Permission.EDIT,
        request={"multipart/form-data": shapes.NewImportSerializer},
        gives=shapes.ImportSerializer,
        status=202,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        given = self.read(shapes.NewImportSerializer)
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
        return started


class ImportView(View):
    @operation(
        "imports_read",
        "One upload: its progress, its problems or its preview",
        needs=Permission.FILES,
        gives=shapes.ImportSerializer,
    )
    def get(self, request: Request, code: str, number: int) -> object:
        return get_import(request, code, number)


class ColumnsView(View):
    @operation(
        "imports_columns",
        "Correct the columns of the upload; a worker checks it again",
        needs=Permission.EDIT,
        takes=shapes.ColumnsSerializer,
        gives=shapes.ImportSerializer,
        status=202,
    )
    def post(self, request: Request, code: str, number: int) -> object:
        found = get_import(request, code, number)
        materials.read_again(found, reading_of(self.given), by=user_of(request))
        return get_import(request, code, number)


def reading_of(given: Mapping[str, Any]) -> Reading:
    try:
        return reading_from(given)
    except InvalidColumns as refused:
        raise RefusedAction(str(refused)) from refused


def get_import(request: Request, code: str, number: int) -> MaterialImport:
    return get_object_or_404(get_campaign(request, code).material_imports, pk=number)


TakeImportView = action(
    "imports_take",
    "Import the previewed upload, which replaces the current material",
    needs=Permission.EDIT,
    find=get_import,
    do=materials.take_import,
    gives=shapes.ImportSerializer,
)
DropImportView = action(
    "imports_drop",
    "Discard an upload that was not imported",
    needs=Permission.EDIT,
    find=get_import,
    do=materials.drop_import,
    gives=shapes.ImportSerializer,
)
