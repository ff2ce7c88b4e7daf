"""Texts in Markdown as small trees: rendered by one library, cleaned by another, bounded."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from .cleaning import cleaned
from .parsing import TooDeep, markdown_to_html
from .tree import Node, TooLarge, tree_of

__all__ = ["LONGEST", "Node", "formatted", "formatted_together"]

# About 6,000 words.
LONGEST = 40_000


@lru_cache(maxsize=512)
def formatted(text: str) -> list[Node] | None:
    """The tree of a text in Markdown; None where it is too long or too deep to be rendered.

    It depends on the text alone, so all raters see the same: no clock decides. What is None is
    shown as it was written.
    """
    if len(text) > LONGEST:
        return None
    try:
        return tree_of(cleaned(markdown_to_html(text)))
    except (TooDeep, TooLarge):
        return None


def formatted_together(texts: Sequence[str]) -> list[list[Node] | None]:
    """The trees of texts that are one on the page, which together are as long as one may be."""
    is_too_long = sum(map(len, texts)) > LONGEST
    return [None if is_too_long else formatted(text) for text in texts]
