"""The designs by name, their options, and the one function that draws a plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from rankme.designs.complete import draw_complete
from rankme.designs.items_only import draw_items_only
from rankme.designs.latin_square import draw_latin_squares
from rankme.designs.plan import (
    DesignError,
    DesignRequest,
    DrawnPlan,
    Layout,
    OptionValue,
    measure_balance,
)
from rankme.designs.random_blocks import draw_random_blocks

MOST_TRIALS = 20_000_000


@dataclass(frozen=True)
class Option:
    """One setting of a design, enough to check a value and to make a form field."""

    name: str
    type: type[int] | type[bool]
    default: OptionValue
    help: str
    minimum: int = 0
    maximum: int = 1_000_000

    def problem_with(self, value: object) -> str | None:
        if self.type is bool:
            return None if isinstance(value, bool) else f"{self.name} is true or false."
        if not isinstance(value, int) or isinstance(value, bool):
            return f"{self.name} is a whole number."
        if not self.minimum <= value <= self.maximum:
            return f"{self.name} is a number from {self.minimum} to {self.maximum}."
        return None


@dataclass(frozen=True)
class Design:
    """A way to share the material out among raters."""

    title: str
    help: str
    draw: Callable[[DesignRequest], Layout]
    options: tuple[Option, ...]
    needs_outputs: bool = True


DESIGNS: dict[str, Design] = {
    "latin_square": Design(
        title="Repeated Latin squares",
        help="One output per screen. Each rater sees each item once and each system equally often.",
        draw=draw_latin_squares,
        options=(
            Option(
                "groups",
                int,
                1,
                minimum=1,
                maximum=100_000,
                help=(
                    "Parts into which the items are divided, each with its own raters. "
                    "Each rater judges the items of one part. 2 gives half-sets."
                ),
            ),
            Option(
                "raters",
                int,
                0,
                help=(
                    "Total number of raters, divided among the groups. "
                    "0: one per system in each group, so that every output is judged once."
                ),
            ),
            Option(
                "duplicate_items",
                bool,
                False,
                help=("Fill up the last square of each group with duplicate items."),
            ),
            Option(
                "chunk_size",
                int,
                1,
                minimum=1,
                maximum=10_000,
                help=("Number of consecutive items that belong to one text and stay in one group."),
            ),
        ),
    ),
    "random_blocks": Design(
        title="Balanced random selection",
        help="Some systems per screen, every system and every pair of systems equally often.",
        draw=draw_random_blocks,
        options=(
            Option(
                "outputs_per_screen",
                int,
                5,
                minimum=1,
                maximum=50,
                help=("Outputs shown on one screen."),
            ),
            Option(
                "screens_per_item",
                int,
                1,
                minimum=1,
                maximum=1_000,
                help=("Screens per item, each with other systems where possible."),
            ),
            Option(
                "trials_per_batch",
                int,
                20,
                minimum=0,
                maximum=10_000,
                help=("Maximum number of screens per batch. 0: all items."),
            ),
        ),
    ),
    "complete": Design(
        title="Every output",
        help="All outputs of all items are judged.",
        draw=draw_complete,
        options=(
            Option(
                "outputs_per_screen",
                int,
                1,
                minimum=0,
                maximum=1_000,
                help=("Outputs shown on one screen. 0: all outputs of the item."),
            ),
            Option(
                "trials_per_batch",
                int,
                0,
                minimum=0,
                maximum=1_000_000,
                help=(
                    "Maximum number of screens per batch. 0: all, so "
                    "that each rater judges everything."
                ),
            ),
        ),
    ),
    "items_only": Design(
        title="Items without outputs",
        help="Raters write or answer something about each item, for example to collect texts.",
        draw=draw_items_only,
        options=(
            Option(
                "trials_per_batch",
                int,
                20,
                minimum=0,
                maximum=1_000_000,
                help=("Maximum number of screens per batch. 0: all items."),
            ),
        ),
        needs_outputs=False,
    ),
}


def draw(
    design_name: str,
    n_items: int,
    n_systems: int,
    options: Mapping[str, OptionValue],
    raters_per_trial: int,
    seed: int,
    coverage: npt.NDArray[np.bool_] | None = None,
    strata: npt.NDArray[np.int64] | None = None,
) -> DrawnPlan:
    """Draw the plan of a campaign. The same arguments draw the same plan.

    Parameters
    ----------
    options : the design's own; what is left out has its default
    raters_per_trial : how many different participants do each batch
    coverage : shape (items, systems), false where the system has no output; None: all are there
    strata : shape (items,), kinds of item as whole numbers, to be spread evenly (Latin squares)

    Raises
    ------
    DesignError
        with every reason why there is no such plan
    """
    checked = checked_options(design_name, options)
    request = _checked_request(
        n_items,
        n_systems,
        checked,
        raters_per_trial,
        seed,
        coverage,
        strata,
        needs_outputs=DESIGNS[design_name].needs_outputs,
    )
    _check_fit(design_name, request)
    layout = DESIGNS[design_name].draw(request)
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
        elif isinstance(value, int):
            checked[name] = value
    if problems:
        raise DesignError(problems)
    return checked


def _listed(names: Mapping[str, object]) -> str:
    return ", ".join(names)


def _checked_request(
    n_items: int,
    n_systems: int,
    options: dict[str, OptionValue],
    raters_per_trial: int,
    seed: int,
    coverage: npt.NDArray[np.bool_] | None,
    strata: npt.NDArray[np.int64] | None,
    *,
    needs_outputs: bool,
) -> DesignRequest:
    if coverage is None:
        coverage = np.ones((max(n_items, 0), max(n_systems, 0)), dtype=np.bool_)
    if strata is None:
        strata = np.zeros(max(n_items, 0), dtype=np.int64)
    problems = []
    if n_items < 1 or (needs_outputs and n_systems < 1):
        problems.append("There must be at least one item and one system.")
    if raters_per_trial < 1:
        problems.append("There must be at least one rater per trial.")
    if seed < 0:
        problems.append("The seed is a whole number from 0.")
    if coverage.shape != (n_items, n_systems) or strata.shape != (n_items,):
        problems.append("The coverage and the kinds of items do not fit the items and systems.")
    elif needs_outputs and not coverage.any():
        problems.append("There is no output at all.")
    if problems:
        raise DesignError(problems)
    return DesignRequest(n_items, n_systems, options, raters_per_trial, seed, coverage, strata)


def _check_fit(design_name: str, request: DesignRequest) -> None:
    """Refuse a plan for which the material or the machine is too small."""
    options, problems = request.options, []
    if design_name == "latin_square":
        groups, raters = int(options["groups"]), int(options["raters"])
        n_chunks = -(-request.n_items // int(options["chunk_size"]))
        raters_in_all = raters or groups * request.n_systems
        if groups > n_chunks:
            problems.append(f"{n_chunks} chunks of items cannot be divided into {groups} groups.")
        if raters_in_all < groups:
            problems.append(f"{raters} raters are too few for {groups} groups.")
        if raters_in_all * request.n_items // groups > MOST_TRIALS:
            problems.append(f"That makes more than {MOST_TRIALS:,} trials.")
    if design_name == "random_blocks":
        screens = int(options["screens_per_item"])
        if screens * request.n_items > MOST_TRIALS:
            problems.append(f"That makes more than {MOST_TRIALS:,} trials.")
        fewest = min(2, int(options["outputs_per_screen"]), request.n_systems)
        if (request.coverage.sum(axis=1) < fewest).all():
            problems.append("No item has two outputs to compare.")
    if problems:
        raise DesignError(problems)
