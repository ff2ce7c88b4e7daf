"""Texts in Markdown as small trees: rendered by one library, cleaned by another, bounded."""

from __future__ import annotations

from .tree import Node
from .trees import LONGEST, formatted, formatted_together

__all__ = ["LONGEST", "Node", "formatted", "formatted_together"]
