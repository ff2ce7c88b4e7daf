"""Copy the campaign's metrics for an analysis, as they are when it begins."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Sequence
from typing import Any

from analysis.meta_evaluation.compared import SCORES, VERDICTS, Compared
from analysis.meta_evaluation.judge_report import lengths_of
from analysis.text_metrics.score_files import joined
from rankme.actions.campaign.campaigns import definition_of
from rankme.models import AnalysisRun, Campaign, Metric, RunScores
from rankme.queries.metric_scores import output_lengths, scores_of, verdicts_of


def metric_options(campaign: Campaign) -> dict[str, Any]:
    """The options of an analysis that compares every metric of the campaign with its raters."""
    found = list(campaign.metrics.defer("content_csv_gz"))
    if not found:
        return {}
    return {
        "metrics": [metric.name for metric in found],
        "metrics_lower_is_better": [metric.name for metric in found if metric.lower_is_better],
        "judges": {metric.name: metric.own_systems for metric in found if metric.is_judge},
        "price_per_judgement": _price(campaign),
    }


def chosen_metric_options(campaign: Campaign, names: Sequence[str]) -> dict[str, Any]:
    """The same for some of the metrics."""
    options = metric_options(campaign)
    for name in ("metrics", "metrics_lower_is_better"):
        options[name] = [each for each in options.get(name, ()) if each in names]
    options["judges"] = {
        name: own for name, own in options.get("judges", {}).items() if name in names
    }
    return options


def _price(campaign: Campaign) -> float:
    """Compute the price of a judgement: the pay of a batch over its judgements."""
    definition = definition_of(campaign)
    pay = definition.crowd.pay_per_batch
    plan = getattr(campaign, "plan", None)
    batch = campaign.batches.first() if pay and plan is not None else None
    if batch is None:
        return 0.0
    outputs = sum(len(trial.places.all()) for trial in batch.trials.prefetch_related("places"))
    return float(pay) / outputs if outputs else 0.0


def compared_of(
    campaign: Campaign, names: Sequence[str], judges: Collection[str] = ()
) -> Compared | None:
    """The scores and verdicts of these metrics; None where there are none.

    Where some act as judges, the lengths of outputs are there as well: the report says of each
    whether it prefers long outputs.
    """
    if not names:
        return None
    scores, verdicts = scores_of(campaign, names), verdicts_of(campaign, names)
    if not scores and not verdicts:
        return None
    if judges and not lengths_of(scores) and (lengths := output_lengths(campaign)):
        scores = joined([scores, lengths] if scores else [lengths])
    return Compared(scores, verdicts)


def keep_compared(run: AnalysisRun, compared: Compared | None) -> None:
    """Keep them with the run, so that later uploads don't move its numbers."""
    RunScores.objects.filter(run=run).delete()
    if compared is None:
        return
    packed = {
        name: gzip.compress(content, compresslevel=3, mtime=0)
        for name, content in compared.files().items()
    }
    RunScores.objects.create(
        run=run, scores_csv_gz=packed.get(SCORES), verdicts_csv_gz=packed.get(VERDICTS)
    )


def unknown_metrics(campaign: Campaign, names: Sequence[str]) -> list[str]:
    """The names that this campaign does not have."""
    known = set(Metric.objects.filter(campaign=campaign).values_list("name", flat=True))
    return [name for name in names if name not in known]
