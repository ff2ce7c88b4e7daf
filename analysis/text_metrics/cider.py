"""CIDEr: cosine similarity of n-grams, weighted by how rare they are among the items."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.typing import Values

from .tokens import Tokens, counts, treebank_tokens

LONGEST = 4
SIGMA = 6.0


@dataclass(frozen=True)
class Vector:
    """A text's weights by n-gram, the norms by length of n-gram, and its number of bigrams."""

    weights: dict[Tokens, float]
    norms: tuple[float, ...]
    bigrams: int


@dataclass(frozen=True)
class References:
    """The vectors of an item's references, and their weights as a table.

    `weights` has shape (n-grams, references); `row` says which n-gram is where.
    """

    vectors: list[Vector]
    row: dict[Tokens, int]
    weights: Values

    @classmethod
    def of(cls, vectors: list[Vector]) -> References:
        ngrams = dict.fromkeys(ngram for vector in vectors for ngram in vector.weights)
        row = {ngram: number for number, ngram in enumerate(ngrams)}
        weights = np.zeros((len(row), len(vectors)))
        for column, vector in enumerate(vectors):
            weights[[row[ngram] for ngram in vector.weights], column] = [*vector.weights.values()]
        return cls(vectors, row, weights)


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
    def _rarity(self) -> dict[Tokens, float]:
        """The weight of an n-gram of the references that occurs once."""
        items_with: Counter[Tokens] = Counter()
        for texts in self._counts.values():
            items_with.update(set().union(*texts))
        log_items = math.log(len(self._counts))
        return {ngram: log_items - math.log(items) for ngram, items in items_with.items()}

    @cached_property
    def _references(self) -> dict[str, References]:
        return {
            item: References.of([self._vector(each) for each in texts])
            for item, texts in self._counts.items()
        }

    def _vector(self, found: Counter[Tokens]) -> Vector:
        rarity, of_others = self._rarity, math.log(len(self._counts))
        weights: dict[Tokens, float] = {}
        squares = [0.0] * LONGEST
        for ngram, times in found.items():
            weights[ngram] = weight = times * rarity.get(ngram, of_others)
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
        references = self._references[item]
        total = math.fsum(_similarities(vector, references))
        return 10 * total / LONGEST / len(references.vectors)


def _similarities(output: Vector, references: References) -> Iterator[float]:
    """Clipped cosines, summed over the lengths of n-grams, × the penalty of length."""
    shared = [ngram for ngram in output.weights if ngram in references.row]
    others = references.weights[[references.row[ngram] for ngram in shared]]
    own = np.array([output.weights[ngram] for ngram in shared])[:, None]
    products = np.minimum(own, others) * others
    sums: list[list[float]] = []
    lengths, end = Counter(map(len, shared)), 0
    while shared_of_length := lengths[len(sums) + 1]:
        start, end = end, end + shared_of_length
        # Cumulated: a plain sum would take another order where there is only one reference.
        sums.append(np.cumsum(products[start:end], axis=0)[-1].tolist())
    for place, reference in enumerate(references.vectors):
        total = 0.0
        for product, norm, other in zip(sums, output.norms, reference.norms, strict=False):
            if norm and other:
                total += product[place] / (norm * other)
        difference = output.bigrams - reference.bigrams
        yield total * math.exp(-(difference**2) / (2 * SIGMA**2))
