"""Designs: pure functions from (items, systems, options, seed) to a plan of batches and trials."""

from rankme.designs.design import Design, Option
from rankme.designs.order import draw_order
from rankme.designs.plan import Balance, DesignError, DrawnBatch, DrawnPlan, DrawnTrial, Spread
from rankme.designs.registry import DESIGNS, checked_options, draw

__all__ = [
    "DESIGNS",
    "Balance",
    "Design",
    "DesignError",
    "DrawnBatch",
    "DrawnPlan",
    "DrawnTrial",
    "Option",
    "Spread",
    "checked_options",
    "draw",
    "draw_order",
]
