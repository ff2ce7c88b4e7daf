"""Compute metrics of a campaign's outputs, or store scores from a file."""

from __future__ import annotations

from argparse import ArgumentParser
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from analysis.cli.shared import ProgressBar
from rankme.actions.material import materials
from rankme.actions.material import metric_jobs as actions
from rankme.errors import RankmeError
from rankme.management.loading import campaign_of, wait_for, work_off
from rankme.models import Campaign, MaterialImport, MetricComputation
from rankme.queries.metric_scores import uncomputable


class Command(BaseCommand):
    help = "Compute metrics of a campaign's outputs, or store scores from a file."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaign", help="the campaign's code")
        parser.add_argument(
            "--metrics",
            default="",
            metavar="A,B",
            help="what to compute (default: every metric that the material allows)",
        )
        parser.add_argument("--lowercase", action="store_true", help="BLEU and chrF in lower case")
        parser.add_argument(
            "--scores", type=Path, metavar="FILE.csv", help="store these scores or verdicts instead"
        )
        parser.add_argument(
            "--lower-is-better", default="", metavar="A,B", help="of the file's metrics"
        )
        parser.add_argument(
            "--judge", action="store_true", help="the file has a judge's scores, on raters' scale"
        )
        parser.add_argument(
            "--dry-run", action="store_true", help="only check the file and print what is in it"
        )

    def handle(self, *, campaign: str, scores: Path | None, **options: Any) -> None:
        target = campaign_of(campaign)
        try:
            if scores is None:
                self._compute(target, options)
            else:
                self._store(target, scores, options)
        except (RankmeError, OSError) as error:
            raise CommandError(str(error)) from error
        for metric in target.metrics.defer("content_csv_gz"):
            self.stdout.write(
                f"{metric.name}: {metric.outputs} outputs of {metric.systems} systems, "
                f"{metric.source} ({metric.method})"
            )

    def _compute(self, target: Campaign, options: dict[str, Any]) -> None:
        names = _names(options["metrics"]) or [
            name for name, reason in uncomputable(target).items() if not reason
        ]
        row = actions.request_metrics(
            target, names, lowercase=options["lowercase"], by=target.owner
        )
        with ProgressBar() as bar:
            wait_for(row, partial(actions.execute, watched=bar.show))
        if row.state != MetricComputation.State.DONE:
            raise CommandError(row.error or "The computation was cancelled.")

    def _store(self, target: Campaign, file: Path, options: dict[str, Any]) -> None:
        lower = _names(options["lower_is_better"])
        given = {"is_judge": options["judge"]} | ({"lower_is_better": lower} if lower else {})
        row = materials.start_import(
            target, [file], kind=MaterialImport.Kind.SCORES, options=given, by=target.owner
        )
        work_off(row)
        for metric in row.preview["metrics"]:
            replaced = ", replaces what is there" if metric["replaces"] else ""
            self.stdout.write(
                f"{metric['name']}: {metric['outputs']} of {row.preview['outputs']} outputs, "
                f"{metric['systems']} systems{replaced}"
            )
        if options["dry_run"]:
            materials.drop_import(row, by=target.owner)
            self.stdout.write("Nothing was stored.")
            return
        materials.take_import(row, by=target.owner)
        work_off(row)


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
