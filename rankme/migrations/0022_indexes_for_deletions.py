"""Indexes without which deleting a trial or a batch would read all submissions or sittings."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("rankme", "0021_limited_answers")]

    operations = [
        AddIndexConcurrently(
            "submission", models.Index(fields=["trial"], name="submissions_by_trial")
        ),
        AddIndexConcurrently(
            "assignment", models.Index(fields=["batch"], name="sittings_by_batch")
        ),
    ]
