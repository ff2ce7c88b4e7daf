"""Changes that the database itself refuses."""

import pytest
from django.db import DatabaseError, connection, transaction


def change(statement: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        # What still waits for the end of the test's transaction would refuse ALTER TABLE.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(statement)


def assert_kept_by(trigger: str, table: str, assignment: str, message: str) -> None:
    """The first row of a table is neither changed nor deleted, and it is the trigger's doing."""
    first = f"WHERE id = (SELECT min(id) FROM {table})"
    with pytest.raises(DatabaseError, match=message):
        change(f"UPDATE {table} SET {assignment} {first}")
    with pytest.raises(DatabaseError, match=message):
        change(f"DELETE FROM {table} {first}")
    # The trigger's own doing: without it the change goes through.
    change(f"DROP TRIGGER {trigger} ON {table}")
    change(f"UPDATE {table} SET {assignment} {first}")
