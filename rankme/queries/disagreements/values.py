"""Read the values of one criterion as a matrix of raters and outputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from analysis.typing import Codes, Values
from rankme.models import Campaign, Criterion, Item, Metric
from rankme.protocols.files import stored_definition
from rankme.queries.items.list import GIVEN, UNCOMPARED
from rankme.queries.metric_scores import scores_of
from rankme.queries.sql import rows_of

# More than these are compared in the export.
MOST_VALUES = 200_000
MOST_RATERS = 40
MOST_SAID = 12
VALUES = f"""
    SELECT item, output, rater, value FROM ({GIVEN}) AS given
    ORDER BY item, output NULLS LAST, rater LIMIT {MOST_VALUES + 1}"""


@dataclass(frozen=True)
class Scale:
    """How a criterion's values compare, and what they are called."""

    kind: str
    labels: Mapping[float, str]  # of its points, in their order; none for a scale without points

    @property
    def is_ordered(self) -> bool:
        """Whether one value can be closer to a second than to a third."""
        return self.kind != "category"

    def said(self, value: float) -> str:
        """A value in words."""
        return self.labels.get(value) or f"{value:.3g}"


@dataclass(frozen=True)
class Unit:
    """What was judged: an output, or with None the item as a whole."""

    item: int
    output: int | None


@dataclass(frozen=True, eq=False)
class GivenValues:
    """All values of a criterion; `is_cut` says that the campaign has more than `MOST_VALUES`.

    `unit`, `rater` and `value` have shape (judgements,), sorted by unit; `rater` holds ids.
    """

    scale: Scale
    units: Sequence[Unit]
    unit: Codes
    rater: Codes
    value: Values
    is_cut: bool

    @cached_property
    def raters(self) -> list[int]:
        """The ids of all raters, those with the most values first."""
        ids, counts = np.unique(self.rater, return_counts=True)
        return [int(ids[place]) for place in np.argsort(-counts, kind="stable")]

    @cached_property
    def items(self) -> Codes:
        """The item of each unit."""
        return np.array([unit.item for unit in self.units], dtype=np.int64)

    def of(self, rater: int) -> Values:
        """One rater's values by unit, the first where there are two; NaN where there is none."""
        row = np.full(len(self.units), np.nan)
        mine = np.flatnonzero(self.rater == rater)[::-1]
        row[self.unit[mine]] = self.value[mine]
        return row

    def spread(self) -> Values:
        """How far all raters of a unit are apart: SD, or the share of unlike pairs; 0 for one."""
        n = np.bincount(self.unit, minlength=len(self.units)).astype(np.float64)
        pairs = np.maximum(n * (n - 1), 1.0)
        if self.scale.is_ordered:
            mean = np.bincount(self.unit, self.value, len(n)) / np.maximum(n, 1)
            squares = np.bincount(self.unit, (self.value - mean[self.unit]) ** 2, len(n))
            return np.asarray(np.sqrt(squares / np.maximum(n - 1, 1)))
        levels = np.unique(self.value, return_inverse=True)[1]
        cells = np.unique(self.unit * (int(levels.max(initial=0)) + 1) + levels, return_index=True)
        sizes = np.diff(np.append(cells[1], len(self.unit))).astype(np.float64)
        return np.asarray((n**2 - np.bincount(self.unit[cells[1]], sizes**2, len(n))) / pairs)


@dataclass(frozen=True)
class DisagreementLine:
    """One output with all of its values; the item as a whole has no output and no name."""

    item: Item
    output: int | None
    name: str
    said: list[str]
    settled: str

    @property
    def number_in_upload(self) -> int:
        """The item's place in the upload, from 1, which its address contains."""
        return self.item.position + 1


