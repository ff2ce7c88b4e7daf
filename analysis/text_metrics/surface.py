"""Properties of the texts alone: length, diversity, and how much is copied from the input."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from .tokens import Tokens, mteval_tokens, ngrams


def distinct(texts: Sequence[Tokens], length: int) -> float | None:
    """Return the share of n-grams that are different from each other (distinct-n).

    It falls as the number of texts grows, so compare only systems with equally many outputs.

    Parameters
    ----------
    texts : the tokens of each output
    length : of the n-grams

    Returns
    -------
    0 to 1; None where no text is long enough.

    Source
    ------
    Li et al. (2016).
    """
    found = _counted(texts, length)
    return len(found) / found.total() if found else None


def distinct_count(texts: Sequence[Tokens], length: int) -> int:
    """Count the different n-grams.

    Parameters
    ----------
    texts : tokens of each
    length : of the n-grams

    Source
    ------
    Dušek, Novikova & Rieser (2020), Table 10.
    """
    return len(_counted(texts, length))


def unique_share(texts: Sequence[Tokens], length: int) -> float | None:
    """Compute the share of different n-grams that occur once; None without any.

    Parameters
    ----------
    texts : tokens of each
    length : of the n-grams

    Source
    ------
    Dušek, Novikova & Rieser (2020), Table 10.
    """
    found = _counted(texts, length)
    return sum(times == 1 for times in found.values()) / len(found) if found else None


def entropy(texts: Sequence[Tokens], length: int) -> float | None:
    """Compute Shannon's entropy of n-grams, in bits; None without any.

    Parameters
    ----------
    texts : tokens of each
    length : of the n-grams

    Source
    ------
    Shannon (1948).
    """
    found = _counted(texts, length)
    if not found:
        return None
    total = found.total()
    return -math.fsum(times / total * math.log2(times / total) for times in found.values())


def next_word_entropy(texts: Sequence[Tokens]) -> float | None:
    """Compute the entropy of a word given the word before it, in bits; None without any.

    Parameters
    ----------
    texts : tokens of each

    Source
    ------
    Dušek, Novikova & Rieser (2020), Table 10.
    """
    pairs = _counted(texts, 2)
    if not pairs:
        return None
    first: Counter[str] = Counter()
    for (word, _), times in pairs.items():
        first[word] += times
    total = pairs.total()
    return -math.fsum(
        times / total * math.log2(times / first[word]) for (word, _), times in pairs.items()
    )


SEGMENT = 50  # tokens, as in MSTTR-50


def mean_segmental_ratio(texts: Sequence[Tokens]) -> float | None:
    """Compute the mean share of different tokens in segments of 50 successive ones (MSTTR-50).

    Unlike shares over all tokens, it does not fall as the number of texts grows.

    Parameters
    ----------
    texts : the tokens of each output; they are joined in this order

    Returns
    -------
    0 to 1; None with fewer than 50 tokens. Tokens after the last whole segment are left out.

    Source
    ------
    Lu (2012), as Dušek, Novikova & Rieser (2020) print it in Tables 4 and 9.
    """
    tokens = [token for text in texts for token in text]
    starts = range(0, len(tokens) - SEGMENT + 1, SEGMENT)
    if not starts:
        return None
    return math.fsum(len(set(tokens[k : k + SEGMENT])) for k in starts) / (SEGMENT * len(starts))


def copied(output: str, source: str) -> float | None:
    """Return the share of an output's tokens that are in runs which it shares with its input.

    Parameters
    ----------
    output : the text of one system
    source : the item's input

    Returns
    -------
    0 to 1; None for an empty output.

    Source
    ------
    "coverage" of extractive fragments, Grusky, Naaman & Artzi (2018), section 4.
    """
    tokens, others = mteval_tokens(output), mteval_tokens(source)
    if not tokens:
        return None
    places: dict[str, list[int]] = {}
    for place, token in enumerate(others):
        places.setdefault(token, []).append(place)
    covered = start = 0
    while start < len(tokens):
        longest = max(
            (_common_run(tokens, start, others, place) for place in places.get(tokens[start], [])),
            default=0,
        )
        covered += longest
        start += max(longest, 1)
    return covered / len(tokens)


def _common_run(first: Tokens, start: int, second: Tokens, place: int) -> int:
    length = 0
    while (
        start + length < len(first)
        and place + length < len(second)
        and first[start + length] == second[place + length]
    ):
        length += 1
    return length


def _counted(texts: Sequence[Tokens], length: int) -> Counter[Tokens]:
    found: Counter[Tokens] = Counter()
    for tokens in texts:
        found.update(ngrams(tokens, length))
    return found
