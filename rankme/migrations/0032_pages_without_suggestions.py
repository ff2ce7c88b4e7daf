"""Which pages of a sitting were drawn to have no suggested marks."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0031_mail_to_raters")]

    operations = [
        migrations.AddField(
            "assignment",
            "held_out",
            models.JSONField(blank=True, db_default=[], default=list),
        ),
    ]
