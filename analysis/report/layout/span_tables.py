"""Tables of marked errors: scores of systems, kinds of errors, and what raters have in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from analysis.report.span_section import SpanSection
from analysis.spans.agreement import RaterPair, SpanAgreement
from analysis.spans.scoring import KindCount, SystemScore
from analysis.translatable import gettext_noop as _

from .ranking_tables import ranking_table
from .table_model import INTERVAL, SYSTEM, Column, Format, Role, Table, number, rows_of, whole


def span_tables(section: SpanSection) -> Iterator[Table]:
    """Lay out one criterion's marks as tables, except the coefficients of agreement."""
    notes = (f"Weights of errors: {section.weights}", *section.notes)
    yield replace(systems_table(section.systems), name="span-scores", role=Role.PAPER, notes=notes)
    if section.ranking is not None:
        ranking = ranking_table(section.ranking, "none")
        caption = _("Clusters by penalty: systems that one rater judged for the same item")
        yield replace(ranking, name="span-clusters", caption=caption)
    yield replace(kinds_table(all_kinds(section.kinds)), name="span-kinds", role=Role.HONEST)
    rows = [asdict(kind) for kind in section.kinds]
    yield replace(kinds_table(rows, by_system=True), name="span-kinds-by-system")
    yield replace(pairs_of_raters(section.agreement.raters), name="span-raters")


def agreement_note(found: SpanAgreement) -> str:
    """Count the pairs of raters behind the coefficients, and those without any mark."""
    return (
        f"Two raters judged the same output {found.pairs:,} times ({found.outputs:,} outputs): "
        f"neither marked a character in {found.both_empty:,}, one of them did in "
        f"{found.one_empty:,}. F1 is pooled over all of them; intervals draw whole items."
    )


def systems_table(systems: Sequence[SystemScore]) -> Table:
    """Return the systems with their scores, best first."""
    return Table(
        "systems",
        _("Error spans: penalties (lower is better)"),
        (
            SYSTEM,
            whole(_("Segments")),
            number(_("Score")),
            INTERVAL,
            number(_("Per 100 words"), 2),
            whole(_("Marks")),
        ),
        rows_of(
            (
                each.system,
                each.segments,
                each.score,
                (each.low, each.high),
                each.per_100_words,
                each.marks,
            )
            for each in systems
        ),
    )


def kinds_table(kinds: Sequence[dict[str, Any]], *, by_system: bool = False) -> Table:
    """Tabulate the counts of each kind of error."""
    return Table(
        "kinds",
        _("Marks by system, category and severity")
        if by_system
        else _("Marks by category and severity"),
        (
            *((SYSTEM,) if by_system else ()),
            Column(_("Category")),
            Column(_("Severity")),
            whole(_("Marks")),
            number(_("Penalty"), 1),
        ),
        rows_of(
            (
                *((kind["system"],) if by_system else ()),
                kind["category"] or "–",
                kind["severity"] or "–",
                kind["marks"],
                kind["penalty"],
            )
            for kind in kinds
        ),
    )


def all_kinds(kinds: Sequence[KindCount]) -> list[dict[str, Any]]:
    """Return the kinds of all systems together, what weighs most first."""
    sums: dict[tuple[str, str], dict[str, Any]] = {}
    for kind in kinds:
        key = (kind.category, kind.severity)
        row = sums.setdefault(
            key,
            {"category": kind.category, "severity": kind.severity, "marks": 0, "penalty": 0.0},
        )
        row["marks"] += kind.marks
        row["penalty"] += kind.penalty
    order = sorted(sums, key=lambda key: (-sums[key]["penalty"], -sums[key]["marks"], *key))
    return [sums[key] for key in order]


def pairs_of_raters(pairs: Sequence[RaterPair]) -> Table:
    """Tabulate the overlap of each two raters; the second is the reference."""
    shares = (_("Precision"), _("Recall"), "F1")
    of_characters = (*shares, _("weighted"))
    return Table(
        "raters",
        _("Each two raters"),
        (
            Column(_("Rater")),
            Column(_("Reference")),
            whole(_("Outputs")),
            *(Column(title, Format.NUMBER, 3, _("Characters")) for title in of_characters),
            *(Column(title, Format.NUMBER, 3, _("Marks")) for title in shares),
        ),
        rows_of(
            (
                pair.first,
                pair.second,
                pair.outputs,
                pair.precision,
                pair.recall,
                pair.f1.value,
                pair.weighted_f1.value,
                pair.marks_precision,
                pair.marks_recall,
                pair.marks_f1.value,
            )
            for pair in pairs
        ),
    )
