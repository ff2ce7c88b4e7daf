"""The roles of members; those of before could do what editors can."""

from django.contrib.postgres.operations import AddConstraintNotValid, ValidateConstraint
from django.db import migrations, models

ROLES = ["editor", "monitor", "analyst", "curator", "auditor", "viewer"]


class Migration(migrations.Migration):
    dependencies = [("rankme", "0012_erasures")]

    operations = [
        migrations.AddField(
            model_name="membership",
            name="role",
            field=models.CharField(
                choices=[(role, role.capitalize()) for role in ROLES],
                db_default="editor",
                default="editor",
                max_length=10,
            ),
        ),
        AddConstraintNotValid(
            model_name="membership",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ROLES)), name="member_role_is_known"
            ),
        ),
        ValidateConstraint(model_name="membership", name="member_role_is_known"),
    ]
