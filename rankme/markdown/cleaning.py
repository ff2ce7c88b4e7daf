"""Clean rendered Markdown by two lists of allowed elements and attributes."""

from __future__ import annotations

import re

import nh3

TEXT = {
    "p", "br", "hr", "h3", "h4", "h5", "h6", "blockquote", "pre", "code", "em", "strong", "s",
    "ul", "ol", "li", "table", "thead", "tbody", "tr", "th", "td", "span", "div",
}  # fmt: skip
FORMULAS = {
    "math", "mrow", "mi", "mn", "mo", "ms", "mtext", "mspace", "mfrac", "msqrt", "mroot",
    "msub", "msup", "msubsup", "munder", "mover", "munderover", "mmultiscripts", "mprescripts",
    "mtable", "mtr", "mtd", "mpadded", "mphantom", "mstyle", "menclose",
}  # fmt: skip
ATTRIBUTES = {
    "math": {"display"},
    "mi": {"mathvariant"},
    "mn": {"mathvariant"},
    "mo": {
        "accent", "fence", "form", "largeop", "lspace", "rspace", "maxsize", "minsize",
        "movablelimits", "separator", "stretchy", "symmetric",
    },
    "mspace": {"width"},
    "mfrac": {"linethickness", "displaystyle", "scriptlevel"},
    "munder": {"accentunder"},
    "mover": {"accent"},
    "munderover": {"accent", "accentunder"},
    "mtable": {"displaystyle", "scriptlevel"},
    "mpadded": {"width", "lspace"},
    "mstyle": {"displaystyle", "scriptlevel"},
    "menclose": {"notation"},
    "ol": {"start"},
}  # fmt: skip
# Of the tokens of code those that have a colour.
OUR_CLASS = re.compile(r"md-[a-z0-9]{1,12}|hl-(?:k|s|c|m|n[abcft]|g[di])[a-z0-9]{0,2}")
PLAIN_VALUE = re.compile(r"[A-Za-z0-9.+%-]{0,24}")
# A formula must not be wider than a few screens.
LENGTHS = {"width", "lspace", "rspace", "maxsize", "minsize", "linethickness"}
LENGTH = re.compile(
    r"[+-]?\d{0,2}(\.\d{1,9})?(em|ex|px|pt|mu|mm|%)?|[+-]?\d(\.\d{1,9})?(in|cm|pc)|100%"
)


def cleaned(html: str) -> str:
    """The same HTML with our elements, attributes and classes alone."""
    return nh3.clean(
        html,
        tags=TEXT | FORMULAS,
        attributes={tag: ATTRIBUTES.get(tag, set()) | {"class"} for tag in TEXT | FORMULAS},
        attribute_filter=_attribute,
        strip_comments=True,
        link_rel=None,
        url_schemes=set(),
    )


def _attribute(tag: str, name: str, value: str) -> str | None:
    """The value to keep; None drops the attribute."""
    if name == "class":
        return " ".join(each for each in value.split() if OUR_CLASS.fullmatch(each)) or None
    form = LENGTH if name in LENGTHS else PLAIN_VALUE
    return value if form.fullmatch(value) else None
