"""The site's role in the database: what it may do, and what it must not be able to do.

The tables belong to an owner, who migrates. Web server, worker and beat connect as another role,
which can add to the record but not change it, no matter what SQL they are tricked into running.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from django.apps import apps
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.migrations.recorder import MigrationRecorder
from psycopg2.extensions import encrypt_password

from rankme.models import Record

ADDRESS = ("USER", "PASSWORD", "HOST", "PORT")
EVERYTHING = "SELECT, INSERT, UPDATE, DELETE"
MAINTAIN_SINCE = 170000
HOW_TO_SEPARATE = (
    "Let DATABASE_URL name a separate role for the site, such as rankme_site, and put the "
    "owner's address into DATABASE_OWNER_URL. `manage.py migrate` creates the role and grants its "
    "rights. See “Two roles” in docs/deployment.md."
)

# What would let a role change the record after all. The role that logged in is asked, because
# SET ROLE can be undone.
POWERS = """
    SELECT unnest(array_remove(ARRAY[
        CASE WHEN rolsuper THEN 'is a superuser' END,
        CASE WHEN rolcreaterole THEN 'may create roles' END,
        CASE WHEN rolcreatedb THEN 'may create databases' END,
        CASE WHEN rolreplication THEN 'may replicate' END,
        CASE WHEN rolbypassrls THEN 'bypasses row security' END
    ], NULL)) FROM pg_roles WHERE rolname = session_user
    UNION ALL
    SELECT 'is a member of ' || rolname FROM pg_roles
    WHERE rolname IN ('pg_execute_server_program', 'pg_write_server_files',
        'pg_read_server_files', 'pg_write_all_data')
        AND pg_has_role(session_user, oid, 'MEMBER')
        AND NOT (SELECT rolsuper FROM pg_roles WHERE rolname = session_user)
"""
POWERS_OVER_A_TABLE = """
    SELECT CASE
        WHEN pg_has_role(session_user, relowner, 'MEMBER') THEN 'owns ' || relname
        WHEN has_table_privilege(session_user, oid, 'UPDATE, DELETE, TRUNCATE, TRIGGER')
            THEN 'may change ' || relname
    END
    FROM pg_class WHERE oid = to_regclass(%s)
"""


def record_models() -> list[type[Record]]:
    return [model for model in apps.get_models() if issubclass(model, Record)]


@contextlib.contextmanager
def as_owner(connection: BaseDatabaseWrapper) -> Iterator[None]:
    """Connect as the owner of the tables, where the settings name one."""
    owner = settings.DATABASE_OWNER
    if owner is None or is_owner(connection):
        yield
        return
    before = {name: connection.settings_dict[name] for name in ADDRESS}
    connection.close()
    connection.settings_dict.update({name: owner[name] for name in ADDRESS})
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(before)


def is_owner(connection: BaseDatabaseWrapper) -> bool:
    """Whether this connection is the owner's, because the settings name one."""
    owner = settings.DATABASE_OWNER
    return owner is not None and connection.settings_dict["USER"] == owner["USER"]


def grant_rights(connection: BaseDatabaseWrapper) -> None:
    """Give the site's role exactly its rights; a second time changes nothing.

    Rights that the role had and should not have are taken away. Without a second role there is
    nothing to do.
    """
    if not is_owner(connection):
        return
    role = settings.DATABASE_SITE["USER"]
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        _create_role(cursor, role)
        for statement in _grants(connection, role):
            cursor.execute(statement)


def _create_role(cursor: CursorWrapper, role: str) -> None:
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
    if cursor.fetchone():
        return
    cursor.execute("SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = session_user")
    if not cursor.fetchone()[0]:
        raise ImproperlyConfigured(
            f"There is no role {role}, and the owner of the database may not create one. "
            f"Let an administrator run: CREATE ROLE {role} LOGIN PASSWORD '…'"
        )
    quoted = cursor.db.ops.quote_name(role)
    cursor.execute(f"CREATE ROLE {quoted} LOGIN")
    if settings.DATABASE_SITE["PASSWORD"]:
        cursor.execute(f"ALTER ROLE {quoted} PASSWORD %s", [_hashed_password(cursor, role)])


def _hashed_password(cursor: CursorWrapper, role: str) -> str:
    """Hash the password here: the statement may end up in a log of the server."""
    password = settings.DATABASE_SITE["PASSWORD"]
    return encrypt_password(password, role, scope=cursor.db.connection, algorithm="scram-sha-256")


def _grants(connection: BaseDatabaseWrapper, role: str) -> Iterator[str]:
    quote = connection.ops.quote_name
    role = quote(role)
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_schema(), current_setting('server_version_num')::int")
        schema, version = cursor.fetchone()
    schema = quote(schema)
    yield f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {role}"
    existing = set(connection.introspection.table_names())
    tables: list[type[models.Model]] = [
        *apps.get_models(include_auto_created=True),
        MigrationRecorder.Migration,
    ]
    for model in tables:
        table = model._meta.db_table
        if table not in existing:
            continue
        yield f"REVOKE ALL ON {quote(table)} FROM {role}"
        yield f"GRANT {rights_on(model, quote)} ON {quote(table)} TO {role}"
        if version >= MAINTAIN_SINCE:
            # For ANALYZE after an import. Before PostgreSQL 17 only the owner may do that.
            yield f"GRANT MAINTAIN ON {quote(table)} TO {role}"
    # To draw numbers (nextval), but not to set a sequence back.
    yield f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {role}"


def rights_on(model: type[models.Model], quote: Callable[[str], str] = str) -> str:
    """What the site's role may do with the rows of a table, as GRANT spells it."""
    if model is MigrationRecorder.Migration:
        return "SELECT"
    if not issubclass(model, Record):
        return EVERYTHING
    column_of = {field.name: field.column or "" for field in model._meta.concrete_fields}
    columns = [quote(column_of[name]) for name in model.changeable]
    return f"SELECT, INSERT, UPDATE ({', '.join(columns)})" if columns else "SELECT, INSERT"


def powers_over_the_record(connection: BaseDatabaseWrapper) -> list[str]:
    """List the powers by which the connected role could change the record; none is allowed."""
    with connection.cursor() as cursor:
        cursor.execute(POWERS)
        powers = [power for (power,) in cursor.fetchall()]
        if "is a superuser" in powers:
            return ["is a superuser"]
        for model in record_models():
            cursor.execute(POWERS_OVER_A_TABLE, [model._meta.db_table])
            powers += [power for (power,) in cursor.fetchall() if power]
    return powers
