"""Several ranked outputs of a system for an item, and outputs that are missing."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from .scoring import Scored, score
from .text_files import Material


def with_missing(material: Material) -> Material:
    """Give each system an empty text for every item that it has no output for.

    An empty text scores 0, and its TER is 1 (100 in sacrebleu's unit), as SR'11 counted missing
    outputs.

    Parameters
    ----------
    material : the texts; all items of its inputs count

    Source
    ------
    Belz et al. (2011), section 3.
    """
    return replace(
        material,
        outputs={
            system: {item: texts.get(item, "") for item in material.inputs}
            for system, texts in material.outputs.items()
        },
    )


def weighted_n_best(
    material: Material, metrics: Sequence[str], *, lowercase: bool = False
) -> Mapping[str, Mapping[str, float | None]]:
    """Average the scores of an item's ranked outputs, where better ranks weigh more.

    Of K ranks, rank r weighs K − r + 1 over the sum of these. Missing outputs, and those equal to
    one with a better rank, count as empty texts.

    Parameters
    ----------
    material : with `alternatives`
    metrics : as for `score`; one without scores of outputs has no value
    lowercase : as for `score`

    Returns
    -------
    By metric and system; only systems with alternatives

    Source
    ------
    Belz et al. (2011), section 3: the columns "nb" of Tables 4 and 5.
    """
    last = max(material.alternatives, default=1)
    systems = {system for texts in material.alternatives.values() for system in texts}
    sums: dict[str, dict[str, list[float]]] = {}
    for rank in range(1, last + 1):
        weight = (last - rank + 1) / (last * (last + 1) / 2)
        ranked = replace(material, outputs=_at_rank(material, rank, systems), alternatives={})
        for scored in score(ranked, metrics, lowercase=lowercase, segments=True):
            for system, value in _means(scored).items():
                sums.setdefault(scored.metric, {}).setdefault(system, []).append(weight * value)
    return {
        metric: {system: math.fsum(parts) for system, parts in each.items() if len(parts) == last}
        for metric, each in sums.items()
    }


def _at_rank(material: Material, rank: int, systems: set[str]) -> Mapping[str, Mapping[str, str]]:
    """Return the texts of one rank; empty where there is none, or a better rank has the same."""
    ranks = {1: material.outputs, **material.alternatives}

    def text(system: str, item: str) -> str:
        found = ranks.get(rank, {}).get(system, {}).get(item, "")
        better = (ranks.get(k, {}).get(system, {}).get(item) for k in range(1, rank))
        return "" if found in better else found

    return {
        system: {item: text(system, item) for item in material.inputs}
        for system in material.outputs
        if system in systems
    }


def _means(scored: Scored) -> Mapping[str, float]:
    """Return the mean over the outputs of each system that has a score of every one."""
    return {
        system: math.fsum(known) / len(known)
        for system, each in scored.segments.items()
        if (known := [value for value in each.values() if value is not None])
        and len(known) == len(each)
    }
