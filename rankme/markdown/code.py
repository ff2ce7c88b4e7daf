"""Code with its tokens in classes, coloured by `static/css/blocks/formatted.css`."""

from __future__ import annotations

from html import escape

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# Languages in which models answer.
LANGUAGES = {
    "bash", "c", "cpp", "c++", "csharp", "cs", "css", "diff", "go", "html", "java",
    "javascript", "js", "json", "julia", "kotlin", "latex", "lua", "php", "python", "py",
    "r", "ruby", "rust", "scala", "sh", "shell", "sql", "swift", "tex", "toml",
    "typescript", "ts", "xml", "yaml", "yml",
}  # fmt: skip
FORMATTER = HtmlFormatter(nowrap=True, classprefix="hl-")


def highlighted(code: str, language: str) -> str:
    """A `<pre>` of the code, in colours where its language is known."""
    return f"<pre><code>{_tokens(code, language.lower())}</code></pre>\n"


def _tokens(code: str, language: str) -> str:
    if language not in LANGUAGES:
        return escape(code)
    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code)
    return str(highlight(code, lexer, FORMATTER))
