"""Migrations run while raters work, and the release before them works on: what each may do."""

from collections.abc import Iterator

import pytest
from django.contrib.postgres.operations import AddConstraintNotValid, AddIndexConcurrently
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader
from django.db.models.fields import NOT_PROVIDED

# These make the tables of a new site; older databases are upgraded by SQL.
FIRST = {"0001_tables", "0002_rules"}
COLUMN = "a new column is nullable or has a db_default: the release before does not fill it"
INDEX = "an index on an existing table is made CONCURRENTLY (AddIndexConcurrently), not atomically"
CONSTRAINT = "a constraint comes as NOT VALID (AddConstraintNotValid), and is validated afterwards"
REMOVAL = "what the release before still uses goes one release later: say so in `gone_since`"


def problems(operations: list) -> Iterator[str]:
    """Say what these operations may not do to tables that they do not make themselves."""
    new = {each.name_lower for each in operations if isinstance(each, migrations.CreateModel)}
    for each in operations:
        if getattr(each, "model_name_lower", None) in new:
            continue
        match each:
            case migrations.AddField(field=field):
                if not (field.null or field.many_to_many or field.db_default is not NOT_PROVIDED):
                    yield COLUMN
                elif isinstance(field, models.ForeignKey) and field.db_constraint:
                    yield CONSTRAINT
            case AddIndexConcurrently() | AddConstraintNotValid():
                pass
            case migrations.AddIndex():
                yield INDEX
            case migrations.AddConstraint():
                yield CONSTRAINT
            case migrations.RemoveField() | migrations.DeleteModel() | migrations.RenameField():
                yield REMOVAL


def test_migrations_hold_up_no_rater_and_no_older_release():
    later = {
        name: migration
        for (app, name), migration in MigrationLoader(None).disk_migrations.items()
        if app == "rankme" and name not in FIRST
    }
    assert later
    found = {
        name: [each for each in problems(migration.operations) if each != REMOVAL]
        if getattr(migration, "gone_since", "")
        else list(problems(migration.operations))
        for name, migration in later.items()
    }
    assert {name: said for name, said in found.items() if said} == {}


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        (migrations.AddField("Item", "n", models.IntegerField(default=1)), COLUMN),
        (migrations.AddField("Item", "n", models.IntegerField(db_default=1)), None),
        (migrations.AddField("Item", "n", models.IntegerField(null=True)), None),
        (
            migrations.AddField("Item", "n", models.ForeignKey("Item", models.CASCADE, null=True)),
            CONSTRAINT,
        ),
        (migrations.AddIndex("Item", models.Index(fields=["key"], name="i")), INDEX),
        (AddIndexConcurrently("Item", models.Index(fields=["key"], name="i")), None),
        (
            migrations.AddConstraint(
                "Item", models.CheckConstraint(condition=models.Q(key=1), name="c")
            ),
            CONSTRAINT,
        ),
        (migrations.RemoveField("Item", "key"), REMOVAL),
    ],
)
def test_each_rule_finds_its_own_breach(operation, problem):
    assert list(problems([operation])) == ([problem] if problem else [])
    made_here = migrations.CreateModel("Item", fields=[("key", models.TextField())])
    assert list(problems([made_here, operation])) == []
