"""Repeated Latin squares: each rater sees each item once and each system equally often."""

from __future__ import annotations

import numpy as np

from analysis.translatable import gettext_noop as _
from rankme.designs.design import MOST_TRIALS, TOO_MANY_TRIALS, Design, Option
from rankme.designs.growth import Growth
from rankme.designs.plan import DesignRequest, Indexes, Layout


def draw_latin_squares(request: DesignRequest) -> Layout:
    """Lay squares of systems × systems over the items; a rater is a row, an item a column.

    The items are cut into `groups` (the half-sets of TUNA 2008 and of SR'11-Deep), each for its
    own raters. Where the items of a group do not fill its last square, the square is cut to a
    rectangle, or filled with duplicated items as TUNA 2008 did (112 items + 8 = ten squares of 12).
    """
    rng = np.random.default_rng([request.seed, request.n_items, request.n_systems])
    groups = _group_items(request, rng)
    notes = _notes_on_groups(request, groups)
    if request.options["duplicate_items"]:
        groups, duplicated = _fill_squares(groups, request, rng)
        notes += _notes_on_duplicates(duplicated, len(groups))
    raters = _raters_per_group(request)
    tables = [
        _draw_table(len(items), request.n_systems, n_raters, rng)
        for items, n_raters in zip(groups, raters, strict=True)
    ]
    notes += _notes_on_squares(request, groups, raters)
    return _lay_out(groups, tables, request, notes)


