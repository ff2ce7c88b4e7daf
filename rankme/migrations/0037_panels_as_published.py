"""Panels as they describe themselves: projects, keys read by a worker, bonuses that they show."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0036_outcome_of_a_failed_quiz")]

    operations = [
        migrations.CreateModel(
            name="PanelKeys",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address", models.CharField(max_length=200, unique=True)),
                ("document", models.JSONField()),
                ("fetched_at", models.DateTimeField()),
            ],
            options={"verbose_name_plural": "panel keys"},
        ),
        migrations.AddField(
            model_name="panelaccount",
            name="project",
            field=models.CharField(blank=True, db_default="", max_length=64),
        ),
        migrations.AlterField(
            model_name="panelstudy",
            name="is_secure",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="panelstudy",
            name="untrusted_entries",
            field=models.PositiveIntegerField(db_default=0, default=0, editable=False),
        ),
        migrations.AddField(
            model_name="panelsubmission",
            name="bonuses_there",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
