"""All tables of a report, criterion by criterion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from analysis.reliability.coefficients import Coefficient
from analysis.reliability.rater_profiles import RaterProfile
from analysis.report.answer import Answer, answers_of
from analysis.report.category_section import CategorySection
from analysis.report.declined import declined_tables
from analysis.report.model import CriterionReport, RankChange, Report
from analysis.report.robustness_sentences import TITLES
from analysis.report.sentences import stated
from analysis.scales.correlations import Correlation
from analysis.translatable import gettext_noop as _

from .answer_tables import ReportPart, answer_tables, parts_of, with_level
from .effect_tables import effect_tables
from .metric_tables import metric_tables
from .ranking_tables import ranking_tables
from .robustness_tables import Finding, findings_of, robustness_tables
from .scale_tables import overview_table, scale_tables
from .span_tables import agreement_note, span_tables
from .table_model import (
    INTERVAL,
    SYSTEM,
    A,
    B,
    Cell,
    Column,
    Format,
    N,
    P,
    Role,
    Table,
    file_names,
    filed,
    number,
    rows_of,
    whole,
)


def _category_table(section: CategorySection) -> Table:
    """Percentages by system (Dušek, Novikova & Rieser 2020, Table 12)."""
    test = section.test
    note = section.reason
    if test:
        note = f"{test.test}({test.df}) = {test.statistic:.2f}, {stated(test.p)}"
    labels = (number(f"{label} %", 1, is_label=True) for label in section.labels)
    return Table(
        "categories",
        _("Percentages by system"),
        (SYSTEM, *labels, N),
        rows_of((row.system, *row.percent, row.judgements) for row in section.rows),
        Role.PAPER,
        notes=(note,) if note else (),
    )


def _exclusion_table(changes: Sequence[RankChange]) -> Table:
    """Return each system's rank with and without the raters who were excluded."""
    return Table(
        "exclusion",
        _("Ranks before and after raters were excluded"),
        (SYSTEM, whole(_("Before")), whole(_("After"))),
        rows_of((row.system, row.rank_before, row.rank_after) for row in changes),
        Role.HONEST,
    )


def agreement_table(coefficients: Sequence[Coefficient]) -> Table:
    """Coefficients of agreement; one without a value has its reason."""
    return Table(
        "agreement",
        _("Agreement of raters"),
        (
            Column(_("Coefficient")),
            number(_("Value")),
            INTERVAL,
            N,
            Column(_("Not available because")),
        ),
        rows_of(
            (each.name, each.value, (each.low, each.high), each.units or None, each.reason)
            for each in coefficients
        ),
        Role.AGREEMENT,
    )


def raters_table(raters: Sequence[RaterProfile], *, is_category: bool = False) -> Table:
    """Tabulate the raters' profiles on one criterion, without columns in which nothing is known.

    Categories have no order, and so neither a range nor ties.
    """
    columns: list[tuple[Column, list[Cell]]] = [
        (Column(_("Rater")), [each.rater for each in raters]),
        (whole(_("Judgements")), [each.judgements for each in raters]),
        (number(_("Agreement"), 2), [each.agreement for each in raters]),
        (number(_("Seconds per screen"), 1), [each.seconds_per_screen for each in raters]),
    ]
    if not is_category:
        columns += [
            (number(_("Ties"), 2), [each.ties for each in raters]),
            (Column(_("Range"), Format.RANGE, 1), [(each.lowest, each.highest) for each in raters]),
            (number(_("Bias"), 2), [each.bias for each in raters]),
            (number(_("Inconsistency"), 2), [each.inconsistency for each in raters]),
        ]
    known = [each for each in columns if any(cell is not None for cell in each[1])]
    return Table(
        "raters",
        _("Raters"),
        tuple(column for column, _cells in known),
        rows_of(zip(*(cells for _column, cells in known), strict=True)),
        notes=() if is_category else _about_errors(raters),
    )


def _about_errors(raters: Sequence[RaterProfile]) -> tuple[str, ...]:
    """Explain the last two columns, or say why they are not there."""
    if reasons := {each.errors_reason for each in raters if each.errors_reason}:
        return tuple(sorted(reasons))
    if all(each.bias is None for each in raters):  # a report that was made before they existed
        return ()
    return (
        _(
            "Bias: how much higher the rater's values are than the average rater's on the same "
            "outputs. Inconsistency: the SD of what is left (after ITU-T P.910)."
        ),
    )


def correlation_table(found: Sequence[Correlation]) -> Table | None:
    """Correlations between criteria, where there are several."""
    if not found:
        return None
    return Table(
        "correlations",
        _("Correlations between criteria"),
        (A, B, Column(_("Method")), Column(_("Level")), number("r"), P, N),
        rows_of(
            (each.a, each.b, each.method, each.level, each.value, each.p, each.n) for each in found
        ),
        file="tables/correlations",
    )


@dataclass(frozen=True)
class CriterionTables:
    """One criterion's answer and tables, and the reasons of methods that have none."""

    name: str
    kind: str
    facts: tuple[tuple[str, str], ...]
    answer: Answer
    tables: tuple[Table, ...]
    parts: tuple[ReportPart, ...]
    undefined: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]

    def of(self, role: Role) -> list[Table]:
        """Return the tables of one role."""
        return [table for table in self.tables if table.role is role]

    @property
    def answered(self) -> Table:
        """The table of the answer."""
        return self.of(Role.ANSWER)[0]

    @property
    def paper(self) -> list[Table]:
        return self.of(Role.PAPER)

    @property
    def honest(self) -> list[Table]:
        return self.of(Role.HONEST)