def lines_of(
    campaign: Campaign,
    given: GivenValues,
    places: Sequence[int],
    *,
    names: Mapping[int, str],
    settled: Mapping[Unit, float],
) -> list[DisagreementLine]:
    """Describe these units, in the same order; of many values the lowest and the highest.

    Parameters
    ----------
    names : what the page calls the systems, by id
    settled : the values that apply
    """
    units = [given.units[place] for place in places]
    items = campaign.items.in_bulk([unit.item for unit in units])
    outputs = outputs_of(campaign, units)
    first, last = (
        np.searchsorted(given.unit, places, side=side).tolist() for side in ("left", "right")
    )
    lines = []
    for unit, start, end in zip(units, first, last, strict=True):
        said = [given.scale.said(value) for value in sorted(given.value[start:end].tolist())]
        if len(said) > MOST_SAID:
            said = [*said[: MOST_SAID // 2], "…", *said[-MOST_SAID // 2 :]]
        value = given.scale.said(settled[unit]) if unit in settled else ""
        name = names.get(outputs.get(unit.output or 0, 0), "")
        lines.append(DisagreementLine(items[unit.item], unit.output, name, said, value))
    return lines


def comparable_criteria(campaign: Campaign) -> list[Criterion]:
    """The criteria whose values compare: texts and times do not."""
    kinds = stored_definition(campaign.definition).kinds
    criteria = campaign.criteria.order_by("position")
    return [each for each in criteria if kinds.get(each.name, "scale") not in UNCOMPARED]


def scale_of(campaign: Campaign, name: str) -> Scale:
    """How the values of a criterion compare."""
    definition = stored_definition(campaign.definition)
    labels = dict(definition.labels.get(name, {}))
    for each in definition.criteria:
        if each.name == name and not labels:
            points = each.tool.columns(each.settings)
            labels = {float(place): point for place, point in enumerate(points, start=1)}
    return Scale(definition.kinds.get(name, "scale"), dict(sorted(labels.items())))


def values_of(campaign: Campaign, criterion: Criterion) -> GivenValues:
    """Read a criterion's values that analyses use, item by item, up to `MOST_VALUES`.

    Values of which only the order counts become places on their screen, from 0 to 1.
    """
    scale = scale_of(campaign, criterion.name)
    relative = [criterion.pk] if scale.kind == "relative" else []
    asked = {"campaign": campaign.pk, "criteria": [criterion.pk], "relative": relative}
    rows = rows_of(VALUES, asked)
    kept = rows[:MOST_VALUES]
    places: dict[tuple[int, int | None], int] = {}
    unit = [places.setdefault((item, output), len(places)) for item, output, *_ in kept]
    return GivenValues(
        scale,
        [Unit(*place) for place in places],
        np.array(unit, dtype=np.int64),
        np.array([rater for *_, rater, _value in kept], dtype=np.int64),
        np.array([value for *_, value in kept], dtype=np.float64),
        len(rows) > MOST_VALUES,
    )


def scores_by_unit(campaign: Campaign, metric: Metric, given: GivenValues) -> Values:
    """A metric's or a judge's scores as they were stored, by unit; NaN where there is none."""
    scores = scores_of(campaign, [metric.name])
    row = np.full(len(given.units), np.nan)
    if scores is None:
        return row
    sign = -1 if metric.name in scores.turned else 1
    items = dict(campaign.items.values_list("pk", "key"))
    systems = dict(campaign.systems.values_list("pk", "name"))
    of_output = outputs_of(campaign, given.units)
    rows = {name: place for place, name in enumerate(scores.systems)}
    columns = {name: place for place, name in enumerate(scores.items)}
    for place, unit in enumerate(given.units):
        system = rows.get(systems.get(of_output.get(unit.output or 0, 0), ""))
        column = columns.get(items[unit.item])
        if system is not None and column is not None:
            row[place] = sign * scores.segments[0, system, column]
    return row


def outputs_of(campaign: Campaign, units: Sequence[Unit]) -> dict[int, int]:
    """The system of each judged output, by ids."""
    ids = [unit.output for unit in units if unit.output is not None]
    outputs = campaign.systems.filter(outputs__in=ids).values_list("outputs", "pk")
    return dict(outputs)
