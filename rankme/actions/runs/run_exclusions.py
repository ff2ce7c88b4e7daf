"""Find the raters whom a run leaves out, and the effect of the campaign's rule on it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, Q

from analysis.plain import plain
from analysis.report.make import rank_changes_by_raters
from analysis.report.options import ReportOptions
from analysis.table import JudgementTable
from rankme.models import AnalysisRun, Campaign, RaterExclusion, Submission
from rankme.queries.judgement_table import judgement_table
from rankme.queries.quality import displaced_by_rule, rule_findings


def with_and_without_the_rule(
    campaign: Campaign, table: JudgementTable, options: ReportOptions
) -> dict[str, Any] | None:
    """Decide the campaign's rule again, and rank with and without it."""
    found = rule_findings(campaign)
    if found is None:
        return None
    before = _table_without_the_rule(campaign, table)
    changes = rank_changes_by_raters(table, options, found.excluded, before=before)
    document: dict[str, Any] = plain(asdict(found))
    rows = {name: [plain(asdict(row)) for row in ranks] for name, ranks in changes.items()}
    return document | {"ranks": rows}


def _table_without_the_rule(campaign: Campaign, table: JudgementTable) -> JudgementTable:
    """The run's table as it would be if the rule had excluded nobody: where somebody has judged in
    the place of an excluded rater, that rater's own sitting."""
    in_table = {_sitting(name) for name in table.screen.labels}
    swapped = {
        sitting: first
        for sitting, first in displaced_by_rule(campaign).items()
        if sitting in in_table
    }
    if not swapped:
        return table
    found = judgement_table(campaign, swapped=swapped)
    known = set(table.screen.labels)
    # Nothing that came after the run had read its judgements.
    kept = [name in known or _sitting(name) in swapped.values() for name in found.screen.labels]
    return found.rows(np.asarray(kept, dtype=bool)[found.screen.codes])


def _sitting(screen: str) -> int:
    return int(screen.partition(".")[0])


def without_withdrawn(campaign: Campaign, table: JudgementTable) -> JudgementTable:
    """Leave out what raters have withdrawn. Rows of other excluded raters are in bundles, marked;
    these must not be published any more.
    """
    withdrawn = campaign.rater_exclusions.filter(withdrawn_at=None, by_rater=True)
    labels = set(withdrawn.values_list("participant__label", flat=True))
    gone = np.array([label in labels for label in table.rater.labels], dtype=bool)
    return table.rows(~gone[table.rater.codes]) if gone.any() else table


def exclusions(run: AnalysisRun, table: JudgementTable) -> list[dict[str, str]]:
    """List the excluded raters with their reasons, as the report quotes them."""
    marked = set()
    if table.excluded is not None:
        marked = {table.rater.labels[code] for code in np.unique(table.rater.codes[table.excluded])}
    # Where somebody else has judged in their place, none of their rows is in the table.
    submitted = Submission.objects.filter(assignment__participant=OuterRef("participant"))
    decisions = RaterExclusion.objects.filter(
        Q(participant__label__in=marked)
        | Q(Exists(submitted), ~Q(participant__label__in=table.rater.labels), withdrawn_at=None),
        campaign=run.campaign,
    ).order_by("decided_at")
    reasons = dict(decisions.values_list("participant__label", "reason"))
    reasons |= {
        label: run.options["exclusion_reason"]
        for label in run.options["exclude_raters"]
        if label not in reasons
    }
    return [{"rater": label, "reason": reasons[label]} for label in sorted(reasons)]