def all_tables(
    report: Report, declined: Mapping[str, Any] | None = None
) -> list[tuple[str, tuple[Table, ...]]]:
    """Return every table of a report under a heading: its pages show these and no others.

    Parameters
    ----------
    report : from `make_report`
    declined : numbers of answers of raters who could not judge (see `analysis.report.declined`)
    """
    between = (overview_table(report), correlation_table(report.correlations))
    metrics = metrics_of(report)
    headed = [("All criteria", tuple(table for table in between if table))]
    for found in tables_of(report, declined=declined):
        headed.append((found.name, found.tables))
        headed.append((f"{found.name}: metrics", metrics.get(found.name, ())))
    return [(heading, tables) for heading, tables in headed if tables]


def metrics_of(report: Report) -> dict[str, tuple[Table, ...]]:
    """Return the tables about metrics by criterion.

    Parameters
    ----------
    report : from `make_report`
    """
    folders = folders_of(report)
    return {
        section.criterion: filed(f"{folders[section.criterion]}/metrics/", metric_tables(section))
        for section in report.metrics
    }


def folders_of(report: Report) -> dict[str, str]:
    """Return the name that each criterion has in names of files.

    Parameters
    ----------
    report : from `make_report`
    """
    criteria = [found.criterion for found in report.criteria]
    return dict(zip(criteria, file_names(criteria), strict=True))


def tables_of(
    report: Report,
    timed_out: Mapping[str, int] | None = None,
    declined: Mapping[str, Any] | None = None,
) -> list[CriterionTables]:
    """Return all tables of a report by criterion, the primary one first.

    `timed_out` counts answers that came too late, and `declined` those of raters who could not
    judge (see `analysis.report.declined`).
    """
    late, missing = timed_out or {}, declined or {}
    return [
        _criterion(
            report.criterion(answer.criterion),
            answer,
            report,
            late.get(answer.criterion, 0),
            missing.get(answer.criterion, {}),
        )
        for answer in answers_of(report)
    ]


# Titles of methods that can be without a result.
METHODS = {
    **TITLES,
    "anova": _("Analysis of variance"),
    "blocks": _("Means of blocks"),
    "clustered": _("Least squares with errors clustered by rater and item"),
    "dunn": _("Pairs of the test on ranks"),
    "equivalence": _("Equivalence"),
    "friedman": _("Friedman's test"),
    "generalisability": _("What the scores vary with"),
    "kruskal": _("Kruskal–Wallis test"),
    "logarithm": _("Logarithms of the values"),
    "mixed": _("Mixed model without tastes"),
    "mixed_full": _("Mixed model with tastes"),
    "ordinal": _("Ordinal mixed model"),
    "rater_tests": _("Exact tests over raters"),
    "welch": _("Welch's test"),
    "wilcoxon": _("Wilcoxon's signed ranks"),
}


def _criterion(
    found: CriterionReport,
    answer: Answer,
    report: Report,
    timed_out: int,
    declined: Mapping[str, Any],
) -> CriterionTables:
    sections = [found.ranking, found.scale, found.effects, found.robustness, found.spans]
    undefined = {
        METHODS.get(method, method): reason
        for section in sections
        if section
        for method, reason in section.undefined.items()
    }
    answer = _with_missing(answer, declined)
    made = (
        *answer_tables(answer, found),
        *_tables(found, report),
        *declined_tables(declined),
    )
    folder = folders_of(report)[found.criterion]
    tables = filed(f"{folder}/", (with_level(table, found.alpha) for table in made))
    return CriterionTables(
        name=found.criterion,
        kind=found.kind,
        facts=tuple(_facts(found, timed_out)),
        answer=answer,
        tables=tables,
        parts=parts_of(tables),
        undefined=tuple(undefined.items()),
        sentences=found.sentences,
        findings=findings_of(tables),
    )


def _with_missing(answer: Answer, declined: Mapping[str, Any]) -> Answer:
    """Say next to the answer that raters could not judge some outputs."""
    missing = sum(row[2] for row in declined.get("systems", ()))
    if not missing:
        return answer
    said = (
        f"{missing:,} answers are missing because raters could not judge; if these are the worst "
        "or the best outputs, the order may be another."
    )
    return replace(answer, details=(*answer.details, said))


def _facts(found: CriterionReport, timed_out: int) -> Iterator[tuple[str, str]]:
    yield _("Judgements"), f"{found.judgements:,}"
    yield _("Raters"), f"{found.raters:,}"
    yield _("Items"), f"{found.items:,}"
    yield _("Screens"), f"{found.screens:,}"
    if timed_out:
        yield _("Excluded because time ran out"), f"{timed_out:,}"
    if found.outliers:
        yield _("Outliers"), f"{found.outliers.treated:,} ({found.outliers.sentence})"


def _tables(found: CriterionReport, report: Report) -> Iterator[Table]:
    if found.ranking:
        schemes = report.options.get("resample", ())
        yield from ranking_tables(found.ranking, schemes, found.systems)
    if found.categories:
        yield _category_table(found.categories)
    if found.spans:
        yield from span_tables(found.spans)
        marks = agreement_table(found.spans.agreement.coefficients)
        yield replace(
            marks,
            name="span-agreement",
            caption=_("Agreement of raters about marks"),
            notes=(agreement_note(found.spans.agreement), *found.spans.agreement.notes),
        )
    if found.scale:
        yield from scale_tables(found, found.scale)
    if found.effects:
        yield from effect_tables(found.effects)
    if found.robustness and found.alpha is not None:
        generality = report.options.get("generality", "both")
        yield from robustness_tables(found.robustness, generality, found.alpha)
    if found.exclusion:
        yield _exclusion_table(found.exclusion)
    yield agreement_table(found.agreement)
    mine = [rater for rater in report.raters if rater.criterion == found.criterion]
    if mine:
        yield raters_table(mine, is_category=found.categories is not None)
