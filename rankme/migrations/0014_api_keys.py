"""Keys for scripts with a role, campaigns, an end and a throttle; those of before come along.

The old table stays for servers of the release before, which read it during the upgrade.
"""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

ROLES = ["owner", "editor", "monitor", "analyst", "curator", "auditor", "viewer"]

KEYS = """
INSERT INTO rankme_apikey
    (owner_id, name, hash, role, in_all_campaigns, calls_per_minute, made_at, ends_at)
    SELECT user_id, '', key, 'owner', true, 600, created, now() + interval '366 days'
    FROM authtoken_token;

CREATE OR REPLACE FUNCTION rankme_end_keys_of_changed_password() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM authtoken_token WHERE user_id = NEW.id;
    UPDATE rankme_apikey SET revoked_at = now() WHERE owner_id = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
END $$;
"""
BACK = """
CREATE OR REPLACE FUNCTION rankme_end_keys_of_changed_password() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM authtoken_token WHERE user_id = NEW.id;
    RETURN NULL;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0013_roles"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ApiKey",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=100)),
                ("hash", models.CharField(max_length=40, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[(role, role.capitalize()) for role in ROLES], max_length=10
                    ),
                ),
                ("in_all_campaigns", models.BooleanField(default=True)),
                ("calls_per_minute", models.PositiveIntegerField(default=600)),
                (
                    "made_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
                ),
                ("ends_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(null=True)),
                (
                    "campaigns",
                    models.ManyToManyField(
                        blank=True, related_name="api_keys", to="rankme.campaign"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="api_keys",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-made_at", "-id"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("role__in", ROLES)), name="key_role_is_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ends_at__gt", models.F("made_at"))),
                        name="key_ends_after_it_was_made",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("calls_per_minute__gt", 0)),
                        name="key_allows_some_calls",
                    ),
                ],
            },
        ),
        migrations.RunSQL(KEYS, BACK),
    ]
