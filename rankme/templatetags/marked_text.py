"""Show a text with the marks of all raters over it."""

from __future__ import annotations

from collections.abc import Iterable

from django.template import Library
from django.utils.html import format_html, format_html_join

from rankme.queries.items.answers import Stretch

register = Library()


@register.filter
def overlaid(stretches: Iterable[Stretch]) -> str:
    """Write the stretches without any space of a template between them."""
    return format_html_join(
        "",
        "{}",
        (
            (
                format_html(
                    '<mark class="level-{}" title="{}">{}</mark>',
                    stretch.level,
                    stretch.said,
                    stretch.text,
                )
                if stretch.marks
                else stretch.text,
            )
            for stretch in stretches
        ),
    )
