"""Django's `makemessages`, which also lists the texts that raters read.

A campaign file can replace these (`words`), in an installed package, too: so the list is data.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.commands import makemessages
from django.utils.translation.template import templatize

from rankme.protocols.instruments import INSTRUMENTS
from rankme.protocols.rater_texts import LISTED

TEMPLATES = ("participant/**/*.html", "errors/*.html", "base.html", "components/form_errors.html")
OF_ORGANISERS = {"_preview_bar.html"}
MODULES = (
    "rankme.pages.rater.rater_pages",
    "rankme.pages.rater.entering",
    "rankme.pages.rater.working",
    "rankme.pages.rater.leaving",
    "rankme.pages.rater.participant_words",
    "rankme.pages.rater.shortcuts",
    "rankme.forms.entry",
    "rankme.actions.accounts.link_mail_texts",
    "rankme.actions.sitting.assignments",
    "rankme.actions.sitting.complaints",
    "rankme.actions.sitting.judgements",
    "rankme.actions.sitting.participation",
    "rankme.actions.sitting.screen_rules",
    "rankme.protocols.exchange.sent_screen",
    "rankme.protocols.answers",
)
# Not `gettext_noop`: it marks what the history says to organisers.
MARKS = {"_", "gettext", "ngettext"}

STRING = r"""u?('(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
MARKED_IN_TEMPLATES = re.compile(rf"(?:gettext|_)\({STRING}(?:\s*,\s*{STRING}\s*,)?")
# Error pages say other things to organisers.
TO_ORGANISERS = re.compile(
    r"{% if not is_for_rater %}.*?{% endif %}"
    r"|(?<={% if is_for_rater %})(?P<to_raters>.*?){% else %}.*?{% endif %}",
    re.DOTALL,
)


class Command(makemessages.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        options["ignore_patterns"] += ["node_modules"]
        super().handle(*args, **options | {"add_location": "file"})
        LISTED.write_text(listed_texts(), encoding="utf-8")


def listed_texts() -> str:
    """The forms of each text, by the instrument whose screens alone have it, as JSON."""
    found: dict[str, list[tuple[str, ...]]] = {"": []}
    for path in _templates():
        source = TO_ORGANISERS.sub(lambda match: match["to_raters"] or "", path.read_text("utf-8"))
        is_of_instrument = path.parent.name == "instruments" and path.stem in INSTRUMENTS
        of_owner = found.setdefault(path.stem if is_of_instrument else "", [])
        of_owner += texts_of_template(source, path.name)
    for name in MODULES:
        found[""] += texts_of_module(inspect.getsource(import_module(name)), MARKS)
    unique = {
        owner: [forms[0] if len(forms) == 1 else forms for forms in dict.fromkeys(texts)]
        for owner, texts in found.items()
        if texts
    }
    return json.dumps(unique, ensure_ascii=False, indent=1) + "\n"


def _templates() -> Iterator[Path]:
    for pattern in TEMPLATES:
        for path in sorted(Path(settings.TEMPLATES[0]["DIRS"][0]).glob(pattern)):
            if path.name not in OF_ORGANISERS:
                yield path


def texts_of_template(source: str, name: str) -> Iterator[tuple[str, ...]]:
    """The forms of each marked text."""
    for forms in MARKED_IN_TEMPLATES.findall(templatize(source, origin=name)):
        yield tuple(ast.literal_eval(text) for text in forms if text)


def texts_of_module(source: str, marks: set[str]) -> Iterator[tuple[str, ...]]:
    """The forms of each text within a call of one of these functions."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in marks:
            texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant)]
            yield tuple(text for text in texts if isinstance(text, str))
