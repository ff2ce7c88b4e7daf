"""CIDEr: cosine similarity of n-grams, weighted by how rare they are among the items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from analysis.metrics.tokens import Tokens, counts, treebank_tokens

LONGEST = 4
SIGMA = 6.0


@dataclass(frozen=True)
class Vector:
    """A text's weights by n-gram, the norms by length of n-gram, and its number of bigrams."""

    weights: dict[Tokens, float]
    norms: tuple[float, ...]
    bigrams: int


class Cider:
    """CIDEr against several references, whose items also give the weights.

    Parameters
    ----------
    references : by item, the texts; every item of the whole test set

    The reference implementation clips weights and penalises differences of length (CIDEr-D without
    stemming), and it measures the length in bigrams.

    Source
    ------
    Vedantam, Zitnick & Parikh (2015); Chen et al. (2015), the COCO caption evaluation.
    """

    def __init__(self, references: Mapping[str, Sequence[str]]) -> None:
        self._counts = {
            item: [counts(treebank_tokens(text), LONGEST) for text in texts]
            for item, texts in references.items()
        }

    @cached_property
    def _items_with(self) -> Counter[Tokens]:
        found: Counter[Tokens] = Counter()
        for texts in self._counts.values():
            found.update(set().union(*texts))
        return found

    @cached_property
    def _vectors(self) -> dict[str, list[Vector]]:
        return {
            item: [self._vector(each) for each in texts] for item, texts in self._counts.items()
        }

    def _vector(self, found: Counter[Tokens]) -> Vector:
        log_items = math.log(len(self._counts))
        weights: dict[Tokens, float] = {}
        squares = [0.0] * LONGEST
        for ngram, times in found.items():
            weight = times * (log_items - math.log(max(1, self._items_with[ngram])))
            weights[ngram] = weight
            squares[len(ngram) - 1] += weight**2
        bigrams = sum(times for ngram, times in found.items() if len(ngram) == 2)
        return Vector(weights, tuple(map(math.sqrt, squares)), bigrams)

    def score(self, item: str, output: str) -> float:
        """Compare one output with the references of its item.

        Parameters
        ----------
        item : one of the items of the references
        output : the text of one system

        Returns
        -------
        0 to 10. The score of a system is the mean of its segments.
        """
        vector = self._vector(counts(treebank_tokens(output), LONGEST))
        references = self._vectors[item]
        total = math.fsum(_similarity(vector, each) for each in references)
        return 10 * total / LONGEST / len(references)


def _similarity(output: Vector, reference: Vector) -> float:
    """Clipped cosines, summed over the lengths of n-grams, × the penalty of length."""
    products = [0.0] * LONGEST
    for ngram, weight in output.weights.items():
        other = reference.weights.get(ngram)
        if other is not None:
            products[len(ngram) - 1] += min(weight, other) * other
    total = 0.0
    for product, norm, other in zip(products, output.norms, reference.norms, strict=True):
        if norm and other:
            total += product / (norm * other)
    difference = output.bigrams - reference.bigrams
    return total * math.exp(-(difference**2) / (2 * SIGMA**2))
