"""Stylesheets inside a page: on a slow line a linked one keeps it blank for two seconds more."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from django import template
from django.contrib.staticfiles import finders
from django.template.base import FilterExpression, Parser, Token

register = template.Library()
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@register.tag
def styles_inside(parser: Parser, token: Token) -> StylesInside:
    """`{% styles_inside "css/base.css" more %}`: the named stylesheets, and lists of such names."""
    return StylesInside([parser.compile_filter(each) for each in token.split_contents()[1:]])


class StylesInside(template.Node):
    """One `<style>` with stylesheets in their order, which the policy allows by a nonce.

    A node is markup, and is not escaped: its rules come from our own static files alone.
    """

    def __init__(self, sheets: Sequence[FilterExpression]) -> None:
        self.sheets = sheets

    def render(self, context: template.Context) -> str:
        named = [each.resolve(context) for each in self.sheets]
        names = [name for each in named for name in ([each] if isinstance(each, str) else each)]
        rules = "\n".join(rules_of(name) for name in names)
        return f'<style nonce="{context["request"].csp_nonce}">{rules}</style>'


@cache
def rules_of(sheet: str) -> str:
    """What a stylesheet says, without comments, indents and empty lines."""
    path = finders.find(sheet)
    if path is None:
        raise FileNotFoundError(f"There is no static file {sheet}.")
    rules = COMMENT.sub("", Path(path).read_text("utf-8"))
    return "\n".join(line.strip() for line in rules.splitlines() if line.strip())
