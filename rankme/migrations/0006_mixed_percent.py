"""How many screens of new batches show earlier systems, of extensions that a worker draws."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("rankme", "0005_settled_disagreements")]

    operations = [
        migrations.AddField(
            model_name="planextension",
            name="mixed_percent",
            field=models.PositiveSmallIntegerField(db_default=25, default=25),
        ),
        AddConstraintNotValid(
            model_name="planextension",
            constraint=models.CheckConstraint(
                condition=models.Q(("mixed_percent__lte", 75)), name="new_batches_are_mostly_new"
            ),
        ),
        ValidateConstraint(model_name="planextension", name="new_batches_are_mostly_new"),
    ]
