from django.db import migrations, models

FILL = """
UPDATE rankme_membership SET username = auth_user.username
FROM auth_user WHERE auth_user.id = rankme_membership.user_id
"""


class Migration(migrations.Migration):

    dependencies = [
        ("rankme", "0014_runs_keep_an_anchor"),
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.AddField(
            "membership",
            "username",
            models.CharField(db_index=True, default="", max_length=150),
            preserve_default=False,
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        migrations.RemoveConstraint("membership", "one_membership_per_user"),
        migrations.RemoveField("membership", "user"),
        migrations.AddConstraint(
            "membership",
            models.UniqueConstraint(
                fields=["campaign", "username"], name="one_membership_per_username"
            ),
        ),
    ]
