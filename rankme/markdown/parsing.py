"""Markdown as language models write it, to HTML that still has to be cleaned (`cleaning.py`).

Markup in the text is text: a rater sees the tags that a system wrote. Links and pictures load
nothing, because what raters judge must not depend on other sites, nor tell them who reads it.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from mdit_py_plugins.dollarmath import dollarmath_plugin

from .brackets import read_brackets
from .code import highlighted
from .formulas import formula

# Quotes and lists in each other. The parser leaves out what is nested deeper.
DEEPEST = 40
# Characters of code in a text that get colours: the time of some lexers grows faster than that.
MOST_COLOURED = 6_000
# The titles of the page's blocks have this level.
TOP_HEADING = 3
ALIGNED = {"text-align:right": "md-right", "text-align:center": "md-center"}

Environment = MutableMapping[str, Any]
Rule = Callable[[RendererHTML, Sequence[Token], int, OptionsDict, Environment], str]


class TooDeep(ValueError):
    """Quotes or lists are nested so deeply that the parser would leave out their text."""


def markdown_to_html(text: str) -> str:
    """HTML of a text.

    Raises
    ------
    TooDeep : quotes or lists are nested so deeply that their text would be left out
    """
    tokens = PARSER.parse(text)
    if any(token.level >= DEEPEST - 1 for token in tokens):
        raise TooDeep
    _level_headings(tokens)
    return str(PARSER.renderer.render(tokens, PARSER.options, {}))


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": DEEPEST})
    parser.enable(["table", "strikethrough"])
    read_brackets(parser)
    parser.use(dollarmath_plugin, allow_labels=False, allow_space=False, allow_digits=False)
    # Every address is shown and none is followed, so there is none to refuse.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.inline.ruler.before("html_inline", "line_break_tag", _line_break_tag)
    for name, rule in RULES.items():
        parser.add_render_rule(name, rule)
    return parser


def _line_break_tag(state: StateInline, silent: bool) -> bool:
    """`<br>`, the only way to break a line in a cell of a table."""
    for tag in ("<br>", "<br/>", "<br />"):
        if state.src.startswith(tag, state.pos):
            if not silent:
                state.push("hardbreak", "br", 0)
            state.pos += len(tag)
            return True
    return False


# What differs from the library's own HTML ------------------------------------------------------


def _fence(
    _: RendererHTML, tokens: Sequence[Token], at: int, _options: OptionsDict, env: Environment
) -> str:
    code = tokens[at].content
    language, *_more = [*tokens[at].info.split(maxsplit=1), ""]
    env["coloured"] = env.get("coloured", 0) + len(code)
    return highlighted(code, language if env["coloured"] <= MOST_COLOURED else "")


def _level_headings(tokens: Sequence[Token]) -> None:
    """Fit the headings into those of the page, whatever level a text begins with.

    A text may begin with its third level or leave one out. Here the outline has no gaps; how large
    a heading is shown follows from its own level, which becomes its class.
    """
    headings = [token for token in tokens if token.type in ("heading_open", "heading_close")]
    highest = min((int(token.tag[1]) for token in headings), default=1)
    last = TOP_HEADING - 1
    for token in headings:
        if token.nesting == 1:
            token.attrs["class"] = f"md-{token.tag}"
            last = min(TOP_HEADING + int(token.tag[1]) - highest, last + 1, 6)
        token.tag = f"h{last}"


def _cell(renderer: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    token = tokens[at]
    name = ALIGNED.get(str(token.attrs.pop("style", "")))
    if name:
        token.attrs["class"] = name
    return f"<{token.tag}{renderer.renderAttrs(token)}>"


def _link_end(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    """The address of the link, unless the text already says it."""
    start = _start_of_link(tokens, at)
    address = str(tokens[start].attrGet("href") or "")
    if tokens[start].info == "auto" or not address:
        return "</span>"
    return f'</span> <span class="md-address">({escapeHtml(address)})</span>'


def _start_of_link(tokens: Sequence[Token], end: int) -> int:
    """Links are never in links."""
    return next(at for at in range(end, -1, -1) if tokens[at].type == "link_open")


def _image(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    at: int,
    options: OptionsDict,
    env: Environment,
) -> str:
    token = tokens[at]
    words = renderer.renderInlineAsText(token.children or [], options, env)
    shown = words or str(token.attrGet("src") or "")
    return f'<span class="md-picture">{escapeHtml(shown)}</span>'


def _inline_formula(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    return formula(tokens[at].content, is_block=False)


def _block_formula(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    return f'<div class="md-block">{formula(tokens[at].content, is_block=True)}</div>\n'


def _constant(html: str) -> Rule:
    return lambda *_: html


RULES: dict[str, Rule] = {
    "fence": _fence,
    "code_block": lambda _, tokens, at, *_more: highlighted(tokens[at].content, ""),
    "th_open": _cell,
    "td_open": _cell,
    "link_open": _constant('<span class="md-link">'),
    "link_close": _link_end,
    "image": _image,
    "math_inline": _inline_formula,
    "math_inline_double": _block_formula,
    "math_block": _block_formula,
}
PARSER = _parser()
