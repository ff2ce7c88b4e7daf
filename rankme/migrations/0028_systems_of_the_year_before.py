"""A baseline may be a system that people judged in the task of the year before."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0027_tasks_of_the_next_year")]

    operations = [
        migrations.AddField(
            "teamsystem",
            "judged_before",
            models.ForeignKey(
                "rankme.systemcode",
                models.DO_NOTHING,
                null=True,
                blank=True,
                related_name="+",
                db_constraint=False,
                db_index=False,
            ),
        ),
    ]
