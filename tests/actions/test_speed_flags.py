"""Speeders are flagged by the server's clock, whatever their browser says; nobody is refused."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from rankme.actions.sitting import assignments
from rankme.actions.sitting.speed_flags import Sitting, speed_flags
from rankme.models import Assignment, Participant, Slot, Submission
from rankme.protocols.exchange.sent_screen import SentTimes
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.sittings import answer, claim

LEAST = 3.0


@pytest.fixture
def held(db) -> Assignment:
    definition = slider_definition(crowd={"least_seconds_per_screen": LEAST})
    return claim(make_rater(make_campaign(definition, items=4, systems=1)))


def handed_out_ago(held: Assignment, **ago: float) -> None:
    Assignment.objects.filter(pk=held.pk).update(claimed_at=Now() - timedelta(**ago))


def flags() -> list[list[str]]:
    return list(Submission.objects.order_by("id").values_list("flags", flat=True))


def test_times_that_are_missing_or_no_numbers_are_flagged_and_the_servers_count(held):
    """A whole batch within a fraction of a second, an hour after it was handed out."""
    handed_out_ago(held, hours=1)
    for trial in range(4):
        answer(held, trial, **({"times": {"spent_ms": "4000"}} if trial % 2 else {}))
    first, *rest = flags()
    assert first == ["no time"], "an hour has passed: nothing says that this one was fast"
    assert rest == [["no time", "fast"]] * 3


def test_forged_times_that_no_clock_had_room_for_are_flagged(held):
    """Four screens at once, each with four claimed seconds."""
    for trial in range(4):
        answer(held, trial, times={"spent_ms": 4_000})
    assert flags() == [["impossible time", "fast"]] * 4


def test_forged_times_that_fit_one_by_one_are_flagged_by_their_sum(held):
    handed_out_ago(held, seconds=15)
    for trial in range(4):
        answer(held, trial, times={"spent_ms": 6_000})
    assert flags() == [[], [], ["impossible time", "fast"], ["impossible time", "fast"]]


def test_a_batch_that_is_younger_than_its_screens_take_is_fast_whatever_is_claimed(held):
    handed_out_ago(held, seconds=7)
    for trial in range(4):
        answer(held, trial, times={"spent_ms": 0.5 + LEAST})
    assert ["fast" in found for found in flags()] == [True] * 4
    handed_out_ago(held, seconds=7)
    possible = Sitting(age=7, others=2, claimed=6, since_last=0.1, lately=3)
    assert speed_flags(SentTimes.read({"spent_ms": 3_000}), possible, least_seconds=LEAST) == [
        "fast"
    ]


def test_screens_answered_without_a_connection_and_sent_at_once_are_not_flagged(held):
    """The outbox sends them in one burst; their times fit into the time since the hand-out."""
    handed_out_ago(held, seconds=60)
    for trial in range(4):
        answer(held, trial, times={"spent_ms": 14_500})
    assert flags() == [[]] * 4


def test_a_screen_that_is_opened_again_does_not_count_twice(held):
    """Its time continues from where it was."""
    handed_out_ago(held, seconds=60)
    first = answer(held, 0, times={"spent_ms": 50_000})
    answer(held, 0, times={"spent_ms": 55_000}, replaces=str(first.key))
    answer(held, 1, times={"spent_ms": 4_000})
    assert flags() == [[]] * 3


def test_small_differences_of_clocks_are_not_flagged():
    hour = Sitting(age=3600, others=9, claimed=3500, since_last=100, lately=1)
    assert speed_flags(SentTimes.read({"spent_ms": 130_000}), hour, least_seconds=LEAST) == []
    assert "impossible time" in speed_flags(
        SentTimes.read({"spent_ms": 150_000}), hour, least_seconds=LEAST
    )


def test_a_negative_time_is_impossible():
    sitting = Sitting(age=3600, others=0, claimed=0, since_last=None, lately=0)
    assert speed_flags(SentTimes.read({"spent_ms": -1}), sitting, least_seconds=LEAST) == [
        "impossible time"
    ]


def test_numbers_of_any_size_are_flagged_and_stored(held):
    for trial, spent in enumerate([9e18, -9e18, 2**62, -(2**62)]):
        answer(held, trial, times={"spent_ms": spent})
    assert all("impossible time" in found for found in flags())


# Where a campaign ends the work of those who are too fast ---------------------------------------


@pytest.fixture
def strict(db) -> Assignment:
    crowd = {"least_seconds_per_screen": LEAST, "too_fast": "end"}
    return claim(make_rater(make_campaign(slider_definition(crowd=crowd), items=4, systems=1)))


def test_a_screen_below_the_minimum_ends_the_work_and_frees_the_batch(strict):
    handed_out_ago(strict, hours=1)
    assert not answer(strict, 0, times={"spent_ms": 3_500}).ends_the_work
    assert answer(strict, 1, times={"spent_ms": 2_000}).ends_the_work
    rater = Participant.objects.get()
    assert rater.state == Participant.State.SCREENED_OUT and rater.completion_code == ""
    strict.refresh_from_db()
    assert strict.state == Assignment.State.RETURNED
    assert Slot.objects.filter(state=Slot.State.FREE).count() == Slot.objects.count()
    assert Submission.objects.count() == 2, "what was answered stays in the record"
    assert isinstance(assignments.claim_batch(make_rater(rater.campaign, "w2")), Assignment)


def test_without_that_setting_a_fast_screen_ends_nothing(held):
    assert not answer(held, 0, times={"spent_ms": 1}).ends_the_work
    assert Participant.objects.get().state == Participant.State.WORKING


def test_a_second_browser_cannot_end_the_work(strict):
    handed_out_ago(strict, hours=1)
    strict.participant.is_second_browser = True
    assert not answer(strict, 0, times={"spent_ms": 1}).ends_the_work


@pytest.mark.parametrize(
    ("times", "is_possible"),
    [
        ({"spent_ms": 0.0}, False),
        ({"spent_ms": 6_000}, True),
        ({"spent_ms": 0.0, "paused": [[1_000, 7_500]]}, True),
        ({"spent_ms": 0.0, "paused": [[7_500, 1_000], ["a", 2], [3]]}, False),
    ],
)
def test_a_screen_was_open_until_its_last_answer(times, is_possible):
    """The answers claim 6.4 s, which a screen of 0.0 s has no room for."""
    sitting = Sitting(age=3_600, others=0, claimed=0, since_last=None, lately=0)
    found = speed_flags(SentTimes.read(times), sitting, least_seconds=0, last_answer=6.4)
    assert ("impossible time" not in found) is is_possible
