"""Temporary errors of the database are told apart from faults of the program."""

import os
import signal
import time

import psycopg2
import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, ReadTimeoutError
from django.db import DataError, IntegrityError, ProgrammingError, connection, transaction
from django.db.utils import DatabaseError, Error

from rankme.database_errors import in_one_line, is_outage, is_temporary
from rankme.models import Campaign
from tests.campaigns import make_campaign


def run(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_server_that_restarts_under_a_transaction_is_temporary(live_site):
    """The kernel kills one backend, PostgreSQL ends all others, and psycopg2 gives no SQLSTATE."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    settings = connection.settings_dict
    other = psycopg2.connect(host=settings["HOST"], dbname=settings["NAME"], user=settings["USER"])
    os.kill(other.info.backend_pid, signal.SIGKILL)
    time.sleep(1)
    try:
        with pytest.raises(DatabaseError) as lost:
            run("SELECT 1")
    finally:
        other.close()
        connection.close()
    assert type(lost.value) is DatabaseError, "psycopg2 has learnt to say OperationalError"
    assert is_temporary(lost.value)
    assert "\n" not in in_one_line(lost.value)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("limit", ["idle_in_transaction_session_timeout", "transaction_timeout"])
def test_a_connection_that_a_time_limit_closed_is_temporary(limit):
    with pytest.raises(Error, match="connection") as ended, transaction.atomic():
        run(f"SET {limit} = '50ms'")
        time.sleep(0.3)
        run("SELECT 1")
    connection.close()
    assert is_temporary(ended.value)


@pytest.mark.parametrize(
    "trouble",
    [
        EndpointConnectionError(endpoint_url="http://127.0.0.1:9"),
        ReadTimeoutError(endpoint_url="http://127.0.0.1:9"),
        ClientError({"Error": {"Code": "SlowDown"}}, "GetObject"),
    ],
    ids=lambda trouble: type(trouble).__name__,
)
def test_a_bucket_that_hangs_or_refuses_is_an_outage(trouble):
    assert is_outage(trouble)
    assert not is_temporary(FileNotFoundError("one file"))


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("SELECT nothing FROM nowhere", ProgrammingError),
        ("SELECT 1 / 0", DataError),
        ("INSERT INTO rankme_ratebucket VALUES (NULL)", IntegrityError),
    ],
)
def test_faults_of_the_program_are_not(statement, kind):
    with pytest.raises(kind) as fault:
        run(statement)
    assert not is_temporary(fault.value)


@pytest.mark.django_db
def test_djangos_own_database_errors_are_not():
    campaign = make_campaign()
    Campaign.objects.filter(pk=campaign.pk).update(title="x")
    with pytest.raises(DatabaseError) as refused:
        Campaign(pk=2**40, owner=campaign.owner).save(force_update=True)
    assert not is_temporary(refused.value)
