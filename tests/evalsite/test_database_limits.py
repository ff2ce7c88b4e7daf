"""Database limits end whatever hangs: lock waits, transactions and dead connections."""

import pytest

from tests.live import LiveSite, run_python

SHOW = """
{before}
import django; django.setup()
from django.db import connection
with connection.cursor() as cursor:
    names = ("lock_timeout", "idle_in_transaction_session_timeout", "statement_timeout")
    for name in names:
        cursor.execute("SHOW " + name)
        print(cursor.fetchone()[0])
told = connection.connection.get_dsn_parameters()
print(told["tcp_user_timeout"], told.get("options") or None)
"""


@pytest.mark.parametrize(
    ("process", "before", "statement_timeout"),
    [("web", "import evalsite.gunicorn", "15s"), ("worker", "", "0")],
)
def test_each_process_has_its_limits(
    site_without_web: LiveSite, process, before, statement_timeout
):
    """An import of a million rows takes longer than a page may: workers have no such limit.

    None is an option of the connection's start, which PgBouncer refuses.
    """
    shown = run_python(["-c", SHOW.format(before=before)], site_without_web.environment)
    assert shown.stdout.split() == ["10s", "2min", statement_timeout, "10000", "None"], shown.stderr
