"""The checks of a campaign as they are drawn from its material: before the launch, and for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from rankme.checks.drawing import CheckedBatch, CheckError, HostTrial, Surroundings, draw_batch
from rankme.corruptions import Specimen
from rankme.designs.plan import NO_SYSTEM, DrawnPlan, Indexes
from rankme.models import Campaign, Item, Output
from rankme.protocols.definition import Definition
from rankme.protocols.item_input import slots

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

BATCHES_AT_ONCE = 200
MOST_DONORS = 200
MOST_ELSEWHERE = 200


@dataclass(frozen=True)
class Donors:
    """Texts and values of the whole material, from which damage can take its own."""

    language: str
    texts: Sequence[tuple[int, str]]  # (item, output)
    values: Mapping[str, tuple[str, ...]]

    def specimen(self, trial: HostTrial, place: int) -> Specimen:
        return Specimen(
            trial.outputs[place][1],
            language=self.language,
            facts=slots(trial.input),
            other_values=dict(self.values),
            donors=[text for item, text in self.texts if item != trial.item],
        )


def donors_of(campaign: Campaign, definition: Definition) -> Donors:
    """A sample of the outputs, drawn with the campaign's seed, and the values of all facts."""
    ids = list(
        Output.objects.filter(item__campaign=campaign).order_by("id").values_list("id", flat=True)
    )
    rng = random.Random(f"{campaign.seed}/donors")
    sampled = rng.sample(ids, min(MOST_DONORS, len(ids)))
    rows = Output.objects.filter(pk__in=sampled).order_by("id").values_list("item_id", "text")
    values: dict[str, dict[str, None]] = {}
    if definition.input_kind == "mr":
        inputs = campaign.items.order_by("position").values_list("input", flat=True)
        for text in inputs[:5_000]:
            for attribute, value in slots(text):
                values.setdefault(attribute, {})[value] = None
    known = {attribute: tuple(found) for attribute, found in values.items()}
    return Donors(definition.language, list(rows), known)


def surroundings_of(campaign: Campaign, definition: Definition) -> Surroundings:
    edited = campaign.damaged_texts.values_list("check_name", "output_id", "text")
    return Surroundings(
        campaign.seed,
        donors_of(campaign, definition).specimen,
        _elsewhere(campaign),
        {(check, output): text for check, output, text in edited},
    )


def _elsewhere(campaign: Campaign) -> list[HostTrial]:
    """A sample of the items with their outputs, drawn with the campaign's seed."""
    ids = list(campaign.items.order_by("position").values_list("id", flat=True))
    rng = random.Random(f"{campaign.seed}/elsewhere")
    sampled = rng.sample(ids, min(MOST_ELSEWHERE, len(ids)))
    outputs: dict[int, list[Output]] = {item: [] for item in sampled}
    rows = Output.objects.filter(item__in=sampled).only("item_id", "text", "marks")
    for output in rows.order_by("system__position"):
        outputs[output.item_id].append(output)
    items = campaign.items.in_bulk(sampled)
    return [HostTrial(place=None, **_material(items[item], own)) for item, own in outputs.items()]


def checked_batches(
    campaign: Campaign,
    definition: Definition,
    plan: DrawnPlan,
    *,
    items: Sequence[int],
    outputs: Indexes,
    first_number: int = 0,
) -> Iterator[CheckedBatch]:
    """The checks of every batch of a plan, in order; memory stays flat however many there are.

    Raises
    ------
    CheckError : some batch cannot have the checks that the campaign file asks for
    """
    if not any(check.tool.is_trial for check in definition.checks):
        return
    surroundings = surroundings_of(campaign, definition)
    ends = np.cumsum(plan.batch_sizes)
    for first in range(0, len(ends), BATCHES_AT_ONCE):
        last = min(first + BATCHES_AT_ONCE, len(ends))
        start = int(ends[first] - plan.batch_sizes[first])
        hosts = _hosts(campaign, plan, slice(start, int(ends[last - 1])), items, outputs)
        for number in range(first, last):
            begins = int(ends[number] - plan.batch_sizes[number]) - start
            trials = [
                HostTrial(place=place, **host)
                for place, host in enumerate(hosts[begins : int(ends[number]) - start])
            ]
            yield draw_batch(definition, trials, surroundings, first_number + number)


def _hosts(
    campaign: Campaign,
    plan: DrawnPlan,
    rows: slice,
    items: Sequence[int],
    outputs: Indexes,
) -> list[dict[str, Any]]:
    """Read the material that the trials of these rows of the plan show."""
    numbers: list[int] = plan.items[rows].tolist()
    shown = [
        outputs[item, systems[systems != NO_SYSTEM]].tolist()
        for item, systems in zip(numbers, plan.systems[rows], strict=True)
    ]
    wanted = {output for found in shown for output in found}
    texts = Output.objects.only("text", "marks").in_bulk(wanted)
    material = campaign.items.in_bulk({items[number] for number in numbers})
    return [
        _material(material[items[number]], [texts[output] for output in found])
        for number, found in zip(numbers, shown, strict=True)
    ]


def _material(item: Item, outputs: Sequence[Output]) -> dict[str, Any]:
    return {
        "item": item.pk,
        "input": item.input,
        "reference": item.reference,
        "context": item.context,
        "outputs": tuple((output.pk, output.text) for output in outputs),
        "marks": tuple(output.marks or () for output in outputs),
    }


__all__ = ["CheckError", "checked_batches", "donors_of", "surroundings_of"]
