"""A lasting link under which a rater with personal links sees the work in all her campaigns."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("rankme", "0029_public_results_of_tasks")]

    operations = [
        migrations.AddField(
            "invitation",
            "work_page",
            models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
        AddIndexConcurrently(
            "invitation",
            models.Index(
                condition=models.Q(("work_page", ""), _negated=True),
                fields=["work_page"],
                name="invitations_by_work_page",
            ),
        ),
    ]
