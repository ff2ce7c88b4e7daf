"""Scores of metrics and verdicts of judges from a file: checked, previewed, then stored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db import transaction

from analysis.text_metrics.score_files import Known
from rankme.actions.material.materials import end_import, files_of, lock_for_import, progress_of
from rankme.actions.material.metric_jobs import store_metric, store_verdicts
from rankme.importing import FileProblem, ImportRefused, read_scores, reading_from
from rankme.importing.readers.score_tables import Scores
from rankme.importing.tabular.upload_tables import TablePreview
from rankme.models import MaterialImport, Metric, Output
from rankme.untrusted.clean_text import storable

LONGEST_NAME = 200


@dataclass(frozen=True)
class MetricPreview:
    """One metric of a file; `replaces` is where the scores come from that are there already."""

    name: str
    kind: str
    systems: int
    outputs: int
    missing: int
    lowest: float | None
    highest: float | None
    lower_is_better: bool
    replaces: str


@dataclass(frozen=True)
class ScorePreview:
    """The scores that a file would store."""

    format: str
    metrics: tuple[MetricPreview, ...]
    outputs: int
    is_judge: bool
    own_systems: tuple[str, ...]
    tables: tuple[TablePreview, ...]
    notes: tuple[str, ...]


def preview_of_scores(row: MaterialImport) -> ScorePreview:
    """Read everything; raise `ImportRefused` with every problem."""
    found = _read(row)
    campaign = row.campaign
    outputs = Output.objects.filter(item__campaign=campaign).count()
    sources = dict(campaign.metrics.values_list("name", "source"))
    return ScorePreview(
        format="verdicts" if found.verdicts else "scores",
        metrics=tuple(_previews(found, outputs, sources)),
        outputs=outputs,
        is_judge=bool(found.verdicts) or row.options.get("is_judge", False),
        own_systems=tuple(row.options.get("own_systems", ())),
        tables=found.tables,
        notes=found.notes,
    )


def take_scores(row: MaterialImport) -> None:
    """Store every metric of the file; each replaces the one of the same name."""
    found = _read(row)
    own = row.options.get("own_systems", [])
    with transaction.atomic():
        campaign = lock_for_import(row)
        if found.scores is not None:
            for name in found.scores.metrics:
                store_metric(
                    campaign,
                    name,
                    found.scores.only(name),
                    source=Metric.Source.UPLOADED,
                    method=found.label,
                    by=row.requested_by,
                    is_judge=row.options.get("is_judge", False),
                    own_systems=own,
                )
        for name, verdicts in found.verdicts.items():
            store_verdicts(
                campaign, name, verdicts, method=found.label, by=row.requested_by, own_systems=own
            )
        end_import(row)


def _previews(found: Scores, outputs: int, sources: dict[str, str]) -> Iterator[MetricPreview]:
    for name in found.scores.metrics if found.scores else ():
        part = found.scores.only(name)  # type: ignore[union-attr]
        sign = -1.0 if name in part.turned else 1.0
        values = sign * np.concatenate([part.segments.ravel(), part.whole.ravel()])
        values = values[~np.isnan(values)]
        yield MetricPreview(
            name,
            Metric.Kind.SCORES,
            part.scored_systems,
            part.scored_outputs,
            outputs - part.scored_outputs if part.scored_outputs else 0,
            float(values.min()),
            float(values.max()),
            name in part.turned,
            sources.get(name, ""),
        )
    for name, verdicts in found.verdicts.items():
        systems = {system for each in verdicts for system in (each.first, each.second)}
        yield MetricPreview(
            name, Metric.Kind.VERDICTS, len(systems), len(verdicts), 0, None, None, False,
            sources.get(name, ""),
        )  # fmt: skip


def _read(row: MaterialImport) -> Scores:
    campaign, told = row.campaign, row.options
    known = Known(
        frozenset(campaign.systems.values_list("name", flat=True)),
        frozenset(campaign.items.values_list("key", flat=True)),
    )
    with files_of(row) as paths:
        found = read_scores(
            paths,
            progress=progress_of(row),
            reading=reading_from(told.get("reading", {})),
            known=known,
            lower_is_better=told.get("lower_is_better"),
        )
    _check_names(found, known, told.get("own_systems", []))
    return found


def _check_names(found: Scores, known: Known, own: list[str]) -> None:
    problems = [
        FileProblem(message, file=found.label, column=name[:40])
        for name in found.names()
        if (message := _name_problem(name))
    ]
    problems += [
        FileProblem(f'There is no system "{name[:40]}".')
        for name in own
        if name not in known.systems
    ]
    if problems:
        raise ImportRefused(problems, len(problems))


def _name_problem(name: str) -> str:
    if len(name) > LONGEST_NAME:
        return f"a metric's name has at most {LONGEST_NAME} characters."
    if not storable(name):
        return "this name contains a character that cannot be stored."
    return ""
