"""The phases of an upload have the words that its buttons have."""

from django.db import migrations, models

PHASES = [
    ("check", "Checking"),
    ("columns", "Waiting for you to say what the columns are"),
    ("previewed", "Waiting for your decision"),
    ("take", "Importing"),
    ("taken", "Imported"),
    ("dropped", "Discarded"),
]


class Migration(migrations.Migration):
    dependencies = [("rankme", "0032_codes_that_panels_compute")]

    operations = [
        migrations.AlterField(
            model_name="materialimport",
            name="phase",
            field=models.CharField(choices=PHASES, default="check", max_length=10),
        ),
    ]
