"""A run keeps how often raters could not judge: its table has no rows of such answers."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0030_pictures_sounds_and_films")]

    operations = [
        migrations.AddField(
            model_name="analysisrun",
            name="declined",
            field=models.JSONField(
                blank=True,
                db_default={},
                default=dict,
                help_text="by criterion, counts of raters who could not judge",
            ),
        ),
    ]
