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
print(connection.connection.get_dsn_parameters()["tcp_user_timeout"])
"""


@pytest.mark.parametrize(
    ("process", "before", "statement_timeout"),
    [("web", "import evalsite.gunicorn", "15s"), ("worker", "", "0")],
)
def test_each_process_has_its_limits(
    site_without_web: LiveSite, process, before, statement_timeout
):
    """An import of a million rows takes longer than a page may: workers have no such limit."""
    shown = run_python(["-c", SHOW.format(before=before)], site_without_web.environment)
    assert shown.stdout.split() == ["10s", "2min", statement_timeout, "10000"], shown.stderr
