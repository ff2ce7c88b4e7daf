"""Values as text in an input, and back: numbers, lists and pairs one per line."""

from __future__ import annotations

import json
from typing import Any

import yaml


def text_of(value: Any, kind: str) -> str:
    """Write a value as its input shows it."""
    if value is None:
        return ""
    if kind == "lines":
        return "\n".join(_quoted(line) for line in value)
    if kind == "pairs":
        pairs = value.items() if isinstance(value, dict) else value
        return "\n".join(
            f"{_quoted(name, ':')}: {_quoted(text_of(each, 'number'))}" for name, each in pairs
        )
    if kind == "yaml":
        return yaml.safe_dump(value, allow_unicode=True, sort_keys=False) if value else ""
    if kind == "number" and isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _quoted(text: str, separator: str = "") -> str:
    """Quote a line that could be misread (a line break, spaces at its ends)."""
    misread = not text or text != text.strip() or text.startswith('"')
    if not misread and not set(text) & {"\n", "\r", separator}:
        return text
    return json.dumps(text, ensure_ascii=False)


def unquoted(line: str) -> str:
    line = line.strip()
    if line.startswith('"') and line.endswith('"') and len(line) > 1:
        try:
            return str(json.loads(line))
        except ValueError:
            return line
    return line


def pairs_from(text: str) -> dict[str, str]:
    pairs = {}
    for line in filter(str.strip, text.split("\n")):
        name, value = _name_and_rest(line.strip())
        pairs[name] = unquoted(value)
    return pairs


def _name_and_rest(line: str) -> tuple[str, str]:
    if line.startswith('"'):
        try:
            name, end = json.JSONDecoder().raw_decode(line)
        except ValueError:
            pass
        else:
            return str(name), line[end:].strip().removeprefix(":")
    name, _, rest = line.partition(":")
    return name.strip(), rest


def number_from(text: str) -> int | float | str | None:
    if not text:
        return None
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text
