"""A computation of metrics is divided into parts, which several workers compute."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0037_panels_as_published")]

    operations = [
        migrations.AddField(
            "metriccomputation",
            "material_sha256",
            models.CharField(blank=True, default="", max_length=64),
        ),
        migrations.CreateModel(
            "MetricPart",
            [
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("metric", models.CharField(max_length=40)),
                ("number", models.PositiveSmallIntegerField()),
                ("systems", models.JSONField()),
                (
                    "seconds",
                    models.FloatField(help_text="Expected, by a sample that was computed before"),
                ),
                (
                    "content_gz",
                    models.BinaryField(blank=True, help_text="The results as JSON", null=True),
                ),
                (
                    "computation",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="rankme.metriccomputation",
                    ),
                ),
            ],
            options={
                "ordering": ["computation", "id"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=["computation", "metric", "number"], name="one_row_per_metric_part"
                    )
                ],
            },
        ),
    ]
