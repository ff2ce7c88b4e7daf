"""Check calls against the shapes that Prolific publishes (published.yaml)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from .wire import Refusal, Request

SHAPES = Path(__file__).with_name("published.yaml")
MOST_PROBLEMS = 5


@dataclass(frozen=True)
class Call:
    """One published call: its parameters, and the shape of its body if it has one."""

    method: str
    path: re.Pattern[str]
    query: frozenset[str]
    body: Draft202012Validator | None


@cache
def published_calls() -> tuple[Call, ...]:
    document = yaml.safe_load(SHAPES.read_text(encoding="utf-8"))
    return tuple(_call(call, document["definitions"]) for call in document["calls"])


def _call(found: dict[str, Any], definitions: dict[str, Any]) -> Call:
    method, path = found["call"].split()
    body = found.get("body")
    return Call(
        method,
        re.compile(path.replace("ID", r"[\w-]+") + r"\Z"),
        frozenset(found.get("query", ())),
        Draft202012Validator(body | {"definitions": definitions}) if body else None,
    )


def check_call(request: Request, path: str) -> None:
    """Refuse a call that has not the published shape; of unknown ones nothing is known."""
    for call in published_calls():
        if call.method == request.method and call.path.match(path):
            if problems := problems_of(call, request):
                raise Refusal(400, "Bad request", problems[:MOST_PROBLEMS], 140000)
            return


def problems_of(call: Call, request: Request) -> list[str]:
    problems = [f"There is no parameter {name}." for name in set(request.query) - call.query]
    if call.body is None:
        return problems + (["This call has no body."] if request.body else [])
    for error in call.body.iter_errors(request.document):
        problems.append(f"{'.'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    return problems
