"""Web servers, workers and beat, as they were last seen."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0008_request_keys")]

    operations = [
        migrations.CreateModel(
            name="SiteProcess",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("host", models.CharField(max_length=255)),
                (
                    "kind",
                    models.CharField(
                        choices=[("web", "Web"), ("worker", "Worker"), ("beat", "Beat")],
                        max_length=6,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("release", models.CharField(max_length=40)),
                ("clock_seconds", models.FloatField()),
                ("started_at", models.DateTimeField()),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("host", "kind", "number"), name="one_row_for_each_process"
                    )
                ]
            },
        ),
    ]
