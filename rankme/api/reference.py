"""The OpenAPI document as something to read: operations by subject, with their fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

METHODS = ("get", "post", "put", "delete")
PREFIX = "/api/v1/"
# Subjects that are below a campaign but have their own section.
SUBJECTS = ("imports", "judgements", "analysis-runs", "panel")


@dataclass(frozen=True)
class Field:
    name: str
    kind: str
    required: bool
    description: str


@dataclass(frozen=True)
class Shape:
    """A body: its content type and, where it is an object, its fields."""

    content_type: str
    fields: tuple[Field, ...]


@dataclass(frozen=True)
class Operation:
    id: str
    method: str
    path: str
    summary: str
    is_open: bool
    parameters: tuple[Field, ...]
    takes: tuple[Shape, ...]
    gives: tuple[tuple[str, Shape | None], ...]


def operations_of(schema: Mapping[str, Any]) -> dict[str, list[Operation]]:
    """Every operation, by the first word of its address."""
    groups: dict[str, list[Operation]] = {}
    for path, methods in schema["paths"].items():
        words = path.removeprefix(PREFIX).replace(".", "/").split("/")
        group = next((word for word in words if word in SUBJECTS), words[0])
        for method in METHODS:
            if method in methods:
                made = _operation(schema, path, method, methods[method])
                groups.setdefault(group, []).append(made)
    return groups


def _operation(
    schema: Mapping[str, Any], path: str, method: str, said: Mapping[str, Any]
) -> Operation:
    bodies = said.get("requestBody", {}).get("content", {})
    answers = {status: answer for status, answer in said["responses"].items() if status < "300"}
    return Operation(
        id=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said.get("summary", ""),
        is_open={} in said.get("security", [{}]),
        parameters=tuple(_parameters(said.get("parameters", []))),
        takes=tuple(_shapes(schema, bodies)),
        gives=tuple(
            (status, next(_shapes(schema, answer.get("content", {})), None))
            for status, answer in answers.items()
        ),
    )


def _parameters(parameters: list[Mapping[str, Any]]) -> Iterator[Field]:
    for parameter in parameters:
        if parameter["in"] == "query":
            kind = _kind(parameter["schema"])
            yield Field(
                parameter["name"],
                kind,
                parameter.get("required", False),
                parameter.get("description", ""),
            )


def _shapes(schema: Mapping[str, Any], content: Mapping[str, Any]) -> Iterator[Shape]:
    for kind, body in content.items():
        document = _resolved(schema, body.get("schema", {}))
        document = _resolved(schema, document.get("items", document))
        required = document.get("required", [])
        yield Shape(
            kind,
            tuple(
                Field(name, _kind(each), name in required, each.get("description", ""))
                for name, each in document.get("properties", {}).items()
            ),
        )


def _resolved(schema: Mapping[str, Any], part: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = part.get("$ref") or next(
        (choice["$ref"] for choice in part.get("allOf", []) if "$ref" in choice), None
    )
    if reference is None:
        return part
    found: Mapping[str, Any] = schema["components"]["schemas"][reference.rpartition("/")[2]]
    return found


def _kind(part: Mapping[str, Any]) -> str:
    """A type in a word or two."""
    choices = [
        choice for choice in part.get("oneOf", []) + part.get("allOf", []) if "$ref" in choice
    ]
    if "$ref" in part or choices:
        return str(part.get("$ref") or choices[0]["$ref"]).rpartition("/")[2]
    if part.get("type") == "array":
        return f"list of {_kind(part['items'])}"
    if "enum" in part:
        return " | ".join(str(value) for value in part["enum"])
    return str(part.get("format") or part.get("type", "anything"))


def add_errors(
    result: dict[str, Any], generator: Any, request: Any, public: bool
) -> dict[str, Any]:
    """Document that the errors of all operations have one form (a hook of drf-spectacular)."""
    from drf_spectacular.plumbing import ResolvedComponent

    from .shared_shapes import ErrorSerializer
    from .view import View

    view: Any = View()
    view.request, view.format_kwarg = None, None
    auto_schema: Any = View.schema
    auto_schema.registry, auto_schema.view = generator.registry, view
    auto_schema.method, auto_schema.path = "GET", "/"
    component: ResolvedComponent = auto_schema.resolve_serializer(ErrorSerializer, "response")
    answer = {
        "description": "Every error has this form.",
        "content": {"application/json": {"schema": component.ref}},
    }
    for methods in result["paths"].values():
        for operation in methods.values():
            operation["responses"]["default"] = answer
    result["components"] = generator.registry.build({})
    return result
