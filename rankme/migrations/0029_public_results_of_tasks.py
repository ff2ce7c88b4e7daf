"""Hosts publish the results of a shared task, and how much room for systems there is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0028_systems_of_the_year_before")]

    operations = [
        migrations.AddField(
            "sharedtask",
            "published_at",
            models.DateTimeField(null=True, blank=True, editable=False),
        ),
        migrations.AddField(
            "sharedtask", "room", models.JSONField(null=True, blank=True, editable=False)
        ),
    ]
