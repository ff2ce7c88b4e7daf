"""Scores of automatic metrics and verdicts of judges, and the jobs that compute them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from analysis.text_metrics.metric_names import shown_name

from .campaigns import Campaign
from .jobs import Job, one_at_a_time


class Metric(models.Model):
    """All scores of one metric, or all verdicts of one judge, as a compressed CSV.

    Scores are read and written whole, so they are one value and not a row for each output.
    """

    class Kind(models.TextChoices):
        SCORES = "scores", _("Scores")
        VERDICTS = "verdicts", _("Pairwise verdicts")

    class Source(models.TextChoices):
        COMPUTED = "computed", _("Computed here")
        UPLOADED = "uploaded", _("Uploaded")

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="metrics")
    name = models.CharField(max_length=200)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.SCORES)
    source = models.CharField(max_length=10, choices=Source)
    method = models.TextField(blank=True, help_text="What exactly was computed, or the file")
    lower_is_better = models.BooleanField(default=False)
    is_judge = models.BooleanField(
        default=False, help_text="A judge's scores, on the scale of the raters"
    )
    own_systems = models.JSONField(
        default=list, blank=True, help_text="Systems that the judge's own model wrote"
    )
    content_csv_gz = models.BinaryField()
    systems = models.PositiveIntegerField(help_text="How many systems have a score")
    outputs = models.PositiveIntegerField(help_text="How many outputs have a score, or verdicts")
    stored_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    stored_at = models.DateTimeField(db_default=Now())

    class Meta:
        ordering = ["campaign", "id"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "name"], name="metric_name_once")
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def shown_name(self) -> str:
        return shown_name(self.name)


class MetricComputation(Job):
    """Computes metrics of a campaign's outputs."""

    campaign = models.ForeignKey(Campaign, models.CASCADE, related_name="metric_computations")
    metrics = models.JSONField(default=list)
    lowercase = models.BooleanField(default=False)
    # Of the texts for which the parts were planned.
    material_sha256 = models.CharField(max_length=64, default="", blank=True)

    class Meta(Job.Meta):
        ordering = ["-requested_at", "-id"]
        constraints = [one_at_a_time("one_metric_computation_at_a_time")]

    def __str__(self) -> str:
        return f"{', '.join(self.metrics)} of {self.campaign}"


class MetricPart(models.Model):
    """One metric of some systems; any worker may compute it, once is enough.

    Parts are deleted when the computation is done.
    """

    computation = models.ForeignKey(
        MetricComputation, models.CASCADE, related_name="parts", db_index=False
    )
    metric = models.CharField(max_length=40)
    number = models.PositiveSmallIntegerField()
    systems = models.JSONField()
    seconds = models.FloatField(help_text="Expected, by a sample that was computed before")
    content_gz = models.BinaryField(null=True, blank=True, help_text="The results as JSON")

    class Meta:
        ordering = ["computation", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["computation", "metric", "number"], name="one_row_per_metric_part"
            )
        ]

    def __str__(self) -> str:
        return f"{self.metric} {self.number} of {self.computation}"
