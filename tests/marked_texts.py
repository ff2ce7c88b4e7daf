"""The texts that are marked for translation, found as `makemessages` finds them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from django.utils.translation.template import templatize

PROJECT = Path(__file__).parent.parent
MARKED = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
MARKED_IN_TEMPLATES = re.compile(r"""(?:gettext|_)\(u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")""")


def texts_of_modules(*folders: str) -> Iterator[str]:
    """The marked texts of the modules in these folders of the project."""
    for path in sorted(path for folder in folders for path in (PROJECT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in MARKED:
                text = node.args[0]
                if isinstance(text, ast.Constant):
                    yield text.value


def texts_of_templates() -> Iterator[str]:
    """The marked texts of all templates."""
    for path in sorted((PROJECT / "templates").rglob("*.html")):
        marked = templatize(path.read_text("utf-8"), origin=path.name)
        for text in MARKED_IN_TEMPLATES.findall(marked):
            yield ast.literal_eval(text)
