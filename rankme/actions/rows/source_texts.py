"""Texts that the campaign shows as Markdown, and that raters will see as they were written."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from rankme.importing import Material
from rankme.markdown import LONGEST, formatted
from rankme.protocols.definition import Definition

# Rendering them takes half a minute at worst. Of longer material, only the lengths are looked at.
MOST_RENDERED = 1_000_000
LONGEST_SHOWN = 60


def note_on_source(definition: Definition, material: Material) -> str:
    """Say how many texts are too long, or nested too deeply, to be rendered; "" if none is."""
    left = MOST_RENDERED
    as_written = []
    for name, text in _formatted_texts(definition, material):
        left -= len(text)
        if len(text) > LONGEST or (left > 0 and formatted(text) is None):
            as_written.append(name)
    if not as_written:
        return ""
    count = len(as_written)
    words = ngettext(
        "%(count)s text is too long or too deeply nested for Markdown, and raters will see it as "
        "it was written: %(first)s.",
        "%(count)s texts are too long or too deeply nested for Markdown, and raters will see them "
        "as they were written, such as %(first)s.",
        count,
    )
    return words % {"count": count, "first": as_written[0]}


def _formatted_texts(definition: Definition, material: Material) -> Iterator[tuple[str, str]]:
    """The texts with their names, by what the definition's screens show as Markdown."""

    def formats(*blocks: str) -> bool:
        return any(screen.formats(*blocks) for screen in definition.screens)

    columns = {
        "input": formats("input"),
        "reference": formats("reference", "reference_context"),
        "context": formats("context", "reference_context"),
    }
    if any(columns.values()):
        for item in material.items():
            for column, is_shown in columns.items():
                if is_shown:
                    key = item.key[:LONGEST_SHOWN]
                    yield (
                        _("the %(column)s of %(item)s") % {"column": column, "item": key},
                        getattr(item, column),
                    )
    if formats("outputs", "context"):
        for output in material.outputs():
            key = output.item_key[:LONGEST_SHOWN]
            named = _("the output of %(system)s for %(item)s")
            yield named % {"system": output.system, "item": key}, output.text
