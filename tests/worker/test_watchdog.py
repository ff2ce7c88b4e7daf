"""When a worker counts as deaf: a message waits for a free process, or its loop stands still."""

from dataclasses import dataclass

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


@dataclass
class Look:
    """What a look finds: the oldest message, if the broker answers, and how the worker is."""

    waiting: list[bytes] | None
    is_free: bool = True
    turns: bool = True  # whether its loop has turned since the last look


def is_deaf_after(clock: Clock, looks: list[Look]) -> list[bool]:
    """What is thought after each look, ten seconds apart."""
    worker, thought, turns = DeafWorker(20, clock), [], 0
    for look in looks:
        turns += look.turns
        thought.append(worker.is_deaf(look.waiting, is_free=look.is_free, turns=turns))
        clock.now += 10
    return thought


@pytest.mark.parametrize(
    "look",
    [
        pytest.param(Look([b"a"]), id="a message waits for a free worker"),
        pytest.param(Look([b"a"], is_free=False, turns=False), id="its loop is stuck"),
        pytest.param(Look([], turns=False), id="its loop is stuck, and nothing waits"),
    ],
)
def test_a_worker_that_stands_still_for_twenty_seconds_is_deaf(clock, look):
    assert is_deaf_after(clock, [look] * 3) == [False, False, True]


@pytest.mark.parametrize(
    "looks",
    [
        pytest.param([Look([b"a"]), Look([b"b"])], id="messages are taken"),
        pytest.param([Look([])], id="the queue is empty"),
        pytest.param([Look(None, turns=False)], id="the broker is away"),
        pytest.param([Look([b"a"], is_free=False)], id="all processes are at work"),
        pytest.param(
            [Look([b"a"], turns=False)] * 2 + [Look(None)], id="the broker is away at times"
        ),
        pytest.param([Look([], turns=False), Look([])], id="its loop turns at times"),
    ],
)
def test_a_worker_is_not_deaf_when(clock, looks):
    assert not any(is_deaf_after(clock, looks * 5))
