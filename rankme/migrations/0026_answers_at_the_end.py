"""What raters answer after the work; skipped questions leave the time alone."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0025_outputs_with_suggested_marks")]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="end_answered_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="participant",
            name="end_answers",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
