"""A shared task knows the task of the year before, from which it was copied."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0026_words_of_old_submissions")]

    operations = [
        migrations.AddField(
            "sharedtask",
            "copied_from",
            models.ForeignKey(
                "rankme.sharedtask",
                models.PROTECT,
                null=True,
                blank=True,
                editable=False,
                related_name="copies",
                db_constraint=False,
                db_index=False,
            ),
        ),
    ]
