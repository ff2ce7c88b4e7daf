"""Runs keep how many answers had timed out when they read the judgements."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0002_immutable_judgements_and_material"),
    ]

    operations = [
        migrations.AddField(
            model_name="analysisrun",
            name="timed_out",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="by criterion, answers that the table leaves out",
            ),
        ),
    ]
