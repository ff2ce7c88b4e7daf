"""A judgement has a value or the reason why the rater could not judge, never both."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("rankme", "0026_answers_at_the_end")]

    operations = [
        migrations.AddField(
            model_name="judgement",
            name="cannot_judge",
            field=models.CharField(blank=True, max_length=60, null=True),
        ),
        migrations.AddConstraint(
            model_name="judgement",
            constraint=models.CheckConstraint(
                condition=Q(cannot_judge=None) | Q(value=None, text=""),
                name="a_value_or_cannot_judge",
            ),
        ),
    ]
