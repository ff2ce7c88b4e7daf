"""Markdown as language models write it, to HTML that still has to be cleaned (`cleaning.py`).

Markup in the text is text: a rater sees the tags that a system wrote. Links and pictures load
nothing, because what raters judge must not depend on other sites, nor tell them who reads it.
"""

from __future__ import annotations

from collections.abc import Callable, MutableMapping, Sequence
from contextlib import suppress
from html import escape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import OptionsDict
from math_core import LatexError, LatexToMathML
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from .brackets import read_brackets

# Quotes and lists in each other. The parser leaves out what is nested deeper.
DEEPEST = 40
# Characters of code in a text that get colours: the time of some lexers grows faster than that.
MOST_COLOURED = 6_000
# The titles of the page's blocks have this level.
TOP_HEADING = 3
ALIGNED = {"text-align:right": "md-right", "text-align:center": "md-center"}
# Languages in which models answer.
LANGUAGES = {
    "bash", "c", "cpp", "c++", "csharp", "cs", "css", "diff", "go", "html", "java",
    "javascript", "js", "json", "julia", "kotlin", "latex", "lua", "php", "python", "py",
    "r", "ruby", "rust", "scala", "sh", "shell", "sql", "swift", "tex", "toml",
    "typescript", "ts", "xml", "yaml", "yml",
}  # fmt: skip
# `static/css/blocks/formatted.css` colours the tokens.
FORMATTER = HtmlFormatter(nowrap=True, classprefix="hl-")
LONGEST_FORMULA = 2_000
# The library aligns the columns of equations with a style, which our pages forbid.
EQUATIONS = {"text-align: right": "md-right", "text-align: left": "md-left"}
CONVERTER = LatexToMathML()

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
    return _highlighted(code, language if env["coloured"] <= MOST_COLOURED else "")


def _highlighted(code: str, language: str = "") -> str:
    """A `<pre>` of the code, in colours where its language is known."""
    tokens = escape(code)
    if language.lower() in LANGUAGES:
        with suppress(ClassNotFound):
            lexer = get_lexer_by_name(language.lower(), stripnl=False, ensurenl=False)
            tokens = str(highlight(code, lexer, FORMATTER))
    return f"<pre><code>{tokens}</code></pre>\n"


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
    # Links are never in links.
    start = next(token for token in reversed(tokens[:at]) if token.type == "link_open")
    address = str(start.attrGet("href") or "")
    if start.info == "auto" or not address:
        return "</span>"
    return f'</span> <span class="md-address">({escapeHtml(address)})</span>'


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


def _block_formula(_: RendererHTML, tokens: Sequence[Token], at: int, *_more: Any) -> str:
    return f'<div class="md-block">{_formula(tokens[at].content, is_block=True)}</div>\n'


def _formula(latex: str, *, is_block: bool = False) -> str:
    """MathML with the LaTeX as its title, or the LaTeX alone where the library does not know it."""
    source = latex.strip()
    try:
        if len(source) > LONGEST_FORMULA:
            raise ValueError
        html = CONVERTER.convert_with_local_state(source, displaystyle=is_block)
    except (LatexError, ValueError):
        return f'<code class="md-formula">{escape(source)}</code>'
    for style, name in EQUATIONS.items():
        html = html.replace(f'style="{style};', f'class="{name}" style="')
    return str(html)


RULES: dict[str, Rule] = {
    "fence": _fence,
    "code_block": lambda _, tokens, at, *_more: _highlighted(tokens[at].content),
    "th_open": _cell,
    "td_open": _cell,
    "link_open": lambda *_: '<span class="md-link">',
    "link_close": _link_end,
    "image": _image,
    "math_inline": lambda _, tokens, at, *_more: _formula(tokens[at].content),
    "math_inline_double": _block_formula,
    "math_block": _block_formula,
}
PARSER = _parser()
