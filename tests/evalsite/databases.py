"""Databases that tests restore, migrate and look into."""

import contextlib
import gzip
import os
import re
import subprocess
from collections.abc import Iterator

import psycopg2

from evalsite.embedded import PROJECT, Servers
from tests.live import run_python

# Sites of earlier versions; the folder's README says how they were made.
DUMPS = PROJECT / "tests/data/dumps"

SCHEMA = """
    SELECT table_name || '.' || column_name, concat_ws(' ', data_type, is_nullable, column_default)
        FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL SELECT concat_ws('.', conrelid::regclass, conname), pg_get_constraintdef(oid)
        FROM pg_constraint WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL SELECT concat_ws('.', tgrelid::regclass, tgname), pg_get_triggerdef(oid)
        FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace
"""


@contextlib.contextmanager
def connected(url: str) -> Iterator[psycopg2.extensions.cursor]:
    with contextlib.closing(psycopg2.connect(url)) as session:
        session.autocommit = True
        yield session.cursor()


def restore(version: str, url: str) -> None:
    """Fill an empty database with the dump of an earlier version."""
    with connected(url) as cursor:
        cursor.execute(gzip.decompress((DUMPS / f"{version}.sql.gz").read_bytes()).decode())


def manage(servers: Servers, *arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    environment = {"DATA_FOLDER": str(servers.folder), "ENVIRONMENT": "local"} | settings
    return run_python(["manage.py", *arguments], environment | {"PATH": os.environ["PATH"]})


def schema(cursor: psycopg2.extensions.cursor) -> set[tuple[str, str]]:
    """Tables, constraints, indexes, triggers and functions.

    Casts and brackets are left out: PostgreSQL spells them differently after a restore.
    """
    cursor.execute(SCHEMA)
    spelling = re.compile(r"::(character varying|text)(\[\])?|[()\s]")
    return {(name, spelling.sub("", definition)) for name, definition in cursor.fetchall()}
