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
    picture, and makes the file larger. fontTools reads them even where its options drop them, so
    they go as soon as it opens a font.
    """
    from fontTools import subset

    load = subset.load_font

    def load_without_layout(*arguments: Any, **options: Any) -> Any:
        font = load(*arguments, **options)
        for table in LAYOUT_TABLES:
            if table in font:
                del font[table]
        return font

    subset.load_font = load_without_layout
