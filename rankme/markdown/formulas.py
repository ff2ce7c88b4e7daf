"""Formulas in LaTeX as MathML, which browsers draw without a script."""

from __future__ import annotations

from html import escape

from math_core import LatexError, LatexToMathML

LONGEST = 2_000
# The library aligns the columns of equations with a style, which our pages forbid.
STYLES = {"text-align: right": "md-right", "text-align: left": "md-left"}

CONVERTER = LatexToMathML()


def formula(latex: str, *, is_block: bool) -> str:
    """MathML with the LaTeX as its title, or the LaTeX alone where the library does not know it."""
    source = latex.strip()
    try:
        if len(source) > LONGEST:
            raise ValueError
        html = CONVERTER.convert_with_local_state(source, displaystyle=is_block)
    except (LatexError, ValueError):
        return f'<code class="md-formula">{escape(source)}</code>'
    for style, name in STYLES.items():
        html = html.replace(f'style="{style};', f'class="{name}" style="')
    return str(html)
