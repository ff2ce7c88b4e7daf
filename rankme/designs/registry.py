"""The designs by name, and the one function that draws a plan with any of them.

A new design is a module with a `DESIGN`, and a line here, or an entry point of another package in
the group `rankme.designs`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from analysis.plugins import with_plugins
from rankme.designs import complete, items_only, latin_square, own_plan, random_blocks
from rankme.designs.design import Design
from rankme.designs.growth import Growth, nothing_new
from rankme.designs.plan import (
    DesignError,
    DesignRequest,
    DrawnPlan,
    Layout,
    OptionValue,
    measure_balance,
)

from .document_order import Documents

OWN: dict[str, Design] = {
    "latin_square": latin_square.DESIGN,
    "random_blocks": random_blocks.DESIGN,
    "complete": complete.DESIGN,
    "items_only": items_only.DESIGN,
    "own_plan": own_plan.DESIGN,
}
DESIGNS = with_plugins("rankme.designs", OWN, lambda found: isinstance(found, Design), "a Design")


def draw(
    design_name: str,
    n_items: int,
    n_systems: int,
    options: Mapping[str, OptionValue],
    raters_per_trial: int,
    *,
    seed: int,
    coverage: npt.NDArray[np.bool_] | None = None,
    strata: npt.NDArray[np.int64] | None = None,
    documents: Documents | None = None,
    names: tuple[Sequence[str], Sequence[str]] = ((), ()),
) -> DrawnPlan:
    """Draw the plan of a campaign. The same arguments draw the same plan.

    Parameters
    ----------
    options : the design's own; what is left out has its default
    raters_per_trial : how many different participants do each batch
    coverage : shape (items, systems), false where the system has no output; None: all are there
    strata : shape (items,), kinds of item as whole numbers, to be spread evenly (Latin squares)
    documents : which items stay together; None: each item is on its own
    names : of the items and systems, which a plan of one's own needs

    Raises
    ------
    DesignError
        with every reason why there is no such plan
    """
    checked = checked_options(design_name, options)
    if coverage is None:
        coverage = np.ones((max(n_items, 0), max(n_systems, 0)), dtype=np.bool_)
    if strata is None:
        strata = np.zeros(max(n_items, 0), dtype=np.int64)
    request = DesignRequest(
        n_items, n_systems, checked, raters_per_trial, seed, coverage, strata, *names
    )
    design = DESIGNS[design_name]
    _refuse(_problems_of_any_design(request, needs_outputs=design.needs_outputs))
    drawn = documents.as_items(request) if documents else request
    _refuse(design.check(drawn))
    layout = design.draw(drawn)
    if documents:
        layout = documents.as_segments(layout)
    return DrawnPlan(
        design=design_name,
        options=checked,
        seed=seed,
        raters_per_trial=raters_per_trial,
        items=layout.items,
        systems=layout.systems,
        batch_sizes=layout.batch_sizes,
        balance=measure_balance(layout, request),
        notes=layout.notes,
    )


def grow(design_name: str, growth: Growth, documents: Documents | None = None) -> Layout:
    """The batches that a launched plan gets for what has come to its material.

    `documents` are those of all items, old and new.

    Raises
    ------
    DesignError
        with every reason why the plan cannot be extended
    """
    if not growth.new_items and not growth.new_systems:
        return nothing_new(growth)
    design = DESIGNS[design_name]
    if documents:
        growth = documents.in_growth(growth)
    _refuse(design.check_growth(growth))
    added = design.grown(growth)
    return documents.as_segments(added) if documents else added


def checked_options(design_name: str, options: Mapping[str, object]) -> dict[str, OptionValue]:
    """The design's options with defaults filled in; raises `DesignError` with all that is wrong."""
    if design_name not in DESIGNS:
        raise DesignError([f'There is no design "{design_name}": choose {_listed(DESIGNS)}.'])
    known = {option.name: option for option in DESIGNS[design_name].options}
    problems = [
        f'The design "{design_name}" has no option "{name}": it has {_listed(known)}.'
        for name in options
        if name not in known
    ]
    checked: dict[str, OptionValue] = {}
    for name, option in known.items():
        value = options.get(name, option.default)
        problem = option.problem_with(value)
        if problem:
            problems.append(problem)
        elif isinstance(value, int | str):
            checked[name] = value
    if problems:
        raise DesignError(problems)
    return checked


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names)


def _problems_of_any_design(request: DesignRequest, *, needs_outputs: bool) -> list[str]:
    """Check the needs of every design; a design's own `check` relies on it."""
    n_items, n_systems, coverage = request.n_items, request.n_systems, request.coverage
    problems = []
    if n_items < 1 or (needs_outputs and n_systems < 1):
        problems.append("There must be at least one item and one system.")
    if request.raters_per_trial < 1:
        problems.append("There must be at least one rater per trial.")
    if request.seed < 0:
        problems.append("The seed must be a whole number, 0 or more.")
    if coverage.shape != (n_items, n_systems) or request.strata.shape != (n_items,):
        problems.append("The coverage and the kinds of items do not fit the items and systems.")
    elif needs_outputs and not coverage.any():
        problems.append("There are no outputs.")
    return problems


def _refuse(problems: Sequence[str]) -> None:
    if problems:
        raise DesignError(problems)
