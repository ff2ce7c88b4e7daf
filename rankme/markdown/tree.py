"""The tree that a page builds node by node, so that no markup is ever parsed there.

A node is a text, or a list: the name of an element, its attributes (left out where there are none),
and its children. `static/js/blocks/formatted.js` builds it, by the same names.
"""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

from typing_extensions import TypeAliasType

# The list is a name, perhaps attributes, and nodes.
Node = TypeAliasType("Node", "str | list[Node | dict[str, str]]")

DEEPEST = 80
MOST_NODES = 20_000
EMPTY = {"br", "hr"}
# Blanks between blocks mean nothing.
HOLDS_BLOCKS = {"", "blockquote", "ul", "ol", "li", "table", "thead", "tbody", "tr", "math", "div"}


class TooLarge(ValueError):
    """There are too many elements, or they are nested too deeply."""


def tree_of(html: str) -> list[Node]:
    """The nodes of clean, well-formed HTML.

    Raises
    ------
    TooLarge : it has more than `MOST_NODES` nodes or is deeper than `DEEPEST`
    """
    builder = _Builder()
    builder.feed(html)
    builder.close()
    return builder.root


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root: list[Node] = []
        self.open: list[tuple[str, list[Node]]] = [("", self.root)]
        self.nodes = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "span" and not attrs:  # it says nothing
            self.open.append((tag, self.open[-1][1]))
            return
        given: dict[str, str] = {name: value or "" for name, value in attrs}
        node: list[Any] = [tag, given] if given else [tag]
        self._add(node)
        if tag not in EMPTY:
            self.open.append((tag, node))
        if len(self.open) > DEEPEST:
            raise TooLarge

    def handle_endtag(self, tag: str) -> None:
        if tag not in EMPTY:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        name, parent = self.open[-1]
        if name in HOLDS_BLOCKS and not data.strip():
            return
        if len(parent) > 1 and isinstance(parent[-1], str):
            parent[-1] += data
        else:
            self._add(data)

    def _add(self, node: Node) -> None:
        self.nodes += 1
        if self.nodes > MOST_NODES:
            raise TooLarge
        self.open[-1][1].append(node)
