"""The one clock by which shared tasks are judged."""

from __future__ import annotations

from datetime import datetime

from django.db import connection


def database_now() -> datetime:
    """The time of the database: clocks of web hosts may differ."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
    return now
