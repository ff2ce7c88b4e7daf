"""An organiser's own plan: a table that says which outputs each batch shows, and in which order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from analysis.translatable import gettext_noop as _
from rankme.designs.design import Design, Option
from rankme.designs.plan import NO_SYSTEM, DesignRequest, Layout

TABLE = "table"
MOST_SIGNS = 1_000_000
MOST_PROBLEMS = 20
COLUMNS = ("batch", "item", "system")
SCREEN = "screen"
EMPTY = "Paste the plan: a table with the columns batch, item and system, one row for each output."
WITH_DOCUMENTS = "A plan of your own cannot be used with documents: it would cut them."
NO_GROWTH = "A plan of your own cannot be extended: create a new campaign with another table."


@dataclass
class Trial:
    """The outputs of an item that a row's screen shows side by side."""

    item: int
    systems: list[int] = field(default_factory=list)


@dataclass
class OwnPlan:
    """The trials of each batch in the order of the table, and what is wrong with its rows."""

    batches: dict[str, dict[tuple[str, str], Trial]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_plan(request: DesignRequest) -> OwnPlan:
    """Read the table of a request; rows of one batch, item and `screen` make one screen."""
    plan = OwnPlan()
    items = {name: index for index, name in enumerate(request.item_names)}
    systems = {name: index for index, name in enumerate(request.system_names)}
    for line, row in _rows(str(request.options[TABLE]), plan.problems):
        if len(plan.problems) >= MOST_PROBLEMS:
            break
        item, system = items.get(row["item"]), systems.get(row["system"])
        if item is None:
            plan.problems.append(f"Line {line}: there is no item “{row['item']}”.")
        elif system is None:
            plan.problems.append(f"Line {line}: there is no system “{row['system']}”.")
        elif not request.coverage[item, system]:
            plan.problems.append(f"Line {line}: “{row['system']}” has no output for this item.")
        else:
            screens = plan.batches.setdefault(row["batch"], {})
            trial = screens.setdefault((row["item"], row[SCREEN]), Trial(item))
            if system in trial.systems:
                plan.problems.append(
                    f"Line {line}: this screen shows the output already. To show it again in this "
                    f"batch, give the two another “{SCREEN}” each."
                )
            trial.systems.append(system)
    return plan


def _rows(text: str, problems: list[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows of the table with their lines; say what is wrong with its form."""
    first = text.lstrip().split("\n", 1)[0]
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text.strip()), delimiter=delimiter)
    try:
        header = [name.strip().lower() for name in next(reader, [])]
        if missing := [name for name in COLUMNS if name not in header]:
            problems.append(f"{EMPTY} Missing: {', '.join(missing)}.")
            return
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(header):
                problems.append(f"Line {reader.line_num}: the row has not as many cells as line 1.")
                return
            row = dict(zip(header, (cell.strip() for cell in cells), strict=True))
            yield reader.line_num, {SCREEN: ""} | row
    except csv.Error as error:
        problems.append(f"Line {reader.line_num}: {error}.")


def check_own_plan(request: DesignRequest) -> Sequence[str]:
    """Say why the table cannot be the plan, row by row."""
    if not str(request.options[TABLE]).strip():
        return [EMPTY]
    if len(request.item_names) != request.n_items:
        return [WITH_DOCUMENTS]
    plan = read_plan(request)
    if not plan.problems and not plan.batches:
        return [EMPTY]
    return plan.problems


def draw_own_plan(request: DesignRequest) -> Layout:
    """Show what the table says, batch by batch."""
    batches = [list(screens.values()) for screens in read_plan(request).batches.values()]
    trials = [trial for batch in batches for trial in batch]
    systems = np.full((len(trials), max(len(each.systems) for each in trials)), NO_SYSTEM)
    for row, trial in enumerate(trials):
        systems[row, : len(trial.systems)] = trial.systems
    unseen = int(request.coverage.sum()) - len(
        {(trial.item, system) for trial in trials for system in trial.systems}
    )
    return Layout(
        np.array([trial.item for trial in trials], dtype=np.int64),
        systems.astype(np.int64),
        np.array([len(batch) for batch in batches], dtype=np.int64),
        (f"{unseen} outputs are in no batch of your plan.",) if unseen else (),
    )


DESIGN = Design(
    title=_("A plan of my own"),
    help=_("A table says which outputs each batch shows, for example one system to each rater."),
    check=check_own_plan,
    draw=draw_own_plan,
    check_growth=lambda _growth: [NO_GROWTH],
    options=(
        Option(
            TABLE,
            str,
            "",
            title=_("Table"),
            maximum=MOST_SIGNS,
            help=_(
                "CSV with the columns batch, item and system, one row for each output. Outputs of "
                "one item in one batch are shown together, unless a column screen tells them apart."
            ),
        ),
    ),
)
