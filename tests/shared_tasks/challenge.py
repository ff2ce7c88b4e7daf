"""A task of 21 teams: with the outputs of the E2E challenge where they are, else made-up ones."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tests.analysis.published import ORACLE_DATA

E2E = ORACLE_DATA / "e2e-eval/system_outputs/primary"
TEAMS, ITEMS = 21, 4
CORRECTED = "Another last line."


@dataclass(frozen=True)
class Entry:
    """What a team submits: a line for each source."""

    name: str
    outputs: tuple[str, ...]

    @property
    def file(self) -> bytes:
        return "".join(f"{line}\n" for line in self.outputs).encode()

    @property
    def corrected(self) -> bytes:
        """The file that the team sends a moment later."""
        return replace(self, outputs=(*self.outputs[:-1], CORRECTED)).file


def e2e_entries() -> list[Entry]:
    return [Entry(file.stem, tuple(_column(file, 1))) for file in sorted(E2E.glob("*.tsv"))]


def entries() -> list[Entry]:
    """The 21 submissions, in the order of the teams' names."""
    if found := e2e_entries():
        assert len(found) == TEAMS
        return found
    return [
        Entry(f"made-up-{team:02}", tuple(_sentence(team, item) for item in range(ITEMS)))
        for team in range(TEAMS)
    ]


def sources() -> bytes:
    """The items as a table to upload, with inputs and references."""
    files = sorted(E2E.glob("*.tsv"))
    inputs = list(_column(files[0], 0)) if files else [f"name[Place {n}]" for n in range(ITEMS)]
    table = io.StringIO()
    lines = csv.writer(table)
    lines.writerow(["item", "input", "reference"])
    lines.writerows(
        (f"item-{n}", given, f"This is place {n}.") for n, given in enumerate(inputs, 1)
    )
    return table.getvalue().encode()


def _column(file, place: int) -> Iterator[str]:
    """The first rows of a submission, without its header."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        rows = [row for row in csv.reader(opened, delimiter="\t") if row[1:]]
    yield from (row[place] for row in rows[1 : ITEMS + 1])


def _sentence(team: int, item: int) -> str:
    dishes = ("soup", "fish", "pasta", "salad", "rice", "bread", "cheese")
    return f"Place {item} is number {team} of the places that serve {dishes[team % 7]}."
