"""Write the types of the work page's scripts from the server's models: `make types`.

Each model becomes an interface, by way of its JSON schema. Options of instruments are written as
the page has them: choices as [name, label] pairs.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

PAGE = Path(__file__).resolve().parent.parent / "static/js/work/page.d.ts"
HEAD = "// Written by `make types` from rankme/protocols/exchange/page_shapes.py: change that.\n"
SCALARS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean"}

Schema = Mapping[str, Any]


class AsSent(GenerateJsonSchema):
    """What has a default is sent nevertheless; only keys of typed dicts are left out."""

    def field_is_required(self, field: Any, total: bool) -> bool:
        return field["type"] != "typed-dict-field" or super().field_is_required(field, total)


def page_types() -> str:
    """The text of `page.d.ts`."""
    from rankme.protocols.exchange import page_shapes
    from rankme.protocols.instruments import INSTRUMENTS
    from rankme.protocols.instruments.base import Options

    exchanged = ("PageDocument", "Receipt", "Refusal", "Feedback", "Submission", "Report")
    shapes = [getattr(page_shapes, name) for name in exchanged]
    _refs, found = TypeAdapter.json_schemas(
        [(each.__name__, "serialization", TypeAdapter(each)) for each in shapes],
        schema_generator=AsSent,
    )
    options = {each.Options for each in INSTRUMENTS.values()} - {Options}
    _refs, of_instruments = models_json_schema(
        [(each, "serialization") for each in options], schema_generator=AsSent
    )
    definitions = dict(found["$defs"])
    for name, schema in of_instruments["$defs"].items():
        definitions[name] = _with_pairs(schema)
    return HEAD + "".join(_declared(name, definitions[name]) for name in sorted(definitions))


def _with_pairs(schema: Schema) -> Schema:
    pair = {"type": "array", "prefixItems": [{"type": "string"}, {"type": "string"}]}
    properties = {
        name: {"type": "array", "items": pair} if "additionalProperties" in each else each
        for name, each in schema.get("properties", {}).items()
    }
    return {**schema, "properties": properties, "additionalProperties": False}


def _declared(name: str, schema: Schema) -> str:
    said = schema.get("description", "").partition("\n\n")[0].replace("\n", " ")
    head = f"\n/** {said} */\n" if said else "\n"
    if "properties" not in schema:
        return f"{head}export type {name} = {_type(schema)};\n"
    return f"{head}export interface {name} {{\n{''.join(_fields(schema))}}}\n"


def _fields(schema: Schema) -> Iterator[str]:
    required = schema.get("required", ())
    for name, each in schema["properties"].items():
        yield f"  {name}{'' if name in required else '?'}: {_type(each)};\n"


def _type(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if "const" in schema or "enum" in schema:
        return " | ".join(_literal(each) for each in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema or "oneOf" in schema:
        choices = schema.get("anyOf") or schema["oneOf"]
        return " | ".join(dict.fromkeys(_type(each) for each in choices))
    kind = schema.get("type")
    if kind == "null":
        return "null"
    if kind == "array":
        return _array(schema)
    if kind == "object":
        values = schema.get("additionalProperties")
        return f"Record<string, {_type(values) if isinstance(values, Mapping) else 'unknown'}>"
    return SCALARS.get(str(kind), "unknown")


def _array(schema: Schema) -> str:
    if "prefixItems" in schema:
        return f"[{', '.join(_type(each) for each in schema['prefixItems'])}]"
    items = schema.get("items", {})
    return f"({_type(items)})[]" if "anyOf" in items else f"{_type(items)}[]"


def _literal(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


if __name__ == "__main__":
    import django

    os.environ.setdefault("ENVIRONMENT", "local")
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evalsite.settings")
    django.setup()
    PAGE.write_text(page_types(), "utf-8")
