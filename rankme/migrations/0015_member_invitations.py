"""Links with which accounts become members, and an end to invitations of names."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

ROLES = ["editor", "monitor", "analyst", "curator", "auditor", "viewer"]


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0014_api_keys"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MemberInvitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("hash", models.CharField(max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[(role, role.capitalize()) for role in ROLES], max_length=10
                    ),
                ),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ends_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(null=True)),
                ("accepted_at", models.DateTimeField(null=True)),
                (
                    "campaign",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="member_invitations",
                        to="rankme.campaign",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ROLES)), name="invited_role_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("revoked_at", None), ("accepted_at", None), _connector="OR"
                        ),
                        name="only_what_was_not_revoked_is_accepted",
                    ),
                ],
            },
        ),
        # Names without an account, with which nobody could get in.
        migrations.RunSQL(
            "DELETE FROM rankme_membership WHERE user_id IS NULL", migrations.RunSQL.noop
        ),
    ]
