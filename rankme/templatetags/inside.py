"""Stylesheets and scripts inside a page: on a slow line a linked one comes two seconds later."""

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
LINE_OF_COMMENT = re.compile(r"^ *//.*$", re.MULTILINE)


@register.tag
def styles_inside(parser: Parser, token: Token) -> StylesInside:
    """`{% styles_inside "css/base.css" more %}`: the named stylesheets, and lists of such names."""
    return StylesInside([parser.compile_filter(each) for each in token.split_contents()[1:]])


class StylesInside(template.Node):
    """One `<style>` with stylesheets in their order, which the policy allows by a nonce.

    A page that takes the place of another one in the same document says which styles are there
    already (static/js/participant/agree.js), and gets none where it needs the same.
    A node is markup, and is not escaped: its rules come from our own static files alone.
    """

    def __init__(self, sheets: Sequence[FilterExpression]) -> None:
        self.sheets = sheets

    def render(self, context: template.Context) -> str:
        named = [each.resolve(context) for each in self.sheets]
        names = [name for each in named for name in ([each] if isinstance(each, str) else each)]
        request = context["request"]
        if request.headers.get("Styles-There") == " ".join(names):
            return ""
        rules = "\n".join(lines_of(name) for name in names)
        return f'<style nonce="{request.csp_nonce}" data-sheets="{" ".join(names)}">{rules}</style>'


@register.tag
def script_inside(parser: Parser, token: Token) -> ScriptInside:
    """`{% script_inside "js/participant/agree.js" %}`: a script that works from the first paint."""
    _, name = token.split_contents()
    return ScriptInside(parser.compile_filter(name))


class ScriptInside(template.Node):
    """One `<script>` of our own, for which the view adds a nonce to the sources of scripts."""

    def __init__(self, name: FilterExpression) -> None:
        self.name = name

    def render(self, context: template.Context) -> str:
        script = lines_of(self.name.resolve(context))
        return f'<script nonce="{context["request"].csp_nonce}">{script}</script>'


@cache
def lines_of(name: str) -> str:
    """A stylesheet or script without comments, indents and empty lines."""
    path = finders.find(name)
    if path is None:
        raise FileNotFoundError(f"There is no static file {name}.")
    source = COMMENT.sub("", Path(path).read_text("utf-8"))
    if name.endswith(".js"):
        source = LINE_OF_COMMENT.sub("", source)
    return "\n".join(line.strip() for line in source.splitlines() if line.strip())
