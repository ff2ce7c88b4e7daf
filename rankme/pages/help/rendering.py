"""A page of the docs as HTML: the same Markdown files that a reader of the code has."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from django.conf import settings
from django.forms.utils import flatatt
from django.templatetags.static import static
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.anchors import anchors_plugin

ENDING, PICTURES = ".md", "../static/"
OTHER_PLACE = re.compile(r"[a-z]+:|#")
ELEMENT = "<{0}{1}>{2}</{0}>"
# What is wide scrolls in its box, by its focus where there is no mouse.
FRAMES = {"table": '<div class="table-scroll" tabindex="0">' + ELEMENT + "</div>"}
CODE = '<pre tabindex="0"><code>{}</code></pre>'


@dataclass(frozen=True)
class HelpPage:
    title: str
    headings: list[tuple[str, str]]  # those of the second level: anchor, title
    html: str


@cache
def page_names() -> tuple[str, ...]:
    """The names of all pages, such as `organisers` and `reference/ranking`."""
    paths = sorted(settings.DOCS_FOLDER.rglob(f"*{ENDING}"))
    return tuple(
        path.relative_to(settings.DOCS_FOLDER).as_posix().removesuffix(ENDING) for path in paths
    )


@lru_cache(maxsize=100)
def help_page(name: str) -> HelpPage:
    """Render one of `page_names()`, once in each process."""
    text = (settings.DOCS_FOLDER / f"{name}{ENDING}").read_text(encoding="utf-8")
    tokens = PARSER.parse(text)
    for token in tokens:
        _lead_on_the_site(token.children or (), name)
    headings = [
        (token.tag, str(token.attrs["id"]), tokens[at + 1].content.replace("`", ""))
        for at, token in enumerate(tokens)
        if token.type == "heading_open" and "id" in token.attrs
    ]
    title = next(title for tag, _anchor, title in headings if tag == "h1")
    second = [(anchor, title) for tag, anchor, title in headings if tag == "h2"]
    return HelpPage(title, second, _as_html(tokens))


def _as_html(tokens: Sequence[Token]) -> str:
    """Build the page element by element, each of which Django escapes."""
    open_parts: list[list[str]] = [[]]
    openings: list[str] = []
    for token in tokens:
        attributes = flatatt(token.attrs)
        if token.nesting == 1:
            open_parts.append([])
            openings.append(attributes)
        elif token.nesting == -1:
            content, opening = _joined(open_parts.pop()), openings.pop()
            whole = format_html(FRAMES.get(token.tag, ELEMENT), token.tag, opening, content)
            open_parts[-1].append(content if token.hidden else whole)
        elif token.type == "inline":
            open_parts[-1].append(_as_html(token.children or []))
        elif token.type == "image":
            open_parts[-1].append(format_html("<img{}>", attributes))
        elif token.type in ("code_inline", "code_block", "fence"):
            frame = "<code>{}</code>" if token.type == "code_inline" else CODE
            open_parts[-1].append(format_html(frame, token.content))
        elif token.type in ("hr", "hardbreak"):
            open_parts[-1].append(format_html("<{}>", token.tag))
        elif token.type not in ("html_block", "html_inline"):  # notes to those who write the docs
            open_parts[-1].append(token.content or "\n")
    return _joined(open_parts[0])


def _joined(parts: Sequence[str]) -> str:
    return format_html_join("", "{}", ((part,) for part in parts))


def _lead_on_the_site(tokens: Sequence[Token], name: str) -> None:
    """Point links and pictures to the site; what it does not have becomes plain text."""
    closing = iter(token for token in tokens if token.type == "link_close")
    for token in tokens:
        if token.type == "image":
            path = str(token.attrs["src"]).removeprefix(PICTURES)
            token.attrs = {"src": static(path), "alt": token.content, "loading": "lazy"}
        elif token.type == "link_open":
            end, target = next(closing), str(token.attrs["href"])
            if OTHER_PLACE.match(target):
                continue
            path, _, anchor = target.partition("#")
            other = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            other = other.removesuffix(ENDING)
            if other in page_names():
                address = reverse("rankme:help-page", args=[other])
                token.attrs["href"] = f"{address}#{anchor}" if anchor else address
            else:
                token.tag = end.tag = "span"
                token.attrs = {}


def _slug(title: str) -> str:
    """The anchor of a heading as GitHub writes it, for links that work there, too."""
    return re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-")


PARSER = MarkdownIt("commonmark").enable("table")
PARSER.use(anchors_plugin, max_level=4, slug_func=_slug)
