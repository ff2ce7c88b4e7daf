"""The two probes, and what a crowd leaves in the log."""

import pytest
from waitress.task import ThreadedTaskDispatcher

from evalsite import error_pages


def test_the_process_is_alive_without_a_database(client):
    assert client.get("/healthz/").status_code == 200


@pytest.mark.django_db
def test_it_is_ready_when_the_database_answers(client):
    answer = client.get("/readyz/")
    assert (answer.status_code, answer.content) == (200, b"ready\n")


def test_a_database_that_is_away_is_503_for_pages_too(client, live_site):
    """Not 500: the site is whole, and what was sent is to be sent again."""
    client.raise_request_exception = False
    live_site.stop_postgresql()
    try:
        answer = client.get("/r/whoever/")
    finally:
        live_site.start_postgresql()
    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5")
    assert "are not lost" in answer.text


def test_an_error_that_is_not_known_to_be_temporary_would_be_500(client, live_site, monkeypatch):
    monkeypatch.setattr(error_pages, "is_temporary", lambda error: False)
    client.raise_request_exception = False
    live_site.stop_postgresql()
    try:
        assert client.get("/r/whoever/").status_code == 500
    finally:
        live_site.start_postgresql()


def test_requests_that_wait_for_a_thread_write_no_lines(caplog):
    """The log would fill in the minute in which many raters come."""
    waiting = ThreadedTaskDispatcher()
    for _ in range(3):
        waiting.add_task(object())
    assert caplog.records == []
