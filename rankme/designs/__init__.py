"""Designs: pure functions from (items, systems, options, seed) to a plan of batches and trials."""

from rankme.designs.order import draw_order
from rankme.designs.plan import Balance, Batch, DesignError, Plan, Spread, Trial
from rankme.designs.registry import DESIGNS, Design, Option, checked_options, draw

__all__ = [
    "DESIGNS",
    "Balance",
    "Batch",
    "Design",
    "DesignError",
    "Option",
    "Plan",
    "Spread",
    "Trial",
    "checked_options",
    "draw",
    "draw_order",
]