def _raters_per_group(request: DesignRequest) -> list[int]:
    n_groups = int(request.options["groups"])
    raters = int(request.options["raters"]) or n_groups * request.n_systems
    return [raters // n_groups + (group < raters % n_groups) for group in range(n_groups)]


def _group_items(request: DesignRequest, rng: np.random.Generator) -> list[Indexes]:
    """Deal the chunks of consecutive items to the groups, each stratum evenly."""
    chunk_size = int(request.options["chunk_size"])
    n_groups = int(request.options["groups"])
    items = np.arange(request.n_items)
    chunks = [items[start : start + chunk_size] for start in range(0, len(items), chunk_size)]
    shuffled = rng.permutation(len(chunks))
    strata = request.strata[::chunk_size][shuffled]
    dealt = shuffled[np.argsort(strata, kind="stable")]
    groups = [
        np.concatenate([chunks[chunk] for chunk in dealt[g::n_groups]]) for g in range(n_groups)
    ]
    return [_by_stratum(group, request, rng) for group in groups]


def _by_stratum(items: Indexes, request: DesignRequest, rng: np.random.Generator) -> Indexes:
    """Put items of a stratum next to each other, so that they share squares and get all systems."""
    shuffled = rng.permutation(items)
    return shuffled[np.argsort(request.strata[shuffled], kind="stable")]


def _fill_squares(
    groups: list[Indexes], request: DesignRequest, rng: np.random.Generator
) -> tuple[list[Indexes], int]:
    """Add items to each group until its squares are full; from other groups where there are any."""
    filled = []
    for group in groups:
        wanted = -len(group) % request.n_systems
        others = np.setdiff1d(np.arange(request.n_items), group) if len(groups) > 1 else group
        extra = _pick_across_strata(others, request.strata, wanted, rng)
        filled.append(_by_stratum(np.concatenate([group, extra]), request, rng))
    return filled, sum(map(len, filled)) - sum(map(len, groups))


def _pick_across_strata(
    items: Indexes, strata: Indexes, wanted: int, rng: np.random.Generator
) -> Indexes:
    """Take `wanted` of the items at random, as many of each stratum as possible."""
    shuffled = rng.permutation(items)
    turn = np.empty(len(shuffled), dtype=np.int64)
    for stratum in np.unique(strata[shuffled]):
        of_stratum = strata[shuffled] == stratum
        turn[of_stratum] = np.arange(np.count_nonzero(of_stratum))
    return shuffled[np.argsort(turn, kind="stable")][:wanted]


def _draw_table(n_items: int, n_systems: int, n_raters: int, rng: np.random.Generator) -> Indexes:
    """Shape (raters, items): the system that each rater sees of each item.

    Every further cycle of `n_systems` raters has its own squares.
    """
    n_cycles = -(-n_raters // n_systems)
    cycles = [_draw_squares(n_items, n_systems, rng) for _cycle in range(n_cycles)]
    return np.concatenate(cycles)[:n_raters]


def _draw_squares(n_items: int, n_systems: int, rng: np.random.Generator) -> Indexes:
    """Shape (systems, items): cyclic squares side by side, rows, columns and symbols shuffled."""
    n_squares = -(-n_items // n_systems)

    def permutations() -> Indexes:
        return rng.random((n_squares, n_systems)).argsort(axis=1)

    cells = (permutations()[:, :, None] + permutations()[:, None, :]) % n_systems
    squares = permutations()[np.arange(n_squares)[:, None, None], cells]
    rows: Indexes = squares.transpose(1, 0, 2).reshape(n_systems, -1)
    return rows[:, :n_items]


def _lay_out(
    groups: list[Indexes], tables: list[Indexes], request: DesignRequest, notes: list[str]
) -> Layout:
    """One batch per rater; the groups take turns, so that a campaign cut short is still even."""
    items, systems, sizes = [], [], []
    n_missing = 0
    for rater in range(max(map(len, tables))):
        for group, table in zip(groups, tables, strict=True):
            if rater >= len(table):
                continue
            has_output = request.coverage[group, table[rater]]
            n_missing += int(np.count_nonzero(~has_output))
            items.append(group[has_output])
            systems.append(table[rater][has_output])
            sizes.append(np.count_nonzero(has_output))
    if n_missing:
        notes.append(
            f"{n_missing} trials are left out, because the system has no output for the item."
        )
    batch_sizes = np.array([size for size in sizes if size], dtype=np.int64)
    return Layout(
        np.concatenate(items), np.concatenate(systems)[:, None], batch_sizes, tuple(notes)
    )


def _notes_on_groups(request: DesignRequest, groups: list[Indexes]) -> list[str]:
    sizes = sorted({len(group) for group in groups})
    if len(sizes) == 1:
        return []
    return [f"The groups are of unequal size: {sizes[0]} to {sizes[-1]} items."]


def _notes_on_duplicates(duplicated: int, n_groups: int) -> list[str]:
    if not duplicated:
        return []
    where = "in the same batch" if n_groups == 1 else "for raters of another group"
    return [f"{duplicated} items are duplicated to fill the squares; they appear again {where}."]


def _notes_on_squares(
    request: DesignRequest, groups: list[Indexes], raters: list[int]
) -> list[str]:
    n_systems = request.n_systems
    notes = []
    if any(len(group) % n_systems for group in groups):
        notes.append(
            f"{n_systems} systems do not divide the items of every group evenly: "
            "a rater sees some systems once more than others."
        )
    if any(n_raters % n_systems for n_raters in raters):
        notes.append(
            f"The raters of a group are not a multiple of {n_systems} systems: "
            "not every output is judged equally often."
        )
    return notes


def _problems(request: DesignRequest) -> list[str]:
    """Why the items cannot be divided like this, or for how many raters that would be too much."""
    groups, raters = int(request.options["groups"]), int(request.options["raters"])
    n_chunks = -(-request.n_items // int(request.options["chunk_size"]))
    raters_in_all = raters or groups * request.n_systems
    problems = []
    if groups > n_chunks:
        problems.append(f"{n_chunks} chunks of items cannot be divided into {groups} groups.")
    if raters_in_all < groups:
        problems.append(f"{raters} raters are too few for {groups} groups.")
    if raters_in_all * request.n_items // groups > MOST_TRIALS:
        problems.append(TOO_MANY_TRIALS)
    return problems


def _growth_problems(growth: Growth) -> list[str]:
    """Only whole squares of new items keep every rater's share of the systems even."""
    request = growth.for_new_items
    side = growth.request.n_systems * int(request.options["groups"])
    if growth.new_systems:
        return [
            "A Latin square shows each rater every system equally often. A square of "
            f"{growth.old_systems} systems cannot take another one: create a new campaign for it."
        ]
    problems = list(_problems(request))
    if growth.new_items % side and not request.options["duplicate_items"]:
        problems.append(
            f"{growth.new_items} new items do not fill whole squares: add a multiple of {side} "
            "(the systems times the groups)."
        )
    elif not problems and not request.options["duplicate_items"]:
        rng = np.random.default_rng([request.seed, request.n_items, request.n_systems])
        if any(len(group) % request.n_systems for group in _group_items(request, rng)):
            problems.append(
                "The new items cannot be divided into groups of whole squares, because chunks of "
                "items stay together."
            )
    if not request.is_complete:
        missing = int(np.count_nonzero(~request.coverage))
        problems.append(
            f"A whole square needs every output: {missing} of the new items' are not there."
        )
    return problems


DESIGN = Design(
    title=_("Repeated Latin squares"),
    help=_("One output per screen. Each rater sees each item once and each system equally often."),
    check=_problems,
    draw=draw_latin_squares,
    check_growth=_growth_problems,
    options=(
        Option(
            "groups",
            int,
            1,
            title=_("Groups"),
            minimum=1,
            maximum=100_000,
            help=_(
                "Parts into which the items are divided, each with its own raters. "
                "Each rater judges the items of one part. 2 gives half-sets."
            ),
        ),
        Option(
            "raters",
            int,
            0,
            title=_("Raters"),
            help=_(
                "Total number of raters, divided among the groups. "
                "0: one per system in each group, so that every output is judged once."
            ),
        ),
        Option(
            "duplicate_items",
            bool,
            False,
            title=_("Duplicate items"),
            help=_("Fill up the last square of each group with duplicate items."),
        ),
        Option(
            "chunk_size",
            int,
            1,
            title=_("Chunk size"),
            minimum=1,
            maximum=10_000,
            help=_("Number of consecutive items that belong to one text and stay in one group."),
        ),
    ),
)
