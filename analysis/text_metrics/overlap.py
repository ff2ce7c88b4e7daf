"""BLEU, chrF and TER as sacrebleu computes them, with its signatures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER


def _metric(name: str, lowercase: bool, **more: Any) -> Any:
    """Return a sacrebleu metric with these options."""
    if name == "bleu":
        # `force`: outputs that end in " ." are scored as they are, without a warning.
        return BLEU(lowercase=lowercase, force=True, **more)
    if name == "ter":
        return TER(**more)
    return CHRF(lowercase=lowercase, word_order=2 if name == "chrf++" else 0, **more)


class Sacrebleu:
    """One of sacrebleu's metrics against several references, not equally many for each item.

    Parameters
    ----------
    name : `bleu`, `chrf`, `chrf++` or `ter`
    references : by item, the texts
    lowercase : BLEU and chrF in lower case; TER always is

    Source
    ------
    Post (2018); Papineni et al. (2002); Popović (2015, 2017); Snover et al. (2006).
    """

    def __init__(
        self, name: str, references: Mapping[str, Sequence[str]], *, lowercase: bool
    ) -> None:
        self._name = name
        self._make: Callable[..., Any] = lambda **more: _metric(name, lowercase, **more)
        self._references = references
        # Scores of single sentences would be 0 without a smaller order where they are short.
        self._of_sentence = {"effective_order": True} if name == "bleu" else {}
        self._of_item: dict[str, Any] = {}

    @cached_property
    def _complete(self) -> Any:
        return self._make(references=_streams(list(self._references.values())))

    @property
    def signature(self) -> str:
        """sacrebleu's line for the figures of whole systems."""
        # It counts the references; preparing their texts would take seconds.
        blank = _streams([["-"] * len(texts) for texts in self._references.values()])
        return str(self._make(references=blank).get_signature())

    def system(self, outputs: Mapping[str, str]) -> float:
        """Return the score of a system's outputs together, in sacrebleu's unit (0 to 100; TER 0
        up).

        Parameters
        ----------
        outputs : by item, the text
        """
        if outputs.keys() == self._references.keys():
            texts = [outputs[item] for item in self._references]
            return float(self._complete.corpus_score(texts, None).score)
        references = _streams([self._references[item] for item in outputs])
        return float(self._make().corpus_score(list(outputs.values()), references).score)

    def system_and_segments(self, outputs: Mapping[str, str]) -> tuple[float, dict[str, float]]:
        """Return the score of a system, and that of each output (BLEU: smoothed, effective order).

        Parameters
        ----------
        outputs : by item, the text
        """
        found = {item: self._of_output(item, text) for item, text in outputs.items()}
        system = _bleu_of(list(found.values())) if self._name == "bleu" else self.system(outputs)
        return system, {item: float(each.score) for item, each in found.items()}

    def _of_output(self, item: str, output: str) -> Any:
        if item not in self._of_item:  # its references are prepared once for all systems
            references = [[text] for text in self._references[item]]
            self._of_item[item] = self._make(references=references, **self._of_sentence)
        return self._of_item[item].corpus_score([output], None)


def _bleu_of(outputs: Sequence[Any]) -> float:
    """BLEU of all outputs, whose n-grams are counted already: it is a function of the sums."""
    total = BLEU.compute_bleu(
        correct=np.sum([each.counts for each in outputs], axis=0).tolist(),
        total=np.sum([each.totals for each in outputs], axis=0).tolist(),
        sys_len=sum(each.sys_len for each in outputs),
        ref_len=sum(each.ref_len for each in outputs),
        smooth_method="exp",  # sacrebleu's default, as its signature says
    )
    return float(total.score)


def _streams(references: Sequence[Sequence[str]]) -> list[list[str | None]]:
    """Return the first references of all items, the second ones, …; None where there is none."""
    most = max(map(len, references))
    return [
        [texts[place] if place < len(texts) else None for texts in references]
        for place in range(most)
    ]
