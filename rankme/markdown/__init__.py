"""Texts in Markdown as small trees: rendered by one library, cleaned by another, bounded."""

from __future__ import annotations

from .tree import Node
from .trees import formatted, formatted_together

__all__ = ["Node", "formatted", "formatted_together"]
