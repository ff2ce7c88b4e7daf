"""Relation generation, content selection and content ordering of RotoWire's extracted facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from analysis.csv_rows import Rows, Source, read_rows

from .score_files import Known, MetricScores, scores_from

COLUMNS = ("system", "item", "entity", "value", "type", "supported")
REFERENCE = "reference"
YES, NO = frozenset({"1", "yes", "true"}), frozenset({"0", "no", "false"})


@dataclass(frozen=True)
class Fact:
    """A relation that was extracted from a text; `supported` says that the input has it."""

    entity: str
    value: str
    type: str
    supported: bool

    def matches(self, other: Fact) -> bool:
        """Equal value and type, and one entity's name within the other's (Wiseman et al. 2017)."""
        same = self.value == other.value and self.type == other.type
        return same and (self.entity in other.entity or other.entity in self.entity)


Facts = Mapping[tuple[str, str], Sequence[Fact]]  # by system and item, in the order of the text


def read_facts(source: Source, *, known: Known | None = None) -> MetricScores:
    """Score `system,item,entity,value,type,supported`, a row for each fact in the text's order.

    Facts of the references have the system `reference`; their `supported` is not used.

    Parameters
    ----------
    source : a path or a binary file; CSV, optionally compressed with gzip
    known : a fact of another system or item is a problem; None: any may come

    Returns
    -------
    `rg-precision`, `rg-count`, `cs-precision`, `cs-recall` and `co` of systems and items.

    Raises
    ------
    TableError : with every problem and its line and column

    Source
    ------
    Wiseman, Shieber & Rush (2017), section 3.2; their script for content selection and ordering.
    """
    return facts_of_rows(read_rows(source), known=known)


def facts_of_rows(rows: Rows, *, known: Known | None = None) -> MetricScores:
    """Score facts, as `read_facts` does, from rows that are read already.

    Parameters
    ----------
    rows : of the file
    known : a fact about another system or item is a problem; None: any may come

    Raises
    ------
    TableError : with every problem and its line and column
    """
    rows.require(COLUMNS)
    found: dict[tuple[str, str], list[Fact]] = {}
    for line, row in rows:
        system, item = row["system"], row["item"]
        if empty := [name for name in COLUMNS[:5] if not row[name].strip()]:
            rows.problem(line, empty[0], "the cell is empty.")
        elif known and system != REFERENCE and system not in known.systems:
            rows.problem(line, "system", f'there is no system "{system[:40]}".')
        elif known and item not in known.items:
            rows.problem(line, "item", f'there is no item "{item[:40]}".')
        elif row["supported"].strip().lower() not in YES | NO and system != REFERENCE:
            rows.problem(line, "supported", f'"{row["supported"][:40]}" is neither 1 nor 0.')
        else:
            supported = row["supported"].strip().lower() in YES
            fact = Fact(row["entity"], row["value"], row["type"], supported)
            found.setdefault((system, item), []).append(fact)
    if not rows.problems and not any(system != REFERENCE for system, _ in found):
        rows.problem(1, "", "there are no facts of a system.")
    rows.refuse()
    return facts_scored(found)


def facts_scored(facts: Facts) -> MetricScores:
    """Compute the five measures of every system and item.

    A system's precisions and recall are over all of its facts together; its count and its ordering
    are means over items. A system that says nothing about an item of the references misses it.

    Parameters
    ----------
    facts : by system and item

    Source
    ------
    Wiseman, Shieber & Rush (2017).
    """
    unique = {place: _unique(each) for place, each in facts.items()}
    systems = sorted({system for system, _ in unique if system != REFERENCE})
    references = {item: each for (system, item), each in unique.items() if system == REFERENCE}
    cells: dict[tuple[str, str, str], float] = {}
    for system in systems:
        mine = {item: each for (name, item), each in unique.items() if name == system}
        items = sorted({*mine, *references})
        pairs = {item: (mine.get(item, []), references.get(item)) for item in items}
        for name, measure in MEASURES.items():
            whole = measure(list(pairs.values()))
            each = {item: measure([pair]) for item, pair in pairs.items()}
            cells |= {
                (name, system, item): value for item, value in each.items() if value is not None
            }
            if whole is not None:
                cells[name, system, ""] = whole
    return scores_from(cells)


def _unique(facts: Sequence[Fact]) -> list[Fact]:
    """Without those that repeat an earlier one."""
    kept: list[Fact] = []
    for fact in facts:
        if not any(fact.matches(other) for other in kept):
            kept.append(fact)
    return kept


Pair = tuple[list[Fact], list[Fact] | None]  # facts of the output, and of the reference if any


def _rg_precision(pairs: Sequence[Pair]) -> float | None:
    said = [fact for mine, _ in pairs for fact in mine]
    return sum(fact.supported for fact in said) / len(said) if said else None


def _rg_count(pairs: Sequence[Pair]) -> float | None:
    return sum(fact.supported for mine, _ in pairs for fact in mine) / len(pairs)


def _hits(pairs: Sequence[Pair]) -> tuple[int, int, int]:
    """Facts that the reference has too, all facts, and the reference's facts."""
    known = [(mine, theirs) for mine, theirs in pairs if theirs is not None]
    hits = sum(
        any(fact.matches(other) for other in theirs) for mine, theirs in known for fact in mine
    )
    return hits, sum(len(mine) for mine, _ in known), sum(len(theirs) for _, theirs in known)


def _cs_precision(pairs: Sequence[Pair]) -> float | None:
    hits, said, _ = _hits(pairs)
    return hits / said if said else None


def _cs_recall(pairs: Sequence[Pair]) -> float | None:
    hits, _, wanted = _hits(pairs)
    return hits / wanted if wanted else None


def _ordering(pairs: Sequence[Pair]) -> float | None:
    values = [_alike(mine, theirs) for mine, theirs in pairs if theirs is not None]
    return sum(values) / len(values) if values else None


def _alike(mine: Sequence[Fact], theirs: Sequence[Fact]) -> float:
    """1 − the normalised distance of the two sequences."""
    if not mine and not theirs:
        return 1.0
    place = [
        next((n for n, other in enumerate(theirs) if fact.matches(other)), len(theirs) + number)
        for number, fact in enumerate(mine)
    ]
    distance = damerau_levenshtein(place, list(range(len(theirs))))
    return 1 - distance / max(len(mine), len(theirs))


def damerau_levenshtein(first: Sequence[int], second: Sequence[int]) -> int:
    """Insertions, deletions, substitutions and swaps of neighbours, which nothing splits later.

    Parameters
    ----------
    first, second : sequences of symbols

    Returns
    -------
    The least number of such steps (the optimal string alignment distance; Brill & Moore 2000).
    """
    rows = [list(range(len(second) + 1))]
    for row, symbol in enumerate(first, start=1):
        now = [row]
        for column, other in enumerate(second, start=1):
            steps = [
                rows[row - 1][column] + 1,
                now[-1] + 1,
                rows[row - 1][column - 1] + (symbol != other),
            ]
            swapped = row > 1 and column > 1 and symbol == second[column - 2]
            if swapped and first[row - 2] == other:
                steps.append(rows[row - 2][column - 2] + 1)
            now.append(min(steps))
        rows.append(now)
    return rows[-1][-1]


MEASURES: Mapping[str, Callable[[Sequence[Pair]], float | None]] = {
    "rg-precision": _rg_precision,
    "rg-count": _rg_count,
    "cs-precision": _cs_precision,
    "cs-recall": _cs_recall,
    "co": _ordering,
}
