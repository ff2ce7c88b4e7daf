"""Metrics of a campaign's outputs: computed by a worker, uploaded, and deleted."""

from __future__ import annotations

import gzip
import io
import time
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.errors import AnalysisError
from analysis.meta_evaluation.verdict_files import write_verdicts
from analysis.text_metrics.metric_names import shown_name
from analysis.text_metrics.score_files import MetricScores, scores_from, write_scores
from analysis.text_metrics.scoring import Scored
from analysis.typing import Progress
from rankme.actions import jobs
from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, Metric, MetricComputation
from rankme.queries.metric_scores import material_of, uncomputable

from . import metric_parts

SECONDS_BETWEEN_LOOKS = 0.2

# --- From the organiser ------------------------------------------------------------------------


def request_metrics(
    campaign: Campaign, names: Sequence[str], *, lowercase: bool = False, by: User
) -> MetricComputation:
    """Let a worker compute metrics; those that were computed before are replaced.

    Raises
    ------
    RefusedAction : a metric is unknown or cannot be computed for this material, or others are
        being computed
    """
    reasons = uncomputable(campaign)
    if not names:
        raise RefusedAction(_("Choose at least one metric."))
    for name in names:
        if name not in reasons:
            raise RefusedAction(
                _("There is no metric “%(name)s”; there are: %(known)s.")
                % {"name": name, "known": ", ".join(reasons)}
            )
        if reasons[name]:
            raise RefusedAction(f"{name}: {reasons[name]}")
    try:
        with transaction.atomic():
            row = MetricComputation.objects.create(
                campaign=campaign, metrics=list(names), lowercase=lowercase, requested_by=by
            )
            note(campaign, by, gettext_noop("metrics requested"), metrics=list(names))
            jobs.enqueue(row)
    except IntegrityError as error:
        raise RefusedAction(_("Metrics of this campaign are already being computed.")) from error
    return row


def cancel_metrics(row: MetricComputation, *, by: User) -> None:
    """Stop a computation; one that is over stays as it is."""
    if not jobs.cancel(row):
        raise RefusedAction(_("This computation has already finished."))
    note(row.campaign, by, gettext_noop("metrics cancelled"), metrics=row.metrics)


@transaction.atomic
def delete_metric(metric: Metric, *, by: User) -> None:
    """Delete a metric's scores; reports that used them keep their copy."""
    metric.delete()
    note(metric.campaign, by, gettext_noop("metric deleted"), metric=metric.name)


# --- In the worker -----------------------------------------------------------------------------


def execute(row_id: int, worker: str, *, watched: Progress = lambda share: None) -> bool:
    """Compute the requested metrics; return False when another worker has the job.

    `watched` is told the share that is done, for somebody who waits in this process.
    """
    work = partial(_compute, watched=watched)
    return jobs.perform(MetricComputation, row_id, work, worker=worker, understood=(AnalysisError,))


def _compute(row: MetricComputation, *, watched: Progress) -> None:
    """Lead a computation: each metric is stored as soon as all of its parts are there."""
    # Before hours of work, and before anything else of this computation is stored.
    for name in row.metrics:
        _refuse_uploaded_name(row.campaign, name)
    jobs.heartbeat(row, progress=0.0, step=_("Measuring how long it takes"))
    material = material_of(row.campaign)
    metric_parts.plan_parts(row, material)
    metric_parts.call_helpers(row)
    total = sum(row.parts.values_list("seconds", flat=True))
    began, done_before = time.monotonic(), total - _seconds_left(row)
    stored: set[str] = set()
    while True:
        waiting = set(row.parts.filter(content_gz=None).values_list("metric", flat=True))
        for name in [each for each in row.metrics if each not in waiting | stored]:
            _store_results(row, name, material.sha256)
            stored.add(name)
        if not waiting:
            break
        left = _seconds_left(row)

        def progress(share: float, left: float = left) -> None:
            done = 1 - left / total if total else 0.0
            speed = (total - left - done_before) / (time.monotonic() - began) or 1.0
            jobs.heartbeat(row, progress=done, step=_step(row, left / speed))
            watched(done)

        progress(0.0)
        if metric_parts.compute_one(row, material, progress) is None:
            time.sleep(SECONDS_BETWEEN_LOOKS)
        else:
            jobs.checkpoint(row)
    with transaction.atomic():
        jobs.finish(row)
        row.parts.all().delete()
    watched(1.0)


