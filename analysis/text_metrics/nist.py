"""NIST: n-gram precision weighted by how informative an n-gram is."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from .tokens import Tokens, counts, mteval_tokens, ngrams

LONGEST = 5
# At two thirds of the references' length the penalty is one half.
BETA = -math.log(0.5) / math.log(1.5) ** 2


@dataclass(frozen=True)
class Matches:
    """What one output contributes: the information that it shares with the references and its
    n-grams, by length, and how many references with how many tokens it was compared with.
    """

    information: tuple[float, ...]
    ngrams: tuple[int, ...]
    references: int
    reference_tokens: int


class Nist:
    """NIST against several references, whose n-grams also give the information weights.

    Parameters
    ----------
    references : by item, the texts; every item of the whole test set, because the weights are
        counted over all of them

    Source
    ------
    Doddington (2002); mteval-v13a.pl as the E2E challenge's scripts follow it.
    """

    def __init__(self, references: Mapping[str, Sequence[str]]) -> None:
        self._references = {
            item: [mteval_tokens(text) for text in texts] for item, texts in references.items()
        }

    @cached_property
    def _seen(self) -> Counter[Tokens]:
        """Count each n-gram in all references; the empty one counts tokens."""
        seen: Counter[Tokens] = Counter()
        for texts in self._references.values():
            for tokens in texts:
                seen[()] += len(tokens)
                seen.update(counts(tokens, LONGEST))
        return seen

    @cached_property
    def _information(self) -> dict[Tokens, float]:
        seen = self._seen
        return {
            ngram: math.log2(seen[ngram[:-1]] / times) for ngram, times in seen.items() if ngram
        }

    @cached_property
    def _most(self) -> dict[str, Counter[Tokens]]:
        """By item, the most often that each n-gram is in a single reference."""
        most: dict[str, Counter[Tokens]] = {}
        for item, texts in self._references.items():
            most[item] = Counter()
            for tokens in texts:
                most[item] |= counts(tokens, LONGEST)
        return most

    def matches(self, item: str, output: str) -> Matches:
        """Compare one output with the references of its item."""
        tokens = mteval_tokens(output)
        most = self._most[item]
        information = []
        for length in range(1, LONGEST + 1):
            found = Counter(ngrams(tokens, length))
            information.append(
                math.fsum(
                    self._information[ngram] * min(times, most[ngram])
                    for ngram, times in found.items()
                    if ngram in most
                )
            )
        texts = self._references[item]
        return Matches(
            tuple(information),
            tuple(max(len(tokens) - shorter, 0) for shorter in range(LONGEST)),
            len(texts),
            sum(map(len, texts)),
        )


def nist(matches: Sequence[Matches]) -> float:
    """Return the score of outputs together: information per n-gram, summed over lengths, × penalty.

    Parameters
    ----------
    matches : of each output; a single one gives the score of a segment

    Returns
    -------
    0 or more; there is no upper bound.
    """
    score = 0.0
    for place in range(LONGEST):
        total = sum(each.ngrams[place] for each in matches)
        if total > 0:
            score += math.fsum(each.information[place] for each in matches) / total
    # mteval takes the mean over all references, not over items, where their numbers differ.
    length = sum(each.ngrams[0] for each in matches)
    references = sum(each.references for each in matches) / len(matches)
    return score * _penalty(length, sum(each.reference_tokens for each in matches) / references)


def _penalty(length: float, reference_length: float) -> float:
    if length >= reference_length:
        return 1.0
    if length <= 0:
        return 0.0
    return math.exp(-BETA * math.log(length / reference_length) ** 2)
