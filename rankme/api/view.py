"""What all views of the API share: who may come in, what may be asked, how lists are paged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import QueryDict
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from .parsers import StrictJSONParser

LARGEST_ID = 2**63 - 1
NOT_A_NUMBER = "A number is needed here, not a text."
UNKNOWN = "There is no such field."
UNKNOWN_PARAMETER = "There is no such parameter."


class Strict(serializers.Serializer[Any]):
    """Takes the fields that it declares; any other is an error and never ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            known = {name for name, field in self.fields.items() if not field.read_only}
            unknown = sorted(str(name) for name in data if name not in known)
            if unknown:
                raise serializers.ValidationError({name: [UNKNOWN] for name in unknown})
        if isinstance(data, dict) and not isinstance(data, QueryDict):
            numbers = (serializers.IntegerField, serializers.FloatField)
            texts = [name for name in known if isinstance(data.get(name), str)]
            if wrong := [name for name in texts if isinstance(self.fields[name], numbers)]:
                raise serializers.ValidationError({name: [NOT_A_NUMBER] for name in wrong})
        return super().to_internal_value(data)


class PageQuery(serializers.Serializer[Any]):
    """How much of a list, and from where on."""

    limit = serializers.IntegerField(min_value=1, max_value=1000, default=100)
    after = serializers.IntegerField(
        min_value=1,
        max_value=LARGEST_ID,
        required=False,
        help_text="The `id` of the last result on the previous page; `next` contains it.",
    )


class View(APIView):
    # `queries` says which parameters each method takes; others are errors. A docstring would be
    # the description of every operation.
    parser_classes = [StrictJSONParser]
    metadata_class = None
    queries: dict[str, type[serializers.Serializer[Any]]] = {}
    query: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = "GET" if request.method == "HEAD" else request.method
        self.query = read_query(request, self.queries.get(method or "", serializers.Serializer))

    def read(self, serializer: type[Strict], **context: Any) -> dict[str, Any]:
        """The request's body, checked."""
        checked = serializer(data=self.request.data, context=context)
        checked.is_valid(raise_exception=True)
        document: dict[str, Any] = checked.validated_data
        return document

    def read_nothing(self) -> None:
        """Refuse a body where none is expected."""
        if int(self.request.META.get("CONTENT_LENGTH") or 0):
            self.read(Strict)

    def paged(
        self,
        rows: QuerySet[Any],
        serializer: type[serializers.Serializer[Any]],
        *,
        newest_first: bool,
        shown: Callable[[list[Any]], list[Any]] = list,
        **context: Any,
    ) -> Response:
        """A page of rows in the order of their ids, and the address of the next.

        `shown` says what the serializer gets for a page of rows.
        """
        after, limit = self.query.get("after"), self.query["limit"]
        if after is not None:
            rows = rows.filter(id__lt=after) if newest_first else rows.filter(id__gt=after)
        found = list(rows.order_by("-id" if newest_first else "id")[: limit + 1])
        page = found[:limit]
        following = self._address(page[-1].pk) if len(found) > limit else None
        results = serializer(shown(page), many=True, context=context).data
        return Response({"next": following, "results": results})

    def _address(self, after: int) -> str:
        asked = {name: values[-1] for name, values in self.request.query_params.lists()}
        return f"{self.request.build_absolute_uri(self.request.path)}?" + urlencode(
            asked | {"after": after}
        )


def read_query(request: Request, serializer: type[serializers.Serializer[Any]]) -> dict[str, Any]:
    """The declared parameters, checked. Each reaches one fixed lookup, never a lookup by name."""
    given = request.query_params
    known = serializer().fields
    faults = {name: [UNKNOWN_PARAMETER] for name in given if name not in known}
    faults |= {
        name: ["Give this parameter only once."]
        for name, values in given.lists()
        if name in known and len(values) > 1
    }
    if faults:
        raise serializers.ValidationError(faults)
    checked = serializer(data={name: given[name] for name in given})
    checked.is_valid(raise_exception=True)
    parameters: dict[str, Any] = checked.validated_data
    return parameters
