"""Draw the items that are shown as pictures, where the others are shown in words."""

from __future__ import annotations

import numpy as np

from rankme.models import Campaign, Item
from rankme.protocols.definition import Definition

# The factor of an item that says it: exports have it, and an analysis can use it.
SHOWN_AS = "shown_as"
PICTURES, WORDS = "pictures", "words"


def draw_pictorial_items(campaign: Campaign, definition: Definition) -> dict[int, str] | None:
    """By the id of each item, how a launch would show it; None where all are shown alike."""
    share = definition.pictorial_share
    if share in (None, 0, 1):
        return None
    items = list(campaign.items.order_by("position").values_list("id", flat=True))
    rng = np.random.default_rng([campaign.seed, len(items)])
    chosen = set(rng.permutation(len(items))[: round(share * len(items))].tolist())
    return {item: PICTURES if place in chosen else WORDS for place, item in enumerate(items)}


def note_pictorial_items(campaign: Campaign, definition: Definition) -> None:
    """Write the draw into the items, before the launch freezes them."""
    shown_as = draw_pictorial_items(campaign, definition)
    if shown_as is None:
        return
    items = list(campaign.items.only("factors"))
    for item in items:
        item.factors = {**item.factors, SHOWN_AS: shown_as[item.pk]}
    Item.objects.bulk_update(items, ["factors"], batch_size=1_000)
