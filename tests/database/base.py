"""Django's PostgreSQL, with tables that tests can empty.

After a transactional test Django truncates all tables, which the triggers of the record refuse.
"""

from django.db import OperationalError
from django.db.backends.postgresql import base, operations
from psycopg2.errors import DeadlockDetected

MOST_DEADLOCKS = 5
# Migrations fill them, and no test changes them.
FILLED_TABLES = {"django_content_type", "auth_permission"}


class DatabaseOperations(operations.DatabaseOperations):
    def sql_flush(self, style, tables, **options) -> list[str]:
        """Empty the tables that contain something: truncating all would take longer than tests."""
        return ["SET LOCAL session_replication_role = replica;"] + [
            f"DELETE FROM {self.quote_name(name)};" for name in self.written(tables)
        ]

    def written(self, tables) -> list[str]:
        """Name the tables to which something was ever written."""
        with self.connection.cursor() as cursor:
            cursor.execute(
                "SELECT relname FROM pg_class WHERE relname = ANY(%s) AND pg_relation_size(oid) > 0"
                " AND relnamespace = current_schema()::regnamespace",
                [sorted(set(tables) - FILLED_TABLES)],
            )
            return [name for (name,) in cursor.fetchall()]

    def execute_sql_flush(self, sql_list: list[str]) -> None:
        """Try again after a deadlock: requests of a closed page still lock rows in their order."""
        for _ in range(MOST_DEADLOCKS):
            try:
                return super().execute_sql_flush(sql_list)
            except OperationalError as error:
                if not isinstance(error.__cause__, DeadlockDetected):
                    raise
        return super().execute_sql_flush(sql_list)


class DatabaseWrapper(base.DatabaseWrapper):
    ops_class = DatabaseOperations
