"""The base of all views of the API: operations, filters, pagination."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.db.models import Model, QuerySet
from django.http import HttpResponseBase, QueryDict
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from rankme.permissions import Permission, declare, user_of

from .parsers import StrictJSONParser

LARGEST_ID = 2**63 - 1
NOT_A_NUMBER = "A number is needed here, not a text."
UNKNOWN = "There is no such field."
UNKNOWN_PARAMETER = "There is no such parameter."


class Strict(serializers.Serializer[Any]):
    # Takes the fields that it declares; any other is an error and never ignored. (A docstring would
    # be the description of every body.)

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


Method = TypeVar("Method", bound=Callable[..., object])
Found = TypeVar("Found", bound=Model)


def page_of(serializer: type[serializers.Serializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The shape of a page of a list; `next` is the address of the following one."""
    fields = {
        "next": serializers.URLField(allow_null=True),
        "results": serializer(many=True),
    }
    name = serializer.__name__.removesuffix("Serializer").removesuffix("Line")
    return type(f"{name}PageSerializer", (serializers.Serializer,), fields)


def operation(
    name: str,
    summary: str,
    *,
    needs: Permission | None,
    takes: type[Strict] | None = None,
    gives: Any = None,
    lists: type[serializers.Serializer[Any]] | None = None,
    status: int = 200,
    query: type[serializers.Serializer[Any]] | None = None,
    **documented: Any,
) -> Callable[[Method], Callable[..., HttpResponseBase]]:
    """Declare a method of a view once, for the OpenAPI document and for the answer.

    Parameters
    ----------
    needs : the permission that the role of who asks must have; None for what is open to everybody
    takes : the shape of the body, which the method finds checked in `self.given`
    gives : the shape of what the method returns (a class, or one with `many=True`); without it and
        a declared answer of another kind, the answer is 204
    lists : the shape of the rows that `self.paged` answers with
    query : the parameters of the address, which the method finds checked in `self.query`
    """
    shape = page_of(lists) if lists else gives
    if "responses" not in documented:
        documented["responses"] = {status: shape} if shape else {204: None}
    if "request" not in documented:
        documented["request"] = takes
    if query:
        documented["parameters"] = [query]

    def decorate(method: Method) -> Callable[..., HttpResponseBase]:
        @wraps(method)
        def answer(view: View, request: Request, *args: Any, **kwargs: Any) -> HttpResponseBase:
            declare(request, needs, in_campaign="code" in kwargs)
            found = method(view, request, *args, **kwargs)
            if isinstance(found, HttpResponseBase):
                return found
            if gives is None:
                return Response(status=204)
            many = isinstance(gives, serializers.ListSerializer)
            serializer = type(gives.child) if many else gives
            shown = serializer(found, many=many, context={"request": request})
            return Response(shown.data, status=status)

        declared: Any = answer
        declared.needs = needs
        declared.takes, declared.query = takes, query or serializers.Serializer
        declared.has_no_body = documented["request"] is None and method.__name__ != "get"
        described: Callable[..., HttpResponseBase] = extend_schema(
            operation_id=name, summary=summary, **documented
        )(declared)
        return described

    return decorate


class View(APIView):
    # A docstring would be the description of every operation.
    parser_classes = [StrictJSONParser]
    metadata_class = None
    query: dict[str, Any]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        called: Any = getattr(self, (request.method or "").lower(), None)
        self.query = read_query(request, getattr(called, "query", serializers.Serializer))
        if getattr(called, "has_no_body", False) and int(request.META.get("CONTENT_LENGTH") or 0):
            self.read(Strict)

    @cached_property
    def given(self) -> dict[str, Any]:
        """The request's body, checked by the shape that the method takes."""
        return self.read(getattr(self, str(self.request.method).lower()).takes)

    def read(self, serializer: type[Strict]) -> dict[str, Any]:
        checked = serializer(data=self.request.data)
        checked.is_valid(raise_exception=True)
        document: dict[str, Any] = checked.validated_data
        return document

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
        context["request"] = self.request
        results = serializer(shown(page), many=True, context=context).data
        return Response({"next": following, "results": results})

    def _address(self, after: int) -> str:
        asked = {name: values[-1] for name, values in self.request.query_params.lists()}
        return f"{self.request.build_absolute_uri(self.request.path)}?" + urlencode(
            asked | {"after": after}
        )


def action(
    name: str,
    summary: str,
    *,
    needs: Permission,
    find: Callable[..., Found],
    do: Callable[..., object],
    shown: Callable[[Request, Found], object] | None = None,
    takes: type[Strict] | None = None,
    gives: Any = None,
) -> type[View]:
    """A view whose POST does one thing to what its address names.

    Parameters
    ----------
    find : gives it by the request and the parts of the address, or answers 404
    do : does it; the fields of the body are its keyword arguments
    shown : gives what the answer shows, afterwards; by default the row, as it is now
    """

    class Action(View):
        @operation(name, summary, needs=needs, takes=takes, gives=gives)
        def post(self, request: Request, **address: Any) -> object:
            found = find(request, **address)
            do(found, **(self.given if takes else {}), by=user_of(request))
            if shown is not None:
                return shown(request, found)
            found.refresh_from_db()
            return found

    return Action


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
