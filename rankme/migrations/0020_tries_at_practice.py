"""Tries at practice examples are counted by the server."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0019_panels_of_paid_raters")]

    operations = [
        migrations.AddField(
            model_name="participant",
            name="practice",
            field=models.JSONField(blank=True, db_default={}, default=dict),
        ),
    ]
