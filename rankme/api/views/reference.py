"""The description of the API: the OpenAPI document, and a page made from it for people."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.views import SpectacularAPIView
from rest_framework.exceptions import NotFound
from rest_framework.permissions import AllowAny
from rest_framework.request import Request

from rankme.api.reference import operations_of
from rankme.api.view import View


class SchemaView(SpectacularAPIView, View):
    """The OpenAPI document, for programs."""

    permission_classes = [AllowAny]
    authentication_classes: list[Any] = []
    queries = {}


@require_safe
def reference(request: HttpRequest) -> HttpResponse:
    """The same document as a page."""
    schema = SchemaGenerator().get_schema(request=None, public=True)
    context = {"groups": operations_of(schema), "info": schema["info"]}
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
