"""Outputs that look like a mistake, although their file can be read."""

from __future__ import annotations

import math
import statistics
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext_lazy as _

EXAMPLES = 5
FEWEST_LETTERS = 3
DEVIATIONS = 5
# From the median absolute deviation to the standard deviation of a normal distribution.
NORMAL = 1.4826
# Lengths that hardly differ would make every other length an outlier.
LEAST_DEVIATION = 0.05

TITLES = {
    "source": _("equal to the source"),
    "reference": _("equal to the reference"),
    "empty": _("empty"),
    "script": _("in another script than the references"),
    "length": _("much longer or shorter than the others, by five deviations"),
    "again": _("the same file as an earlier upload of your team"),
}


@dataclass(frozen=True)
class Source:
    """What an output is compared with."""

    key: str
    input: str
    reference: str


def warnings_of(sources: Sequence[Source], outputs: Mapping[str, str]) -> list[dict[str, Any]]:
    """List each kind of doubt with how many outputs it is about, and the first of them.

    Parameters
    ----------
    outputs : a text for every source, by key
    """
    found = {
        "source": [each.key for each in sources if _is_copy(outputs[each.key], each.input)],
        "reference": [each.key for each in sources if _is_copy(outputs[each.key], each.reference)],
        "empty": [each.key for each in sources if not outputs[each.key].strip()],
        "script": _in_another_script(sources, outputs),
        "length": _of_other_length(sources, outputs),
    }
    return [warning(kind, keys) for kind, keys in found.items() if keys]


def warning(kind: str, keys: Sequence[str]) -> dict[str, Any]:
    return {"kind": kind, "count": len(keys), "items": list(keys[:EXAMPLES])}


def _is_copy(text: str, other: str) -> bool:
    words = text.split()
    return bool(words) and words == other.split()


def _in_another_script(sources: Iterable[Source], outputs: Mapping[str, str]) -> list[str]:
    """Outputs most of whose letters are not of the script that most references have."""
    expected: Counter[str] = Counter()
    sources = list(sources)
    for each in sources:
        expected.update(_scripts(each.reference))
    if not expected:
        return []
    script = expected.most_common(1)[0][0]
    found = []
    for each in sources:
        scripts = _scripts(outputs[each.key])
        letters = sum(scripts.values())
        if letters >= FEWEST_LETTERS and scripts[script] * 2 < letters:
            found.append(each.key)
    return found


def _scripts(text: str) -> Counter[str]:
    """Letters by script, which is the first word of their name in Unicode."""
    letters = (sign for sign in text if sign.isalpha())
    return Counter(unicodedata.name(sign, "UNKNOWN").split(" ", 1)[0] for sign in letters)


def _of_other_length(sources: Iterable[Source], outputs: Mapping[str, str]) -> list[str]:
    """Outputs whose length, as a share of the reference's (or else the source's), is far off."""
    shares = {}
    for each in sources:
        text, other = outputs[each.key].strip(), (each.reference or each.input).strip()
        if text and other:
            shares[each.key] = math.log(len(text) / len(other))
    if not shares:
        return []
    middle = statistics.median(shares.values())
    spread = statistics.median(abs(share - middle) for share in shares.values())
    most = DEVIATIONS * max(spread * NORMAL, LEAST_DEVIATION)
    return [key for key, share in shares.items() if abs(share - middle) > most]


def titled(found: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The stored warnings, each with the title of its kind in the reader's language."""
    return [{**each, "title": str(TITLES.get(each["kind"], each["kind"]))} for each in found]
