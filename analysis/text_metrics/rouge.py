"""ROUGE-L: the longest common subsequence of output and reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .tokens import Tokens, treebank_tokens

# How much recall counts against precision; the COCO scripts' value.
BETA = 1.2


class Rouge:
    """ROUGE-L against several references.

    Parameters
    ----------
    references : by item, the texts

    Source
    ------
    Lin (2004), with the maxima of Chen et al. (2015), the COCO caption evaluation.
    """

    def __init__(self, references: Mapping[str, Sequence[str]]) -> None:
        self._references = {
            item: [treebank_tokens(text) for text in texts] for item, texts in references.items()
        }

    def score(self, item: str, output: str) -> float:
        """Return the F-measure of the best precision and the best recall over the item's
        references.

        Parameters
        ----------
        item : one of the items of the references
        output : the text of one system

        Returns
        -------
        0 to 1. The score of a system is the mean of its segments.
        """
        tokens = treebank_tokens(output)
        precision = recall = 0.0
        for wanted in self._references[item]:
            common = longest_common_subsequence(tokens, wanted)
            precision = max(precision, common / max(len(tokens), 1))
            recall = max(recall, common / max(len(wanted), 1))
        if not precision or not recall:
            return 0.0
        return (1 + BETA**2) * precision * recall / (recall + BETA**2 * precision)


def longest_common_subsequence(first: Tokens, second: Tokens) -> int:
    """Count the tokens that both texts have in the same order.

    Parameters
    ----------
    first, second : tokens

    Source
    ------
    Hyyrö (2004): a row of the usual table is the bits of one whole number.
    """
    places: dict[str, int] = {}
    for place, token in enumerate(first):
        places[token] = places.get(token, 0) | 1 << place
    full = (1 << len(first)) - 1
    row = full
    for bits in filter(None, map(places.get, second)):  # another token would change nothing
        common = row & bits
        row = (row + common | row - common) & full
    return len(first) - row.bit_count()
