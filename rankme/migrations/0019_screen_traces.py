"""How screens were worked on, in campaigns that keep traces."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0018_shared_tasks")]

    operations = [
        migrations.CreateModel(
            "ScreenTrace",
            [
                (
                    "submission",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="trace",
                        serialize=False,
                        to="rankme.submission",
                    ),
                ),
                ("summary", models.JSONField()),
            ],
        ),
    ]
