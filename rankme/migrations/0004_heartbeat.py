"""When beat and the nightly check were last seen."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0003_plan_coverage")]

    operations = [
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=20, unique=True)),
                ("seen_at", models.DateTimeField()),
            ],
        ),
    ]