def _seconds_left(row: MetricComputation) -> float:
    return sum(row.parts.filter(content_gz=None).values_list("seconds", flat=True))


def _step(row: MetricComputation, seconds: float) -> str:
    """Name the metric being computed, and the minutes left for all of them."""
    names = row.parts.filter(content_gz=None).values_list("metric", flat=True)
    shown = ", ".join(shown_name(name) for name in dict.fromkeys(names))
    return _("Computing %(metrics)s (%(time)s)") % {
        "metrics": shown,
        "time": minutes_left(seconds),
    }


def minutes_left(seconds: float) -> str:
    minutes = round(seconds / 60)
    return _("about %(minutes)s min left") % {"minutes": minutes} if minutes else _("nearly done")


def _store_results(row: MetricComputation, name: str, sha256: str) -> None:
    with transaction.atomic():
        jobs.confirm(row)
        campaign = Campaign.objects.select_for_update(no_key=True).get(pk=row.campaign_id)
        _refuse_changed_material(row, sha256)
        for scored in metric_parts.results_of(row, name):
            _refuse_uploaded_name(campaign, scored.metric)
            store_metric(
                campaign,
                scored.metric,
                _scores_of(scored),
                source=Metric.Source.COMPUTED,
                method=scored.method,
                by=row.requested_by,
            )


def _refuse_changed_material(row: MetricComputation, sha256: str) -> None:
    """A draft's material may be replaced meanwhile; it stays locked from here on."""
    if row.campaign.is_draft and material_of(row.campaign).sha256 != sha256:
        raise RefusedAction(_("The material was replaced meanwhile. Compute the metrics again."))


def _refuse_uploaded_name(campaign: Campaign, name: str) -> None:
    if campaign.metrics.filter(name=name, source=Metric.Source.UPLOADED).exists():
        raise RefusedAction(
            _("Scores of “%(name)s” were uploaded. Delete them before you compute it here.")
            % {"name": name}
        )


def _scores_of(scored: Scored) -> MetricScores:
    cells = {
        (scored.metric, system, ""): value
        for system, value in scored.systems.items()
        if value is not None
    }
    cells |= {
        (scored.metric, system, item): value
        for system, segments in scored.segments.items()
        for item, value in segments.items()
        if value is not None
    }
    turned = [scored.metric] if scored.higher_is_better is False and cells else []
    return scores_from(cells, turned)


def store_metric(
    campaign: Campaign,
    name: str,
    scores: MetricScores,
    *,
    source: str,
    method: str,
    by: User | None,
    is_judge: bool = False,
    own_systems: Iterable[str] = (),
) -> Metric:
    """Store the scores of one metric; they replace those that are there."""
    content = io.BytesIO()
    write_scores(scores, content)
    return _stored(
        campaign,
        name,
        content.getvalue(),
        kind=Metric.Kind.SCORES,
        source=source,
        method=method,
        lower_is_better=name in scores.turned,
        is_judge=is_judge,
        own_systems=list(own_systems),
        systems=scores.scored_systems,
        outputs=scores.scored_outputs,
        stored_by=by,
    )


def store_verdicts(
    campaign: Campaign,
    name: str,
    verdicts: Sequence[Any],
    *,
    method: str,
    by: User | None,
    own_systems: Iterable[str] = (),
) -> Metric:
    """Store the verdicts of one judge; they replace those that are there."""
    content = io.BytesIO()
    write_verdicts({name: tuple(verdicts)}, content)
    return _stored(
        campaign,
        name,
        content.getvalue(),
        kind=Metric.Kind.VERDICTS,
        source=Metric.Source.UPLOADED,
        method=method,
        lower_is_better=False,
        is_judge=True,
        own_systems=list(own_systems),
        systems=len({system for each in verdicts for system in (each.first, each.second)}),
        outputs=len(verdicts),
        stored_by=by,
    )


def _stored(campaign: Campaign, name: str, content: bytes, **fields: Any) -> Metric:
    packed: Mapping[str, Any] = {
        "content_csv_gz": gzip.compress(content, compresslevel=3, mtime=0),
        "stored_at": Now(),
    }
    return Metric.objects.update_or_create(
        campaign=campaign, name=name, defaults={**fields, **packed}
    )[0]
