"""A screen as it was sent: what is read from it, and what is refused before anything uses it."""

import json
from uuid import UUID

import pytest

from rankme.errors import InvalidAnswer
from rankme.protocols.exchange.sent_screen import OtherVersion, SentScreen, SentTimes, read_sent

KEY = "7b8c0c9a-3a54-4f0e-9d11-0c8a5a3f7a10"


def sent(**changes):
    return {
        "version": 1,
        "key": KEY,
        "assignment": 3,
        "trial": 0,
        "screen": 1,
        "answers": [],
        "times": {"spent_ms": 1500, "hidden": True},
        "comment": "",
    } | changes


def problems_of(document):
    with pytest.raises(InvalidAnswer) as refused:
        SentScreen.read(document)
    return [(problem.place, problem.message) for problem in refused.value.problems]


def test_a_screen_is_read_once_and_kept_as_it_came():
    document = sent(replaces=KEY)
    screen = SentScreen.read(document)
    assert (screen.key, screen.assignment, screen.trial, screen.screen) == (UUID(KEY), 3, 0, 1)
    assert screen.times == SentTimes(spent_seconds=1.5, page_was_hidden=True)
    assert screen.replaces == KEY
    assert screen.document is document


def test_every_part_of_the_address_that_is_wrong_is_named():
    document = sent(key="x", assignment=True, trial=-1, screen="1")
    assert [place for place, _ in problems_of(document)] == [
        "key",
        "assignment",
        "trial",
        "screen",
    ]


def test_unknown_fields_are_refused_before_the_address_is_read():
    assert problems_of({"key": "x", "more": 1}) == [("more", "is not a field of a submission")]


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (json.dumps(sent(comment="\x00")), "comment"),
        (json.dumps({"version": 1, "complaint": "\x00"}), "complaint"),
        ("[]", ""),
        ("{", ""),
    ],
)
def test_bodies_that_cannot_be_stored_are_refused_with_the_place(body, place):
    with pytest.raises(InvalidAnswer) as refused:
        read_sent(body.encode())
    assert refused.value.problems[0].place == place


def test_submissions_of_other_releases_are_kept_unread():
    body = json.dumps(sent(version=2, comment="\x00", more=1)).encode()
    assert read_sent(body) == OtherVersion(body.decode(), 2)


@pytest.mark.parametrize("times", [None, [], "soon", {"spent_ms": True}, {"spent_ms": "9"}])
def test_values_that_are_not_times_are_left_out(times):
    assert SentScreen.read(sent(times=times)).times == SentTimes()


def test_an_invalid_key_replaces_nothing():
    assert SentScreen.read(sent(replaces=7)).replaces is None
