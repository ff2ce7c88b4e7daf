"""The texts that are marked for translation, found as `makemessages` finds them."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

PROJECT = Path(__file__).parent.parent
MARKED = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
CALLED = re.compile(rf"\b({'|'.join(sorted(MARKED))})\(")
MARKED_IN_TEMPLATES = re.compile(r"""(?:gettext|_)\(u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""")


@functools.cache
def texts_of_modules(*folders: str) -> frozenset[str]:
    """The marked texts of the modules in these folders of the project."""
    paths = [path for folder in folders for path in (PROJECT / folder).rglob("*.py")]
    return frozenset(text for path in paths for text in texts_of(path.read_text("utf-8")))


def texts_of(source: str) -> Iterator[str]:
    if CALLED.search(source):
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKED:
                text = node.args[0]
                if isinstance(text, ast.Constant):
                    yield text.value


@functools.cache
def texts_of_templates() -> frozenset[str]:
    """The marked texts of all templates."""
    return frozenset(
        ast.literal_eval(text)
        for path in (PROJECT / "templates").rglob("*.html")
        for text in MARKED_IN_TEMPLATES.findall(
            templatize(path.read_text("utf-8"), origin=path.name)
        )
    )
