"""The texts that are marked for translation, found as `makemessages` finds them."""

import functools
import re
from pathlib import Path

from rankme.management.commands.makemessages import texts_of_module, texts_of_template

PROJECT = Path(__file__).parents[2]
MARKED = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
CALLED = re.compile(rf"\b({'|'.join(sorted(MARKED))})\(")


@functools.cache
def texts_of_modules(*folders: str) -> frozenset[str]:
    """The marked texts of the modules in these folders of the project."""
    paths = [path for folder in folders for path in (PROJECT / folder).rglob("*.py")]
    sources = (path.read_text("utf-8") for path in paths)
    return frozenset(
        forms[0]
        for source in sources
        if CALLED.search(source)
        for forms in texts_of_module(source, MARKED)
        if forms
    )


@functools.cache
def texts_of_templates() -> frozenset[str]:
    """The marked texts of all templates."""
    return frozenset(
        forms[0]
        for path in (PROJECT / "templates").rglob("*.html")
        for forms in texts_of_template(path.read_text("utf-8"), path.name)
    )
