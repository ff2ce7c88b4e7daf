"""Read the material of a trial, from the plan or from its check, for reading its answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankme.models import Trial
from rankme.protocols.answers import Reading, read_answers
from rankme.protocols.definition import Definition


@dataclass(frozen=True)
class TrialMaterial:
    """The number of outputs, and what some instruments need to know of the item.

    `own_texts` are the outputs of a check in the order in which they are stored.
    """

    outputs: int
    item_input: str
    item_reference: str
    factors: Mapping[str, Any] = field(default_factory=dict)
    is_check: bool = False
    own_texts: tuple[str, ...] = ()

    def own_texts_in(self, order: Sequence[int]) -> list[str]:
        """The outputs of a check as a rater sees them."""
        return [self.own_texts[place] for place in order]

    def read(
        self,
        definition: Definition,
        screen: int,
        answers: object,
        *,
        texts: Sequence[str] = (),
        without_words: bool = False,
    ) -> list[Reading]:
        """The checked answers to one screen; raises `InvalidAnswer` with every problem.

        `texts` are the outputs as the rater sees them, for instruments that read them.
        `without_words` says that the answers are of a payload with a digest in the place of words.
        """
        return read_answers(
            definition,
            screen,
            answers,
            outputs=self.outputs,
            texts=texts,
            item_input=self.item_input,
            item_reference=self.item_reference,
            factors=self.factors,
            without_words=without_words,
        )


def material_of(trial: Trial) -> TrialMaterial:
    """The material of a trial with its item, its check and its `places`."""
    item, check = trial.item, getattr(trial, "as_check", None)
    if check is not None:
        return material_of_check(check.shown, item.factors)
    return TrialMaterial(len(trial.places.all()), item.input, item.reference, item.factors)


def material_of_check(shown: Mapping[str, Any], factors: Mapping[str, Any]) -> TrialMaterial:
    """The material of a check, which has its own texts; `factors` are those of its item."""
    texts = tuple(shown["outputs"])
    inputs = (shown["input"], shown["reference"], factors)
    return TrialMaterial(len(texts), *inputs, is_check=True, own_texts=texts)
