"""Raters who withdraw from their own page, and the consent that each of them gave."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models

BEFORE = models.Q(decided_by=None) & ~models.Q(rule="") | models.Q(
    decided_by__isnull=False, rule=""
)


class Migration(migrations.Migration):
    dependencies = [("rankme", "0010_webhooks")]

    operations = [
        migrations.AddField(
            "participant", "withdrawn_at", models.DateTimeField(blank=True, null=True)
        ),
        migrations.AddField(
            "participant",
            "consent_version",
            models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            "raterexclusion", "by_rater", models.BooleanField(db_default=False, default=False)
        ),
        migrations.RemoveConstraint("raterexclusion", "a_person_or_a_rule_excludes"),
        AddConstraintNotValid(
            "raterexclusion",
            models.CheckConstraint(
                name="a_person_a_rule_or_the_rater_excludes",
                condition=models.Q(by_rater=False) & BEFORE
                | models.Q(by_rater=True, decided_by=None, rule=""),
            ),
        ),
        ValidateConstraint("raterexclusion", "a_person_a_rule_or_the_rater_excludes"),
    ]
