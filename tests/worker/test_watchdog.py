"""When a worker counts as deaf: a message waits, a process is free, and nothing happens."""

import pytest

from rankme.worker.watchdog import DeafWorker


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def is_deaf_after(clock: Clock, looks: list[tuple[bytes | None, bool]]) -> list[bool]:
    """What is thought after each look at the oldest message, ten seconds apart."""
    worker, thought = DeafWorker(20, clock), []
    for head, is_free in looks:
        thought.append(worker.is_deaf(head, is_free=is_free))
        clock.now += 10
    return thought


def test_a_message_that_a_free_worker_does_not_take_makes_it_deaf(clock):
    assert is_deaf_after(clock, [(b"a", True)] * 3) == [False, False, True]


@pytest.mark.parametrize(
    "look",
    [
        pytest.param([(b"a", True), (b"b", True)], id="messages are taken"),
        pytest.param([(None, True)], id="the queue is empty, or the broker away"),
        pytest.param([(b"a", False)], id="all processes are at work"),
        pytest.param([(b"a", True), (b"a", True), (None, True)], id="the broker is away at times"),
    ],
)
def test_a_worker_is_not_deaf_when(clock, look):
    assert not any(is_deaf_after(clock, look * 5))
