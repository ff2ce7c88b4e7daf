"""The base of all parts of a campaign file, checked names, and mappings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from analysis.translatable import gettext_noop as _


class Part(BaseModel):
    """A part of the file: unknown names are errors, values do not change afterwards.

    The `title` and `description` of a field are its label and hint in the campaign form; where it
    is a list, the title of its parts' `model_config` is the label of one.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)


class Labels(dict[str, str]):
    """The labels of a `Literal`'s values in the form."""


def _matching(pattern: str, words: str) -> Callable[[str], str]:
    """Make a check whose error says in words what the pattern allows."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(words)
        return text

    return check


ShortName = Annotated[
    str,
    AfterValidator(
        _matching(
            r"[a-z][a-z0-9_-]{0,59}",
            "start with a lower-case letter, then use lower-case letters, digits, - and _ (60 "
            "characters at most)",
        )
    ),
    Field(title=_("Short name")),
]
LANGUAGE = r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*"
NO_LANGUAGE = "use a language code such as en, de or pt-BR"
LanguageCode = Annotated[str, AfterValidator(_matching(LANGUAGE, NO_LANGUAGE))]
OtherLanguageCode = Annotated[str, AfterValidator(_matching(f"({LANGUAGE})?", NO_LANGUAGE))]
ParameterName = Annotated[
    str,
    AfterValidator(
        _matching(r"[A-Za-z0-9_]{0,60}", "use letters, digits and _ (60 characters at most)")
    ),
]
CurrencyCode = Annotated[
    str,
    AfterValidator(
        _matching(r"[A-Z]{3}", "use the three capital letters of a currency, such as EUR")
    ),
]

# Texts that raters read. Both a block in YAML and a text field end with a line break, which the
# page would show as an empty line.
Prose = Annotated[str, StringConstraints(strip_whitespace=True)]


def mapping_of(value: Any) -> Any:
    """Turn pairs into a mapping. The database keeps the order of pairs, but not of mappings."""
    if not isinstance(value, list) or not value:
        return value
    for pair in value:
        if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)):
            return value
    counted = Counter(name for name, _text in value)
    if repeated := sorted(name for name, times in counted.items() if times > 1):
        names = ", ".join(f"“{name}”" for name in repeated[:10])
        raise ValueError(f"{names} is used more than once")
    return dict(value)


def known_name(what: str, known: Collection[str]) -> AfterValidator:
    """Make a check that refuses every name but these."""

    def check(name: str) -> str:
        if name not in known:
            raise ValueError(unknown_name(what, name, known))
        return name

    return AfterValidator(check)


def unknown_name(what: str, name: str, known: Iterable[str]) -> str:
    return f"there is no {what} “{name[:60]}”: choose {', '.join(known)}"
