"""Campaigns that accounts leave out of their list."""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("rankme", "0016_ticked_statements"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            "campaign",
            "hidden_by",
            models.ManyToManyField(
                related_name="hidden_campaigns", to=settings.AUTH_USER_MODEL
            ),
        ),
    ]
