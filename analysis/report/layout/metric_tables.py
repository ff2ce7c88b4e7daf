"""Tables about metrics: how close each is to people, which is closer, and rankings that use one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from analysis.meta_evaluation.against_people import MetricReport, SystemPoint
from analysis.meta_evaluation.ceiling import Ceiling
from analysis.meta_evaluation.metric_tests import MetricPair
from analysis.meta_evaluation.segment_level import SegmentLevel
from analysis.meta_evaluation.system_level import SystemLevel
from analysis.report.metric_section import MetricSection, PoweredEstimates
from analysis.translatable import gettext_noop as _

from .judge_tables import judge_tables
from .table_model import (
    INTERVAL,
    SYSTEM,
    Cell,
    Column,
    Format,
    P,
    Role,
    Table,
    interval,
    number,
    rows_of,
    whole,
)


def metric_tables(section: MetricSection) -> list[Table]:
    """Return all tables of one criterion's metrics."""
    found = list(comparison_tables(section.comparison)) if section.comparison else []
    if section.ranking:
        found.insert(1, ranking_level_table(section.ranking))
    powered = [each for each in section.powered if each.estimates]
    if powered:
        found.append(worth_table(powered))
    found += [powered_table(each) for each in powered]
    return found + list(judge_tables(section.judges))


def comparison_tables(found: MetricReport) -> Iterator[Table]:
    """Lay out the result of `metrics_against_people` as tables."""
    yield _system_table(found)
    yield _segment_table(found)
    captions = (
        ("system-tests", _("Whole systems: which metric is closer to people"), found.system_tests),
        ("segment-tests", _("Single outputs: which metric is closer"), found.segment_tests),
    )
    for name, caption, tests in captions:
        if tests:
            yield _tests_table(name, caption, tests)
    yield _ceiling_table(found)
    if found.points:
        yield _scores_table(found.points)
        yield _points_table(found.points)
    if any(each.by_system for each in found.segment_level):
        yield _by_system_table(found.segment_level)


def _reasons(rows: Sequence[SystemLevel | SegmentLevel | Ceiling]) -> tuple[str, ...]:
    """Explain missing numbers, naming the metrics of each reason."""
    about: dict[str, list[str]] = {}
    for each in rows:
        if each.reason:
            about.setdefault(each.reason, []).append(each.metric)
    return tuple(f"{', '.join(names)}: {reason}" for reason, names in about.items())


METRIC = Column(_("Metric"))
CLUSTER = whole(_("Cluster"))
OVER = {
    "systems": _("r, other systems"),
    "items": _("r, other items"),
    "raters": _("r, other raters"),
}


def _system_table(found: MetricReport) -> Table:
    intervals = (interval(title) for title in OVER.values())
    columns = (
        METRIC, CLUSTER, number("Pearson r"), *intervals, number("Spearman ρ"),
        number("Kendall τ_b"), number(_("Pairwise accuracy")),
        number(_("Soft pairwise accuracy")), interval(_("other systems")),
        number(_("r without outlying systems")), whole(_("Systems")),
    )  # fmt: skip
    rows = [
        (
            each.metric,
            found.system_clusters.get(each.metric),
            each.pearson,
            *(each.intervals.get(unit, {}).get("pearson") for unit in OVER),
            each.spearman,
            each.kendall,
            each.pairwise_accuracy,
            each.soft_pairwise_accuracy,
            each.intervals.get("systems", {}).get("soft_pairwise_accuracy"),
            each.pearson_without_outliers,
            each.systems,
        )
        for each in found.system_level
    ]
    return Table(
        "system-level", _("Metrics against people: whole systems"), columns, rows_of(rows),
        Role.PAPER, notes=_reasons(found.system_level),
    )  # fmt: skip


def ranking_level_table(levels: Sequence[SystemLevel]) -> Table:
    """Lay out metrics against the strengths of systems."""
    columns = (
        METRIC, number("Pearson r"),
        *(interval(title) for title in OVER.values()),
        number("Spearman ρ"), number("Kendall τ_b"), number(_("Pairwise accuracy")),
        number(_("r without outlying systems")), whole(_("Systems")),
    )  # fmt: skip
    rows = [
        (
            each.metric, each.pearson,
            *(each.intervals.get(unit, {}).get("pearson") for unit in OVER),
            each.spearman, each.kendall, each.pairwise_accuracy, each.pearson_without_outliers,
            each.systems,
        )
        for each in levels
    ]  # fmt: skip
    return Table(
        "ranking-level", _("Metrics against the ranking: Bradley–Terry strengths of systems"),
        columns, rows_of(rows), Role.HONEST, notes=_reasons(levels),
    )  # fmt: skip


def _segment_table(found: MetricReport) -> Table:
    columns = (
        METRIC, CLUSTER, number("acc*_eq"), interval(_("other items")),
        number(_("cross-fitted")), number("ε", 4), number(_("Kendall τ_b within items")),
        number(_("Kendall τ_c within items")), number(_("Pearson r within items")),
        number(_("Pearson r of differences")), number("Pearson r"),
        whole(_("Outputs")),
    )  # fmt: skip
    rows = [
        (
            each.metric,
            found.segment_clusters.get(each.metric),
            each.acc_eq,
            each.acc_eq_interval,
            each.acc_eq_cross_fit,
            each.epsilon,
            each.kendall,
            each.kendall_c,
            each.pearson_within_items,
            each.pairwise_pearson,
            each.pearson,
            each.outputs,
        )
        for each in found.segment_level
    ]
    return Table(
        "segment-level", _("Metrics against people: single outputs"), columns, rows_of(rows),
        Role.PAPER, notes=_reasons(found.segment_level),
    )  # fmt: skip


