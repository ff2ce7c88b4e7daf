"""The statements that each rater ticked before the work."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0015_member_invitations")]

    operations = [
        migrations.AddField(
            "participant", "ticked", models.JSONField(blank=True, db_default=[], default=list)
        ),
    ]
