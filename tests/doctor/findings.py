"""What was read from a table of ratings, for comparison; the doctor reads it in the same way."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from rankme.doctor.examination import reading_of
from rankme.importing import read_judgement_material


@dataclass(frozen=True)
class Found:
    """`sizes` are judgements, raters, items, systems and criteria; `means` by criterion, system."""

    sizes: tuple[int, ...]
    means: dict[str, dict[str, float]]
    notes: str


def found_in(path: Path, columns: str = "") -> Found:
    with read_judgement_material(path, reading=reading_of(columns)) as material:
        rows, notes = list(material.judgements()), " ".join(material.preview.notes)
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        values[row.criterion][row.system].append(row.value)
    names = ("rater", "item_key", "system", "criterion")
    return Found(
        (len(rows), *(len({getattr(row, name) for row in rows}) for name in names)),
        {
            criterion: {system: fmean(given) for system, given in systems.items()}
            for criterion, systems in values.items()
        },
        notes,
    )
