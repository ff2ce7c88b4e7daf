"""A code that Microworkers computes has 67 characters."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0031_reports_count_who_could_not_judge")]

    operations = [
        migrations.AlterField(
            model_name="participant",
            name="completion_code",
            field=models.CharField(blank=True, max_length=80),
        ),
    ]