def _tests_table(name: str, caption: str, tests: Sequence[MetricPair]) -> Table:
    is_of_systems = name == "system-tests"
    columns = (
        Column(_("Closer")), Column(_("Than")), number(_("Difference")), P,
        Column(_("p (Williams)") if is_of_systems else _("p by items"), Format.P),
    )  # fmt: skip
    rows = [
        (each.a, each.b, each.difference, each.p, each.williams if is_of_systems else each.p_items)
        for each in tests
    ]
    return Table(name, caption, columns, rows_of(rows))


def _ceiling_table(found: MetricReport) -> Table:
    columns = (
        Column(_("Compared with the other raters")), number("acc*_eq"),
        number(_("Pearson r, systems")), number(_("Pairwise accuracy, systems")),
        whole(_("Raters")), whole(_("Outputs")),
    )  # fmt: skip
    rows = [
        (
            each.metric, each.acc_eq, each.pearson_systems, each.pairwise_accuracy, each.raters,
            each.outputs,
        )
        for each in found.ceiling
    ]  # fmt: skip
    caption = _("The ceiling: a rater held out, on the same outputs")
    return Table(
        "ceiling", caption, columns, rows_of(rows), Role.HONEST, notes=_reasons(found.ceiling)
    )


def _scores_table(points: Sequence[SystemPoint]) -> Table:
    """Return every metric's score of every system (Dušek, Novikova & Rieser 2020, Table 8)."""
    metrics = list(dict.fromkeys(each.metric for each in points))
    scores = {(each.metric, each.system): each.score for each in points}
    people = {each.system: each.people for each in points}
    by_metric = (number(name, 4, is_label=True) for name in metrics)
    columns = (SYSTEM, number(_("Mean judgement")), *by_metric)
    rows = [
        (system, people[system], *(scores.get((name, system)) for name in metrics))
        for system in sorted(people, key=lambda name: -(scores.get((metrics[0], name)) or 0.0))
    ]
    return Table("scores", _("Scores of systems by metric"), columns, rows_of(rows))


def _by_system_table(levels: Sequence[SegmentLevel]) -> Table:
    """Spearman's ρ over the outputs of each system (the same, Tables 15 and 16)."""
    known = [each for each in levels if each.by_system]
    columns = (SYSTEM, *(number(each.metric, is_label=True) for each in known))
    rows: list[tuple[Cell, ...]] = [
        # A database that stored the report need not have kept the order of the names.
        (system, *(each.by_system[system] for each in known))
        for system in sorted(known[0].by_system)
    ]
    rows.append((_("all outputs"), *(each.spearman for each in known)))
    caption = _("Spearman ρ over the outputs of each system")
    return Table("by-system", caption, columns, rows_of(rows))


def _points_table(points: Sequence[SystemPoint]) -> Table:
    columns = (
        METRIC, SYSTEM, number(_("Mean judgement")),
        interval(_("other items")), number(_("Score")),
        interval(_("Score, other items")),
    )  # fmt: skip
    rows = [
        (each.metric, each.system, each.people, each.people_interval, each.score,
         each.score_interval)
        for each in points
    ]  # fmt: skip
    return Table("points", _("Systems: judgements and scores"), columns, rows_of(rows), heads=1)


# --- rankings that use a metric ----------------------------------------------------------------


def worth_table(powered: Sequence[PoweredEstimates]) -> Table:
    """Tabulate how many human judgements each metric is worth."""
    columns = (
        METRIC, number(_("Weight")), whole(_("Human judgements")),
        number(_("Worth, in judgements"), 0), number(_("What those would cost"), 2),
        whole(_("Judged outputs")),
        whole(_("Judged items")), whole(_("All items")),
    )  # fmt: skip
    rows = [
        (
            each.metric, each.estimates.weight, each.estimates.judgements,
            each.estimates.worth, each.price, each.estimates.judged_outputs,
            each.estimates.judged_items, each.estimates.items,
        )
        for each in powered
        if each.estimates
    ]  # fmt: skip
    caption = _("Estimates that use a metric: what each metric is worth")
    return Table("worth", caption, columns, rows_of(rows), Role.HONEST)


def powered_table(powered: PoweredEstimates) -> Table:
    """Means with and without a metric; people alone come first."""
    found = powered.estimates
    if found is None:
        raise ValueError("There are no estimates to print.")
    with_metric = {each.system: each for each in found.means}
    columns = (
        SYSTEM,
        number(_("Mean")),
        INTERVAL,
        number(_("Mean with metric")),
        interval(_("Interval with metric")),
    )
    rows = [
        (
            each.system, each.mean, (each.low, each.high), with_metric[each.system].mean,
            (with_metric[each.system].low, with_metric[each.system].high),
        )
        for each in found.people_means
    ]  # fmt: skip
    return Table(
        f"with-{powered.metric}",
        f"Estimates that use {powered.metric}, next to those of people alone",
        columns,
        rows_of(rows),
        notes=(powered.signature,),
    )
