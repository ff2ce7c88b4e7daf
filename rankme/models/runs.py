"""Analysis runs, their chunks, and the reports that they became."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from .campaigns import Campaign, new_code
from .jobs import Job


def new_public_code() -> str:
    return new_code(16)


class AnalysisRun(Job):
    """Options + seed + the data's hash → a result that anybody can compute again.

    `table_csv_gz` is the judgement table that the run read, so that a report never moves when
    more judgements come in, and all of its chunks read the same numbers.
    """

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="analysis_runs")
    options = models.JSONField()
    seed = models.BigIntegerField()
    table_csv_gz = models.BinaryField(null=True, blank=True)
    data_sha256 = models.CharField(max_length=64, blank=True)
    judgements = models.PositiveIntegerField(null=True, blank=True)
    timed_out = models.JSONField(
        default=dict, blank=True, help_text="by criterion, answers that the table leaves out"
    )
    declined = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text="by criterion, counts of raters who could not judge",
    )
    anchor = models.JSONField(
        null=True, blank=True, help_text="how long the hash chains were, and their last hashes"
    )
    result = models.JSONField(null=True, blank=True)
    signature = models.TextField(blank=True)

    class Meta(Job.Meta):
        ordering = ["-requested_at", "-id"]
        constraints = [
            models.CheckConstraint(
                name="a_run_is_done_with_its_result",
                condition=~Q(state="done") | (Q(result__isnull=False) & ~Q(data_sha256="")),
            )
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.campaign}"

    @property
    def finished_result(self) -> dict[str, Any]:
        """The result, for what is only asked of runs that are done."""
        if self.result is None:
            raise ValueError(f"{self} has no result yet")
        return dict(self.result)


class RunScores(models.Model):
    """The scores and verdicts that a run compares with the judgements, as they were then."""

    run = models.OneToOneField(AnalysisRun, models.CASCADE, related_name="scores")
    scores_csv_gz = models.BinaryField(null=True, blank=True)
    verdicts_csv_gz = models.BinaryField(null=True, blank=True)

    def __str__(self) -> str:
        return f"scores of {self.run}"


class RunChunk(models.Model):
    """A seeded stretch of bootstrap runs; any worker may compute it, once is enough."""

    run = models.ForeignKey(AnalysisRun, models.CASCADE, related_name="chunks", db_index=False)
    job = models.CharField(max_length=200)
    first = models.PositiveIntegerField()
    count = models.PositiveIntegerField()
    draws = models.BinaryField(null=True, blank=True, help_text="float64, (count, systems)")
    claimed_at = models.DateTimeField(null=True, blank=True)
    claimed_by = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["run", "job", "first"]
        constraints = [
            models.UniqueConstraint(fields=["run", "job", "first"], name="one_row_per_chunk")
        ]

    def __str__(self) -> str:
        return f"{self.job} from {self.first} of {self.run}"


class RunPart(models.Model):
    """A finished part of a run's report: the worker that takes the run over continues from it."""

    run = models.ForeignKey(AnalysisRun, models.CASCADE, related_name="parts", db_index=False)
    name = models.TextField()
    content = models.BinaryField(help_text="JSON, or the bytes of a file")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "name"], name="one_row_per_part")]

    def __str__(self) -> str:
        return f"{self.name} of {self.run}"


class ReportFiles(Job):
    """Makes the files of a finished run again where they were lost; one row for each run."""

    run = models.OneToOneField(AnalysisRun, models.CASCADE, related_name="files")

    class Meta(Job.Meta):
        pass

    def __str__(self) -> str:
        return f"files of {self.run}"


class Report(models.Model):
    """A run that was published: a page that anybody with its address can read."""

    run = models.OneToOneField(AnalysisRun, models.PROTECT, related_name="report")
    code = models.CharField(max_length=32, unique=True, default=new_public_code, editable=False)
    published_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    published_at = models.DateTimeField(db_default=Now())
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-published_at"]

    def __str__(self) -> str:
        return f"report of {self.run}"
