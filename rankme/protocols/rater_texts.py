"""The site's texts that raters can read, and that `words` in a campaign file can replace.

`manage.py makemessages` lists them in `rater_texts.json`; instruments bring their own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from .instruments import INSTRUMENTS

LISTED = Path(__file__).with_suffix(".json")
# Messages of Django's about the entry questions.
OF_DJANGO = (
    ("This field is required.",),
    ("Select a valid choice. %(value)s is not one of the available choices.",),
    (
        "Ensure this value has at most %(limit_value)d character (it has %(show_value)d).",
        "Ensure this value has at most %(limit_value)d characters (it has %(show_value)d).",
    ),
)
GAP = re.compile(r"%\(\w+\)[sd]|%d|\{\w+\}")


@dataclass(frozen=True)
class RaterText:
    """One English text, which is also its key in `words`."""

    key: str
    # The only instruments whose screens have it; empty: every campaign has it.
    instruments: frozenset[str] = frozenset()
    # One thing and several things, where the text has two forms.
    forms: tuple[str, str] | None = None


@lru_cache(maxsize=1)
def rater_texts() -> Mapping[str, RaterText]:
    """Return all texts by their keys."""
    found: dict[str, RaterText] = {}
    for forms, instrument in _all_texts():
        pair = (forms[0], forms[1]) if len(forms) == 2 else None
        for key in forms:
            before = found.get(key)
            only = frozenset({instrument}) if instrument else frozenset()
            if before is not None:
                only = only | before.instruments if only and before.instruments else frozenset()
            found[key] = RaterText(key, only, pair)
    return found


def _all_texts() -> Iterator[tuple[tuple[str, ...], str]]:
    """The forms of each text, and the instrument that it belongs to, if to one only."""
    for instrument, texts in json.loads(LISTED.read_text(encoding="utf-8")).items():
        for text in texts:
            yield (text,) if isinstance(text, str) else tuple(text), instrument
    yield from ((forms, "") for forms in OF_DJANGO)
    for instrument, tool in INSTRUMENTS.items():
        keys = (text for pair in tool.keys for text in pair if any(map(str.isalpha, text)))
        yield from (((text,), instrument) for text in (*tool.words.values(), *keys))


def texts_needed(instruments: Iterable[str]) -> list[RaterText]:
    """The texts that a campaign with these instruments can show."""
    used = set(instruments)
    return [
        text
        for text in rater_texts().values()
        if not text.instruments or not used.isdisjoint(text.instruments)
    ]


def problem_with_word(key: str, text: str) -> str | None:
    """Say why a campaign file cannot replace the text with this key by this one."""
    known = rater_texts()
    if key not in known:
        near = get_close_matches(key, known, 1, cutoff=0.5)
        hint = f": did you mean “{near[0]}”?" if near else ""
        return f"raters see no such text of the site{hint or ': see manage.py words'}"
    if not text.strip():
        return None
    wanted, given = set(GAP.findall(key)), set(GAP.findall(text))
    if missing := sorted(wanted - given):
        return f"the text must contain {', '.join(missing)}"
    if unknown := sorted(given - wanted):
        return f"there is nothing to put in the place of {', '.join(unknown)}"
    return None
