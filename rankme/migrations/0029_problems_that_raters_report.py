"""What raters report as wrong with an item; only whether it is dealt with ever changes."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.db import migrations, models


def trigger(name: str, events: str, each: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"CREATE TRIGGER complaint_{name} BEFORE {events} ON rankme_complaint"
        f" FOR EACH {each} EXECUTE FUNCTION rankme_forbid_change()",
        f"DROP TRIGGER complaint_{name} ON rankme_complaint",
    )


def protected(to: str, **options) -> models.ForeignKey:
    return models.ForeignKey(
        on_delete=django.db.models.deletion.PROTECT, related_name="complaints", to=to, **options
    )


class Migration(migrations.Migration):
    dependencies = [("rankme", "0028_extensions_of_large_plans")]

    operations = [
        migrations.CreateModel(
            name="Complaint",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.UUIDField(unique=True)),
                ("screen", models.PositiveSmallIntegerField()),
                ("text", models.TextField()),
                (
                    "received_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now()
                    ),
                ),
                ("dealt_with_at", models.DateTimeField(blank=True, null=True)),
                ("campaign", protected("rankme.campaign")),
                ("participant", protected("rankme.participant")),
                ("assignment", protected("rankme.assignment")),
                ("trial", protected("rankme.trial", blank=True, null=True)),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("text", ""), _negated=True),
                        name="a_complaint_says_something",
                    )
                ],
            },
        ),
        trigger("is_never_deleted", "DELETE", "ROW"),
        trigger("is_never_emptied", "TRUNCATE", "STATEMENT"),
    ]
