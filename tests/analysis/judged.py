"""Made-up judgements for the tests of rankings."""

from pathlib import Path
from typing import Any

import numpy as np

from analysis import JudgementTable, write_table

NAMES = ("rater", "item", "system", "criterion", "value", "screen")


def from_rows(rows: list[tuple], *factors: str, **columns: list) -> JudgementTable:
    """A table of rows (rater, item, system, criterion, value, screen, factors…)."""
    cells = zip(*rows, strict=True)
    return JudgementTable.from_columns(
        {**dict(zip((*NAMES, *factors), map(list, cells), strict=True)), **columns}
    )


def stored(table: JudgementTable, path: Path) -> str:
    """The name of a file with these judgements."""
    with path.open("wb") as file:
        write_table(table, file)
    return str(path)


def table_of_screens(screens: list[dict[str, Any]]) -> JudgementTable:
    """A table out of {"rater", "item", "values": {system: value}}, one screen each."""
    return from_rows(
        [
            (screen["rater"], screen["item"], system, "quality", value, f"screen{number}")
            for number, screen in enumerate(screens)
            for system, value in screen["values"].items()
        ]
    )


def simulated(
    seed: int = 0,
    *,
    systems: int = 5,
    screens: int = 120,
    shown: int = 3,
    raters: int = 8,
    taste: float = 0,
) -> JudgementTable:
    """Screens of some systems whose quality falls from the first to the last; ties happen.

    With `taste`, raters and items have their own likings of systems, with that spread.
    """
    rng = np.random.default_rng(seed)
    liking, fitting = (
        taste * rng.normal(size=(raters, systems)),
        taste * rng.normal(size=(17, systems)),
    )
    made = []
    for number in range(screens):
        which = rng.choice(systems, size=shown, replace=False)
        leaning = liking[number % raters, which] + fitting[number % 17, which]
        values = np.round(2 * (rng.normal(size=shown) + leaning - which / systems))
        made.append(
            {
                "rater": f"rater{number % raters}",
                "item": f"item{number % 17}",
                "values": {f"system{k}": v for k, v in zip(which, values, strict=True)},
            }
        )
    return table_of_screens(made)


def with_systems_renamed(table: JudgementTable, names: dict[str, str]) -> JudgementTable:
    return rebuilt(table, system=[names[label] for label in labels(table, "system")])


def labels(table: JudgementTable, name: str) -> list[str]:
    column = getattr(table, name)
    return [column.labels[code] for code in column.codes]


def rebuilt(table: JudgementTable, **changed: Any) -> JudgementTable:
    """The same judgements with some columns changed."""
    names = ("rater", "item", "system", "criterion", "screen")
    columns: dict[str, Any] = {name: labels(table, name) for name in names}
    return JudgementTable.from_columns({**columns, "value": table.value, **changed})
