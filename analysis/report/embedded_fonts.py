"""What of a font goes into a PDF."""

from __future__ import annotations

from functools import cache
from typing import Any

# They say how to lay out a text. A PDF says where each glyph is, so no reader looks at them.
LAYOUT_TABLES = ("GSUB", "GPOS", "GDEF", "kern")


@cache
def leave_out_layout_tables() -> None:
    """Tell fontTools to drop these tables from the fonts that matplotlib embeds.

    matplotlib has no option for it. To read and rewrite these tables takes longer than to draw the
    picture, and makes the file larger.
    """
    from fontTools import subset

    class GlyphsAlone(subset.Options):  # type: ignore[misc]
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.drop_tables.extend(LAYOUT_TABLES)

    subset.Options = GlyphsAlone
