"""A visit also ends where enough raters have given the same answer to an entry question."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models

Q = models.Q
NAME = "a_code_belongs_to_an_outcome"
ENDED_BY_RULES = ["failed_checks", "failed_quiz", "quota_full", "screened_out", "too_fast"]


class Migration(migrations.Migration):
    dependencies = [("rankme", "0020_words_apart")]

    operations = [
        migrations.RemoveConstraint("participant", NAME),
        AddConstraintNotValid(
            "participant",
            models.CheckConstraint(
                name=NAME,
                condition=(
                    Q(state="completed", completed_at__isnull=False)
                    & Q(outcome__in=["completed", "late"])
                    & ~Q(completion_code="")
                )
                | Q(state="returned", outcome="returned", completed_at=None)
                | Q(state="screened_out", outcome__in=ENDED_BY_RULES, completed_at=None)
                | ~Q(state="completed") & Q(outcome="", completion_code="", completed_at=None),
            ),
        ),
        ValidateConstraint("participant", NAME),
    ]
