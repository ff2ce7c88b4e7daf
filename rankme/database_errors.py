"""Which errors of the database and the bucket are temporary: the same work can succeed later."""

from __future__ import annotations

import psycopg2
from botocore.exceptions import BotoCoreError, ClientError
from django.db import DatabaseError, InterfaceError, OperationalError

# A file that is not there is a `FileNotFoundError`; these say that the bucket hangs or refuses.
BUCKET_TROUBLE = (BotoCoreError, ClientError)

# PostgreSQL ended a transaction that was idle, or open, for too long, and closed the connection.
# psycopg2 counts these among the faults of the program.
CLOSED_BY_A_TIME_LIMIT = {"25P03", "25P04"}


def is_temporary(error: BaseException) -> bool:
    """Whether database or bucket were away, restarting, full or too slow, and may be back soon.

    When the server dies during a statement, psycopg2 raises a bare `DatabaseError` without a
    SQLSTATE. Django's own bare `DatabaseError`s do not come from the driver.
    """
    if isinstance(error, (OperationalError, InterfaceError, *BUCKET_TROUBLE)):
        return True
    if not isinstance(error, DatabaseError):
        return False
    cause = error.__cause__
    if not isinstance(cause, psycopg2.Error):
        return False
    lost_in_a_statement = type(cause) is psycopg2.DatabaseError and cause.pgcode is None
    return lost_in_a_statement or cause.pgcode in CLOSED_BY_A_TIME_LIMIT


# By class of SQLSTATE: connections, insufficient resources (a full disk), operator intervention.
OUTAGES = ("08", "53", "57P")


def is_outage(error: BaseException) -> bool:
    """Whether database or bucket were away or full, regardless of the work.

    Other temporary errors (a deadlock, a time limit) may come from the work itself.
    """
    if not is_temporary(error):
        return False
    code = getattr(error.__cause__, "pgcode", None)
    return code is None or code.startswith(OUTAGES)


def in_one_line(error: BaseException) -> str:
    """The error's message for the log; PostgreSQL spreads its messages over several lines."""
    return " ".join(str(error).split())
