"""List what an analysis did otherwise than its campaign planned, as far as a site sees."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from rankme.exporting.bundle import SITE_OPTIONS, newest_version, report_options
from rankme.exporting.paper.preregistration import planned_raters
from rankme.exporting.seen import (
    closed_by,
    events_known_to,
    looks_of_run,
    looks_sentence,
    stopped_by_look,
)
from rankme.models import AnalysisRun, CampaignVersion
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition

from .run_options import default_options

# They change no result about systems, or have a sentence of their own.
NOT_COMPARED = {
    *("title", "looking", "exclude_raters", "metrics", "metrics_lower_is_better", "judges"),
    *("metric_resamples", "price_per_judgement"),
}


def deviations_of(run: AnalysisRun, table: JudgementTable) -> list[str]:
    """Say each deviation in a sentence; everything is read from what the run has seen."""
    campaign = run.campaign
    if campaign.is_archive:
        return []
    first = campaign.versions.get(number=1)
    planned = frozen_definition(campaign, 1).definition
    now = frozen_definition(campaign, newest_version(run)).definition
    analysed = table.counted().without_raters(report_options(run).exclude_raters)
    return [
        *_of_collection(run, analysed, planned),
        *_of_raters(run),
        *_of_versions(run, first, table),
        *_of_criteria(planned, now),
        *_of_options(run, planned),
    ]


def _of_collection(
    run: AnalysisRun, analysed: JudgementTable, planned: Definition
) -> Iterator[str]:
    """Less or more than planned, an early end, and looks."""
    balance = run.campaign.plan.balance
    may_end_early = stopped_by_look(run) is not None
    fewest, most = planned_raters(balance["batches"], planned)
    came = len(analysed.rater.labels)
    if not fewest <= came <= most and not (may_end_early and came < fewest):
        plan = str(most) if fewest == most else f"{fewest} to {most}"
        yield f"{came} raters are in this analysis, planned were {plan}."
    counts = {
        spec.name: len(analysed.for_criterion(spec.name))
        for spec in planned.criteria
        if spec.about == "output" and spec.name in analysed.criterion.labels
    }
    for name, count in counts.items():
        if count != balance["judgements"] and not may_end_early:
            yield f"{name}: {count} judgements of {balance['judgements']} that were planned."
    if closed_by(run) is None:
        yield "The collection was not closed when this analysis read its judgements."
    elif not may_end_early and any(count < balance["judgements"] for count in counts.values()):
        yield "The collection was closed before everything that was planned had been judged."
    if looks := looks_of_run(run):
        yield looks_sentence(looks)
    published = events_known_to(run).filter(verb="report published")
    if (end := closed_by(run)) is not None:
        published = published.filter(number__lt=end)
    if reports := published.count():
        were = "1 report was" if reports == 1 else f"{reports} reports were"
        yield f"{were} public before the close."


def _of_raters(run: AnalysisRun) -> Iterator[str]:
    """Exclusions that a person decided."""
    out: dict[str, None] = dict.fromkeys(run.options.get("exclude_raters", ()))
    for event in events_known_to(run).filter(verb__in=["rater excluded", "rater readmitted"]):
        label = str(event.detail["rater"])
        if event.verb == "rater excluded":
            out[label] = None
        else:
            out.pop(label, None)
    if out:
        yield f"Excluded by hand and not by the rule: {', '.join(out)}."


def _of_versions(run: AnalysisRun, first: CampaignVersion, table: JudgementTable) -> Iterator[str]:
    """Changes after the launch, and systems that came with them."""
    later = run.campaign.versions.filter(number__range=(2, newest_version(run)))
    for version in later.order_by("number"):
        changed = str(CampaignVersion.Change(version.change).value)
        yield f"Version {version.number}, after the launch ({changed}): {version.reason}"
    names = run.campaign.systems.order_by("position").values_list("name", flat=True)
    late = [name for name in names[first.systems :] if name in table.system.labels]
    if late:
        yield f"Systems that were added after the launch: {', '.join(late)}."


def _of_criteria(planned: Definition, now: Definition) -> Iterator[str]:
    for spec in planned.criteria:
        before, after = (each.model_dump() for each in (spec, now.criterion(spec.name)))
        changed = [name for name in before if before[name] != after[name]]
        if changed:
            yield f"The criterion {spec.name} was changed after the launch: {', '.join(changed)}."


def _of_options(run: AnalysisRun, planned: Definition) -> Iterator[str]:
    """Options that differ from those with which the campaign's analyses were to begin."""
    begun: dict[str, Any] = default_options(run.campaign, planned)
    plan = ReportOptions.from_dict(
        {name: value for name, value in begun.items() if name not in SITE_OPTIONS}
    ).as_dict()
    used = report_options(run).as_dict()
    for name in sorted(set(plan) - NOT_COMPARED):
        if used[name] != plan[name]:
            yield f"The option {name} is {_said(used[name])}, planned was {_said(plan[name])}."
    if criteria := run.options.get("criteria"):
        yield f"Only these criteria are analysed: {', '.join(criteria)}."
    if versions := run.options.get("versions"):
        yield f"Only judgements of these versions are analysed: {', '.join(map(str, versions))}."


def _said(value: Any) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_said(each)}" for name, each in value.items()) or "empty"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "empty"
    return str(value) if value != "" else "empty"
