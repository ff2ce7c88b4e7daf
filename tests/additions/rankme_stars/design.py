"""A design: each item with one of its outputs, the systems in turn."""

from __future__ import annotations

import numpy as np

from rankme.designs.design import Design, Option
from rankme.designs.plan import DesignRequest, Layout, even_batch_sizes


def draw_one_each(request: DesignRequest) -> Layout:
    items = np.arange(request.n_items)
    systems = (items + int(request.options["first_system"])) % request.n_systems
    sizes = even_batch_sizes(request.n_items, request.n_items)
    return Layout(items, systems[:, None], sizes)


def _problems(request: DesignRequest) -> list[str]:
    if request.n_items < request.n_systems:
        return ["There must be at least as many items as systems."]
    return [] if request.is_complete else ["Every system must have an output for every item."]


DESIGN = Design(
    title="One output per item",
    help="Each item with one of its outputs, the systems in turn.",
    check=_problems,
    draw=draw_one_each,
    options=(Option("first_system", int, 0, help="The system of the first item, from 0."),),
)
