"""Summarise a folded section or row of the form on one line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rankme.designs.registry import DESIGNS
from rankme.panel_links import PANELS

from .settings import FIRST_DESIGN, Document

LONGEST = 90


def in_short(anchor: str, document: Document) -> str:
    """A section's line; empty where its title says enough."""
    say = SECTIONS.get(anchor)
    return _cut(say(document)) if say else ""


def row_in_short(row: Document) -> str:
    """A row's line: its name and its text; empty for a row that was just added."""
    texts = [str(row.get(key) or "") for key in ("name", "question", "title", "input")]
    return _cut(" · ".join(text for text in texts if text))


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


def _names(part: str) -> Callable[[Document], str]:
    def say(document: Document) -> str:
        rows = document.get(part) or []
        return ", ".join(str(row.get("name") or "") for row in rows if row.get("name"))

    return say


def _design(document: Document) -> str:
    kind = (document.get("design") or {}).get("kind", FIRST_DESIGN)
    raters = document.get("raters_per_trial", 3)
    if not isinstance(raters, int) or kind not in DESIGNS:
        return ""
    count = ngettext("%(count)s rater per trial", "%(count)s raters per trial", raters)
    return f"{_(DESIGNS[kind].title)}, {count % {'count': raters}}"


def _practice(document: Document) -> str:
    number = len(document.get("practice") or [])
    if not number:
        return _("none")
    return ngettext("%(count)s example", "%(count)s examples", number) % {"count": number}


def _crowd(document: Document) -> str:
    crowd = document.get("crowd") or {}
    pay = crowd.get("pay_per_batch") or 0
    panel = str(crowd.get("panel") or "generic")
    panel = _(PANELS[panel].title) if panel in PANELS else panel
    if not pay:
        return f"{panel}, " + _("no pay")
    amount = f"{pay} {crowd.get('currency') or 'GBP'}"
    return f"{panel}, " + _("%(amount)s per batch") % {"amount": amount}


def _names_or_none(part: str) -> Callable[[Document], str]:
    names = _names(part)
    return lambda document: names(document) or _("none")


SECTIONS: dict[str, Callable[[Document], Any]] = {
    "general": lambda document: document.get("title") or "",
    "criteria": _names("criteria"),
    "screens": _names("screens"),
    "design": _design,
    "entry": _names_or_none("entry_questions"),
    "end": _names_or_none("end_questions"),
    "practice": _practice,
    "crowd": _crowd,
}
