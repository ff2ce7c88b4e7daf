"""Metrics of the TUNA challenges: attribute sets and descriptions compared with references."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Attributes = frozenset[tuple[str, str]]
ELEMENT = re.compile(r'<ATTRIBUTE\b[^>]*?\bNAME="([^"]*)"[^>]*?\bVALUE="([^"]*)"', re.IGNORECASE)
PARTS = re.compile(r"[;,\n]")


def parse_attributes(text: str) -> Attributes | None:
    """Return the attribute set that a text writes as `colour=red; type=chair` or as TUNA's XML.

    Parameters
    ----------
    text : an output or a reference

    Returns
    -------
    Pairs of name and value in lower case; None where the text is not an attribute set.
    """
    if "<" in text:
        found = ELEMENT.findall(text)
        return _cleaned(found) if found else None
    parts = [part.partition("=") for part in PARTS.split(text) if part.strip()]
    if not parts or not all(name.strip() and equals for name, equals, _ in parts):
        return None
    return _cleaned([(name, value) for name, _, value in parts])


def _cleaned(pairs: Sequence[tuple[str, str]]) -> Attributes:
    return frozenset((name.strip().lower(), value.strip().lower()) for name, value in pairs)


def dice(first: Attributes, second: Attributes) -> float:
    """Divide twice the common attributes by all of both.

    Parameters
    ----------
    first : a set of attributes
    second : another

    Source
    ------
    Gatt, Belz & Kow (2008), equation 1.
    """
    return 2 * len(first & second) / (len(first) + len(second)) if first or second else 1.0


def masi(first: Attributes, second: Attributes) -> float:
    """Jaccard's coefficient, but in favour of subsets (Passonneau 2006; Gatt et al. 2008).

    Parameters
    ----------
    first, second : attribute sets

    Returns
    -------
    1 for equal sets, 0 for sets with nothing in common; two thirds of Jaccard's coefficient where
    one set contains the other, else one third of it.
    """
    if first == second:
        return 1.0
    if not first & second:
        return 0.0
    monotonicity = 2 / 3 if first < second or second < first else 1 / 3
    return monotonicity * len(first & second) / len(first | second)


def word_edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Words to insert or delete (1 each) or to substitute (2), as TUNA counts them.

    Parameters
    ----------
    first, second : words

    Returns
    -------
    The least cost of turning one into the other (Levenshtein 1966; Gatt et al. 2008, section 3).
    """
    before = list(range(len(second) + 1))
    for row, word in enumerate(first, start=1):
        now = [row]
        for column, other in enumerate(second, start=1):
            replaced = before[column - 1] + (0 if word == other else 2)
            now.append(min(before[column] + 1, now[-1] + 1, replaced))
        before = now
    return before[-1]


def mean_over(
    references: Sequence[str], compare: Callable[[str, str], float], output: str
) -> float:
    """Average over the references, as TUNA does over its two sets of them.

    Parameters
    ----------
    references : of the item
    compare : an output with a reference
    output : its text
    """
    return sum(compare(output, each) for each in references) / len(references)


def is_equal(output: str, reference: str) -> float:
    """Return 1 where the words are the same, whatever the white space between them, else 0.

    Parameters
    ----------
    output, reference : its text
    """
    return float(output.split() == reference.split())


def edit_distance(output: str, reference: str) -> float:
    """Compute the distance in words; upper case and white space do not count.

    Parameters
    ----------
    output, reference : its text

    Source
    ------
    Levenshtein (1966).
    """
    return float(word_edit_distance(output.lower().split(), reference.lower().split()))
