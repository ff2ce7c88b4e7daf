"""A member is an account: a name without one stays an invitation that nobody can use later."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models import Q

# Names are matched once, now. Nothing says who has opened the campaign so far: the next visit will.
FILL = """
UPDATE rankme_membership SET user_id = auth_user.id
FROM auth_user WHERE auth_user.username = rankme_membership.username
"""


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0034_places_added_at_the_panel_are_counted"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "membership",
            "user",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="memberships",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField("membership", "opened_at", models.DateTimeField(null=True)),
        # The foreign key's check of the filled rows would wait for the end of the transaction, and
        # until then no constraint could be added to the table.
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RunSQL("SET CONSTRAINTS ALL DEFERRED", migrations.RunSQL.noop),
        migrations.RemoveConstraint("membership", "one_membership_per_username"),
        migrations.AlterField("membership", "username", models.CharField(max_length=150)),
        migrations.AddConstraint(
            "membership",
            models.UniqueConstraint(
                fields=["campaign", "user"], name="one_membership_per_account"
            ),
        ),
        migrations.AddConstraint(
            "membership",
            models.UniqueConstraint(
                fields=["campaign", "username"],
                condition=Q(user=None),
                name="one_open_invitation_per_name",
            ),
        ),
        migrations.AddConstraint(
            "membership",
            models.CheckConstraint(
                condition=Q(opened_at=None) | Q(user__isnull=False),
                name="only_an_account_opens_a_campaign",
            ),
        ),
    ]
