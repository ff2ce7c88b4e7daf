"""What each batch of a plan shows, counted once and stored."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0002_rules")]

    operations = [
        migrations.CreateModel(
            name="PlanCoverage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("systems", models.BinaryField()),
                ("pairs", models.BinaryField()),
                (
                    "campaign",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="plan_coverage",
                        to="rankme.campaign",
                    ),
                ),
            ],
        ),
    ]
