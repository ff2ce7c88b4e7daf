"""The description of the API: the OpenAPI document, and a page made from it for people."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiYamlRenderer
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from rankme.api.reference import Operation, operations_of
from rankme.api.view import View


# Nothing changes the document while the process runs, and making it costs as much as ten pages.
@lru_cache(maxsize=64)
def _document(language: str) -> dict[str, Any]:
    schema: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)
    return schema


@lru_cache(maxsize=64)
def _written(format: str, language: str) -> bytes:
    renderer = OpenApiJsonRenderer() if "json" in format else OpenApiYamlRenderer()
    written: bytes = renderer.render(_document(language), renderer_context={})
    return written


@lru_cache(maxsize=64)
def _operations(language: str) -> dict[str, list[Operation]]:
    return operations_of(_document(language))


class SchemaView(SpectacularAPIView, View):
    """The OpenAPI document, for programs."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []

    def _get_schema_response(self, request: Request) -> HttpResponse:
        renderer = request.accepted_renderer
        return HttpResponse(
            _written(renderer.format, get_language() or ""),
            content_type=renderer.media_type,
            headers={"Content-Disposition": f'inline; filename="openapi.{renderer.format}"'},
        )


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The same document as a page."""
    language = get_language() or ""
    context = {"groups": _operations(language), "info": _document(language)["info"]}
    return render(request, "api/reference.html", context)


class UnknownView(View):
    """An address that does not exist: the same error as everywhere, with any method."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NotFound(
            f"There is nothing at this address; {reverse('api-docs')} says what there is."
        )
