"""Prolific's published description of its API: whether calls and answers are as it says."""

import json
import re
from functools import cache
from typing import Any

import yaml
from jsonschema import Draft202012Validator

from rankme.practice_panel.wire import Request, Response
from tests.analysis.published import oracle_data

# Lists are read in pages (docs.prolific.com, "Basic usage"), which the description leaves out of
# all but a few of them.
PAGING = {"limit", "offset"}
OF_PAGES = {"_links", "meta"}
# The prose of the transition and the counts have these states, which some lists of states lack.
STATES = {
    "SubmissionShortStatus": {"PARTIALLY APPROVED"},
    "SubmissionStatus": {"PARTIALLY APPROVED"},
}


@cache
def description() -> dict[str, Any]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = oracle_data("prolific-openapi/openapi.yml").read_text(encoding="utf-8")
    document: dict[str, Any] = yaml.load(text, Loader=loader)
    for name, states in STATES.items():
        document["components"]["schemas"][name]["enum"] += sorted(states)
    closed: dict[str, Any] = _closed(document)
    return closed


def _closed(part: Any) -> Any:
    """The same shapes without properties that are not named.

    Its alternatives overlap (a filter fits two shapes), so one or more must fit instead of one.
    """
    if isinstance(part, list):
        return [_closed(each) for each in part]
    if not isinstance(part, dict):
        return part
    closed = {"anyOf" if name == "oneOf" else name: _closed(each) for name, each in part.items()}
    if closed.get("type") == "object" and closed.get("properties"):
        closed.setdefault("additionalProperties", False)
        if "results" in closed["properties"]:
            closed["properties"] |= dict.fromkeys(OF_PAGES, True)
    return closed


def operation(method: str, path: str) -> dict[str, Any]:
    """The described call; the one with the fewest placeholders where several fit."""
    fitting = []
    for template, calls in description()["paths"].items():
        pattern = re.sub(r"\{\w+\}", r"[^/]+", template.strip("/"))
        if method.lower() in calls and re.fullmatch(pattern, path.strip("/")):
            fitting.append((template.count("{"), calls[method.lower()]))
    assert fitting, f"The description has no {method} {path}"
    found: dict[str, Any] = min(fitting, key=lambda pair: pair[0])[1]
    return found


def problems_of_call(request: Request) -> list[str]:
    """Everything in which a call differs from the description."""
    described = operation(request.method, request.path)
    parameters = [one for one in described.get("parameters", ()) if one["in"] == "query"]
    known = {name for one in parameters for name in _names(one)}
    needed = {one["name"] for one in parameters if one.get("required") and one["schema"]}
    given = set(request.query)
    problems = [f"no parameter {name}" for name in given - known - PAGING]
    problems += [f"parameter {name} is missing" for name in needed - given if name in known]
    body = described.get("requestBody")
    if body is None:
        return problems + (["has a body"] if request.body else [])
    return problems + _problems(body["content"]["application/json"]["schema"], request.document)


def _names(parameter: dict[str, Any]) -> set[str]:
    """An object in the address is written as its own fields."""
    schema = _resolved(parameter["schema"])
    choices = [_resolved(each) for each in schema.get("anyOf", [schema])]
    fields = {name for choice in choices for name in choice.get("properties", {})}
    return fields or {parameter["name"]}


def problems_of_answer(request: Request, response: Response) -> list[str]:
    """Everything in which an answer that says yes differs from the description."""
    described = operation(request.method, request.path)["responses"]
    if str(response.status) not in described:
        return [f"answers {response.status}, described are {sorted(described)}"]
    content = described[str(response.status)].get("content", {}).get("application/json")
    if content is None or (response.document is None and response.status == 204):
        return []
    return _problems(content["schema"], json.loads(response.body or b"null"))


def _problems(schema: dict[str, Any], document: Any) -> list[str]:
    whole = {"components": description()["components"], **schema}
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in Draft202012Validator(whole).iter_errors(document)
    ]


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        found: Any = description()
        for part in schema["$ref"].removeprefix("#/").split("/"):
            found = found[part]
        schema = found
    return schema
