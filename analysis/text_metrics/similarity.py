"""How alike the outputs of systems are: each system's texts as the references of another's."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from analysis.errors import Undefined
from analysis.typing import Progress

from .scoring import score
from .text_files import Material


@dataclass(frozen=True)
class Similarity:
    """One metric: `scores` by reference system and tested system, None for a system with itself.

    `means` has the mean of each tested system over all reference systems.
    """

    metric: str
    systems: tuple[str, ...]
    scores: tuple[tuple[float | None, ...], ...]
    means: Mapping[str, float]


def similarities(
    material: Material,
    metrics: Sequence[str],
    *,
    lowercase: bool = False,
    progress: Progress = lambda share: None,
) -> tuple[Similarity, ...]:
    """Score each system's outputs against those of every other system.

    Parameters
    ----------
    material : the texts; its references play no part
    metrics : as for `score`, of those that need references
    lowercase : as for `score`
    progress : told the share that is done

    Returns
    -------
    One table for each metric

    Raises
    ------
    Undefined : there are fewer than two systems, or two have no item in common

    Source
    ------
    Dušek, Novikova & Rieser (2020), section 8.3 and Figure 4.
    """
    systems = tuple(material.outputs)
    if len(systems) < 2:
        raise Undefined("Similarity of systems needs outputs of at least two.")
    found: dict[str, list[tuple[float | None, ...]]] = {}
    for number, reference in enumerate(systems):
        row = _against(material, reference, metrics, lowercase)
        for metric, scores in row.items():
            found.setdefault(metric, []).append(tuple(scores.get(each) for each in systems))
        progress((number + 1) / len(systems))
    return tuple(
        Similarity(metric, systems, tuple(rows), _means(systems, rows))
        for metric, rows in found.items()
    )


def _against(
    material: Material, reference: str, metrics: Sequence[str], lowercase: bool
) -> Mapping[str, Mapping[str, float | None]]:
    """Return the scores of all other systems, by metric."""
    texts = material.outputs[reference]
    others = {
        system: {item: text for item, text in outputs.items() if item in texts}
        for system, outputs in material.outputs.items()
        if system != reference
    }
    if lone := [system for system, outputs in others.items() if not outputs]:
        raise Undefined(f"{reference} and {lone[0]} have no item in common.")
    compared = replace(
        material,
        outputs=others,
        references={item: (text,) for item, text in texts.items()},
        alternatives={},
    )
    found = score(compared, metrics, lowercase=lowercase, segments=False)
    return {each.metric: each.systems for each in found}


def _means(
    systems: tuple[str, ...], rows: Sequence[tuple[float | None, ...]]
) -> Mapping[str, float]:
    columns = (
        [row[place] for row in rows if row[place] is not None] for place in range(len(systems))
    )
    return {
        system: math.fsum(value for value in column if value is not None) / len(column)
        for system, column in zip(systems, columns, strict=True)
        if column
    }
