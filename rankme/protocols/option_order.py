"""The order in which a rater sees the choices of a question, where it is drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from zlib import crc32

import numpy as np

from rankme.errors import Problem

from .criteria import CriterionSpec


def option_orders(criteria: Iterable[CriterionSpec], seed: Sequence[int]) -> dict[str, list[str]]:
    """The names of the choices in the order shown, by criterion; only those that are shuffled.

    `seed` is of one rater and trial; all outputs of the trial have the same order.
    """
    return {
        criterion.name: _drawn(names, [*seed, crc32(criterion.name.encode())])
        for criterion in criteria
        if (names := criterion.tool.choices_to_shuffle(criterion.settings))
    }


def _drawn(names: Sequence[str], seed: Sequence[int]) -> list[str]:
    order = np.random.default_rng(np.random.SeedSequence(seed)).permutation(len(names))
    return [names[place] for place in order.tolist()]


def order_problems(answers: Any, shown: Mapping[str, Sequence[str]]) -> list[Problem]:
    """Answers that say they were given to choices in another order than the drawn one."""
    return [
        Problem(str(answer["criterion"]), "was answered in another order than it was shown in")
        for answer in answers
        if answer["criterion"] in shown and answer.get("order") != list(shown[answer["criterion"]])
    ]
