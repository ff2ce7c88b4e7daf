"""Estimate what leaving out one rater does to the ranking, before anybody decides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from analysis.errors import Undefined
from analysis.reliability.coefficients import ranks_within
from analysis.scales.clustered import ClusteredComparison, clustered_comparison
from analysis.table import JudgementTable
from analysis.typing import Values
from rankme.models import Campaign, Participant, Submission
from rankme.protocols.definition import Definition
from rankme.protocols.files import stored_definition
from rankme.queries.items.list import UNCOMPARED
from rankme.queries.judgement_table import judgement_table

# Up to so many screens the page of a rater shows the effect at once, and then if asked.
MOST_AT_ONCE = 2_000
MOST_SCREENS = 20_000
LEVEL = 0.05


@dataclass(frozen=True)
class SystemEffect:
    """A system's mean and place with and without the rater; None where it has no judgement."""

    system: str
    mean: float
    mean_without: float | None
    place: int
    place_without: int | None


@dataclass(frozen=True)
class CriterionEffect:
    """The effect on one criterion; pairs of systems name the better one first.

    `reason` says why no differences are compared, where that is so.
    """

    name: str
    is_relative: bool
    judgements: int
    systems: tuple[SystemEffect, ...]
    gained: tuple[tuple[str, str], ...]
    lost: tuple[tuple[str, str], ...]
    kept: int
    reason: str

    @property
    def moved(self) -> list[SystemEffect]:
        """The systems that change places."""
        return [each for each in self.systems if each.place != each.place_without]


def has_more_screens(campaign: Campaign, most: int) -> bool:
    """Whether more screens than this were submitted."""
    found = Submission.objects.filter(assignment__campaign=campaign)
    return found.order_by()[: most + 1].count() > most


def effect_of(
    campaign: Campaign, rater: Participant, names: Mapping[str, str]
) -> list[CriterionEffect]:
    """Compare all criteria with and without a rater; `names` are the systems' for the page."""
    definition = stored_definition(campaign.definition)
    table = judgement_table(campaign).in_order()
    is_rater = np.array([label == rater.label for label in table.rater.labels], dtype=bool)
    own = is_rater[table.rater.codes]
    if not own.any():
        return []
    excluded = np.zeros(len(own), dtype=bool) if table.excluded is None else table.excluded
    table, own = table.rows(own | ~excluded), own[own | ~excluded]
    return [
        _criterion(table.rows(here), own[here], criterion, definition, names)
        for number, criterion in enumerate(table.criterion.labels)
        if definition.kinds.get(criterion, "scale") not in UNCOMPARED
        if own[here := table.criterion.codes == number].any()
    ]


def _criterion(
    table: JudgementTable,
    own: np.ndarray,
    criterion: str,
    definition: Definition,
    names: Mapping[str, str],
) -> CriterionEffect:
    is_relative = definition.kinds.get(criterion) == "relative"
    values = table.value
    if is_relative:
        ranks, _ties = ranks_within(values, table.screen.codes)
        others = np.bincount(table.screen.codes)[table.screen.codes] - 1
        values = np.divide(ranks - 1, others, out=np.full(len(own), 0.5), where=others > 0)
    higher = is_relative or criterion not in definition.lower_is_better
    found: list[ClusteredComparison] = []
    reason = ""
    for rows in (np.ones(len(own), dtype=bool), ~own):
        try:
            found.append(
                clustered_comparison(
                    values[rows], table.system.codes[rows], table.system.labels,
                    table.rater.codes[rows], table.item.codes[rows], alpha=LEVEL,
                    generality=definition.generality, higher_is_better=higher,
                )
            )  # fmt: skip
        except Undefined as why:
            reason = str(why)
    compared = [_claims(each, higher, names) for each in found] if len(found) == 2 else [set()] * 2
    return CriterionEffect(
        criterion,
        is_relative,
        int(own.sum()),
        _systems(_means(values, own, table, found), higher, table.system.labels, names),
        tuple(sorted(compared[1] - compared[0])),
        tuple(sorted(compared[0] - compared[1])),
        len(compared[0] & compared[1]),
        reason if len(found) < 2 else "",
    )


def _claims(
    comparison: ClusteredComparison, higher: bool, names: Mapping[str, str]
) -> set[tuple[str, str]]:
    """The pairs of systems that differ, the better one first."""
    return {
        (names[pair.a], names[pair.b])
        if (pair.difference > 0) == higher
        else (names[pair.b], names[pair.a])
        for pair in comparison.contrasts
        if pair.p < LEVEL
    }


def _means(
    values: Values, own: np.ndarray, table: JudgementTable, found: list[ClusteredComparison]
) -> Values:
    """The means with and without the rater, shape (2, systems), adjusted if possible."""
    labels = table.system.labels
    means = np.full((2, len(labels)), np.nan)
    for line, rows in zip(means, (np.ones(len(own), dtype=bool), ~own), strict=True):
        codes = table.system.codes[rows]
        sizes = np.bincount(codes, minlength=len(labels))
        sums = np.bincount(codes, values[rows], minlength=len(labels))
        np.divide(sums, sizes, out=line, where=sizes > 0)
    if len(found) == 2:
        for line, comparison in zip(means, found, strict=True):
            adjusted = {each.system: each.mean for each in comparison.means}
            line[:] = [adjusted.get(label, np.nan) for label in labels]
    return means


def _systems(
    means: Values, higher: bool, labels: Sequence[str], names: Mapping[str, str]
) -> tuple[SystemEffect, ...]:
    order = np.round(-means if higher else means, 9)
    places = [[1 + int((line < each).sum()) for each in line] for line in order]
    systems = [
        SystemEffect(
            names[label],
            float(means[0, k]),
            None if np.isnan(means[1, k]) else float(means[1, k]),
            places[0][k],
            None if np.isnan(means[1, k]) else places[1][k],
        )
        for k, label in enumerate(labels)
    ]
    return tuple(sorted(systems, key=lambda each: (each.place, each.system)))
