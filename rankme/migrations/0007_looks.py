"""Looks at campaigns while they run: requests, and rows that are added and never changed."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


RULES = """
CREATE TRIGGER look_is_insert_only BEFORE UPDATE OR DELETE ON rankme_look
    FOR EACH ROW EXECUTE FUNCTION rankme_forbid_change();
CREATE TRIGGER look_is_never_emptied BEFORE TRUNCATE ON rankme_look
    FOR EACH STATEMENT EXECUTE FUNCTION rankme_forbid_change();
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0006_mixed_percent"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Look",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveSmallIntegerField()),
                ("raters", models.PositiveIntegerField()),
                ("data_sha256", models.CharField(max_length=64)),
                ("result", models.JSONField()),
                ("proposes_to_stop", models.BooleanField()),
                (
                    "taken_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="looks",
                        to="rankme.campaign",
                    ),
                ),
                (
                    "taken_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["campaign", "number"],
                "constraints": [
                    models.UniqueConstraint(fields=("campaign", "number"), name="look_number_once")
                ],
            },
        ),
        migrations.CreateModel(
            name="LookRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "Queued"),
                            ("working", "Working"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("cancelled", "Cancelled"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("progress", models.FloatField(default=0.0, help_text="Share done, 0 to 1")),
                (
                    "step",
                    models.CharField(
                        blank=True, help_text="What is being done now", max_length=200
                    ),
                ),
                ("error", models.TextField(blank=True)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("claimed_by", models.CharField(blank=True, max_length=200)),
                (
                    "requested_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("heartbeat_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="look_requests",
                        to="rankme.campaign",
                    ),
                ),
                (
                    "requested_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-requested_at", "-id"],
                "abstract": False,
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ["queued", "working"])),
                        fields=["requested_at"],
                        name="lookrequest_under_way",
                    )
                ],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("state__in", ["queued", "working"])),
                        fields=("campaign",),
                        name="one_look_at_a_time",
                    )
                ],
            },
        ),
        migrations.RunSQL(RULES),
    ]
