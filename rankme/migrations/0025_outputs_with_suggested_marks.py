"""Outputs can come with marks that raters confirm, change or remove."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0024_credits_and_studies_of_raters")]

    operations = [
        migrations.AddField(
            model_name="output",
            name="marks",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
