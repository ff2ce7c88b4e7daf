"""Statements written by hand, for what Django's ORM cannot say or says at a multiple of the time.

Most contain the counting rule, which is one text of SQL (`counting`) for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection


def rows_of(statement: str, values: Sequence[Any] | Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """Run a statement and fetch all of its rows."""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows
