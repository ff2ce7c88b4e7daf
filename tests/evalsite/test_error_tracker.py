"""What an error tracker gets of an error: enough to repair it, and nothing that a person sent."""

import json
import logging
from collections.abc import Iterator

import pytest
from sentry_sdk.envelope import Envelope
from sentry_sdk.transport import Transport

from analysis.signature import VERSION
from evalsite.operation import error_tracker
from evalsite.operation.error_tracker import report_errors

ADDRESS = "https://key@tracker.example.org/1"
PERSON = "5f1e2d3c4b5a69788796a5b4"
log = logging.getLogger("rankme.somewhere")


class Kept(Transport):
    """Keeps what would be sent."""

    def __init__(self, options=None) -> None:
        super().__init__(options)
        kept.append(self)
        self.sent: list[dict] = []

    def capture_envelope(self, envelope: Envelope) -> None:
        self.sent += [item.payload.json for item in envelope.items]


kept: list[Kept] = []


@pytest.fixture
def tracker() -> Iterator[Kept]:
    report_errors(ADDRESS, "production", transport=Kept)
    yield kept[-1]
    send_nothing()


def send_nothing() -> None:
    """And let nothing of the SDK look into the requests and statements of later tests."""
    report_errors("", "production")


def fail(rater: str) -> None:
    answers = {"comment": rater}
    try:
        raise ValueError(f"PROLIFIC_PID={rater} in {answers}")
    except ValueError:
        log.exception("No page for /r/x/?PROLIFIC_PID=%s", rater, extra={"request": answers})


def test_an_error_arrives_with_its_place_and_without_people(tracker: Kept):
    fail(PERSON)
    log.warning("Not an error")
    (event,) = tracker.sent
    (error,) = event["exception"]["values"]
    assert error["type"] == "ValueError"
    assert error["stacktrace"]["frames"][-1]["function"] == "fail"
    assert event["release"] == VERSION
    assert event["logentry"]["message"].startswith("No page for")
    assert PERSON not in json.dumps(event)


def test_without_the_list_of_what_is_sent_people_would_be_in_it(monkeypatch):
    monkeypatch.setattr(error_tracker, "without_people", lambda event, hint: event)
    report_errors(ADDRESS, "production", transport=Kept)
    try:
        fail(PERSON)
        assert PERSON in json.dumps(kept[-1].sent, default=str)
    finally:
        send_nothing()


def test_without_an_address_nothing_is_sent():
    before = [len(one.sent) for one in kept]
    fail(PERSON)
    assert [len(one.sent) for one in kept] == before
