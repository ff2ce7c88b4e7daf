"""The tables of an answer, and the parts of a report that are folded below it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from analysis.report.answer import BETWEEN_RATERS, Answer, confidence_of
from analysis.report.model import CriterionReport
from analysis.report.robustness_sentences import TITLES
from analysis.sequential.section import LookPair, SequentialSection
from analysis.translatable import gettext_noop as _

from .model_tables import pairs_table
from .robustness_tables import BELONGS
from .table_model import (
    INTERVAL,
    SYSTEM,
    A,
    B,
    Cell,
    Column,
    Format,
    N,
    Role,
    Table,
    number,
    rows_of,
    whole,
)

# The parts of a criterion in their order, with their titles.
PARTS = {
    "paper": _("Standard table"),
    "claims": _("Assumptions, and what this can and cannot claim"),
    "pairs": _("All pairs of systems"),
    "agreement": _("Agreement of raters"),
    "raters": _("Raters"),
    "values": _("The answers in detail"),
    "robustness": _("How robust the answer is"),
    "other": _("Other analyses of the same judgements"),
}
PART_OF = {
    "answer-pairs": "pairs",
    "equivalence": "pairs",
    "preferences": "pairs",
    "preferences-pairs": "pairs",
    "span-agreement": "agreement",
    "span-raters": "agreement",
    "raters": "raters",
    "exclusion": "raters",
    "cannot-judge": "values",
    "cannot-judge-reasons": "values",
    "cannot-judge-raters": "raters",
    "span-kinds": "values",
    "span-kinds-by-system": "values",
    "wins": "values",
    **dict.fromkeys((*TITLES, *BELONGS), "robustness"),
}
# What the values of an answer can be, as titles for translators.
UNITS = (
    _("Mean"), _("Mean z"), _("Mean logarithm"), _("Log-odds"), _("Penalty"), _("Share of errors"),
    _("Share of wins"),
)  # fmt: skip
# Intervals that hold for all rows together; every other interval holds alone.
TOGETHER = (*("answer-pairs", "tukey", "mixed-pairs", "ordinal-pairs", "cycles", "order", "drift"),)


@dataclass(frozen=True)
class ReportPart:
    """Some of a criterion's tables, which are shown and folded together."""

    name: str
    title: str
    tables: tuple[Table, ...]


def answer_tables(answer: Answer, found: CriterionReport) -> Iterator[Table]:
    """Yield the answer's table, and every pair of the model that it is read off.

    Parameters
    ----------
    answer : of the criterion
    found : the criterion's part of the report
    """
    yield standings_table(answer, found)
    if answer.sequential is not None:
        yield look_pairs_table(answer.sequential)
    elif answer.is_claim:
        compared = [pair for pair in answer.pairs if not isinstance(pair, LookPair)]
        yield pairs_table("answer-pairs", _("The answer, pair by pair"), compared)


def look_pairs_table(section: SequentialSection) -> Table:
    """Tabulate every pair after all looks: what differs by how much, and since when.

    Parameters
    ----------
    section : with claims
    """
    return Table(
        "answer-pairs",
        _("The answer, pair by pair"),
        (
            A,
            B,
            number(_("Difference")),
            INTERVAL,
            whole(_("Told apart at look")),
            whole(_("Raters")),
        ),
        rows_of(
            (pair.a, pair.b, pair.difference, (pair.low, pair.high), pair.look, pair.raters)
            for pair in section.pairs
        ),
        notes=(f"Differences: {section.unit}, 0 where the two are alike.",),
    )


def standings_table(answer: Answer, found: CriterionReport) -> Table:
    """Tabulate the systems, best first, with intervals and ranks that hold for all together.

    Parameters
    ----------
    answer : of the criterion
    found : the criterion's part of the report
    """
    counts = {row.system: row.judgements for row in found.systems}
    if found.categories is not None:
        counts = {row.system: row.judgements for row in found.categories.rows}
    has_intervals = answer.sequential is None
    claimed = (
        *([INTERVAL] if has_intervals else []),
        Column(_("Ranks"), Format.RANGE),
        Column(_("Letters")),
    )
    unit = answer.unit[:1].upper() + answer.unit[1:]
    rows: list[tuple[Cell, ...]] = [
        (
            each.system,
            each.value,
            *(
                (
                    *(((each.low, each.high),) if has_intervals else ()),
                    (each.rank_low, each.rank_high),
                    each.letters,
                )
                if answer.is_claim
                else ()
            ),
            counts.get(each.system),
        )
        for each in answer.standings
    ]
    return Table(
        "answer",
        _("The answer"),
        (
            SYSTEM,
            number(unit, is_label=unit not in UNITS),
            *(claimed if answer.is_claim else ()),
            N,
        ),
        rows_of(rows),
        Role.ANSWER,
        notes=tuple(_notes(answer)),
    )


def _notes(answer: Answer) -> Iterator[str]:
    if answer.lower_is_better:
        yield _("Lower values are better.")
    if answer.is_claim:
        yield _about(answer)


def _about(answer: Answer) -> str:
    level = confidence_of(answer.alpha or 0.0)
    if answer.sequential is not None:
        return (
            f"{answer.method[:1].upper()}{answer.method[1:]}; ranks and letters at {level} for all "
            "looks together. Systems that share a letter were not told apart; the values only "
            "describe these judgements."
        )
    is_plain = answer.unit == "log-odds" or answer.method == BETWEEN_RATERS
    adjusted = "" if is_plain else "Means are adjusted for raters. "
    return (
        f"{answer.method[:1].upper()}{answer.method[1:]}; intervals, ranks and letters at {level}, "
        f"each for all {len(answer.standings)} systems together. {adjusted}Systems that share a "
        "letter were not told apart."
    )


def parts_of(tables: Sequence[Table]) -> tuple[ReportPart, ...]:
    """Sort a criterion's tables into the parts that are folded below its answer.

    Parameters
    ----------
    tables : of the criterion
    """
    by_part: dict[str, list[Table]] = {name: [] for name in PARTS}
    for table in tables:
        if table.role is not Role.ANSWER:
            by_part[_part_of(table)].append(table)
    return tuple(ReportPart(name, PARTS[name], tuple(found)) for name, found in by_part.items())


def _part_of(table: Table) -> str:
    if table.name in PART_OF:
        return PART_OF[table.name]
    if table.role is Role.PAPER:
        return "paper"
    return "agreement" if table.role is Role.AGREEMENT else "other"


def with_level(table: Table, alpha: float | None) -> Table:
    """Say at which level a table's intervals hold, and whether together.

    Parameters
    ----------
    table : of a criterion
    alpha : the level of the criterion's claims
    """
    has_interval = any(column.format is Format.INTERVAL for column in table.columns)
    if alpha is None or not has_interval or table.role is Role.ANSWER:
        return table
    # Of agreement always .95; of equivalence, two one-sided tests at alpha.
    at = {"agreement": 0.05, "equivalence": 2 * alpha}.get(table.name, alpha)
    together = "for all rows together" if table.name in TOGETHER else "each alone"
    return replace(table, notes=(*table.notes, f"Intervals: {confidence_of(at)}, {together}."))
