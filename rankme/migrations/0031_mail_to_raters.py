"""Sealed addresses of personal links, the reminders to them, and who wants no more mail."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0030_work_pages")]

    operations = [
        migrations.AddField(
            "invitation", "mail", models.TextField(blank=True, db_default="", default="")
        ),
        migrations.AddField(
            "invitation", "mail_stopped_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            "invitation", "reminder_asked_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            "invitation", "reminded_at", models.DateTimeField(blank=True, null=True)
        ),
    ]
