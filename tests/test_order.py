"""The order in which a test run begins: while some workers wait, others compute."""

from types import SimpleNamespace

import pytest
from xdist.scheduler.worksteal import WorkStealingScheduling

from tests.order import Kind, in_good_order, shares

KINDS = {"wait": Kind.WAITING, "browse": Kind.BROWSING, "long": Kind.LONG, "short": Kind.SHORT}
SHORT = [f"short.py::{number}" for number in range(24)]
LONG = [f"long.py::{number}" for number in range(3)]
WAITING = [f"{name}.py::{number}" for name in ("wait", "wait2") for number in range(3)]
BROWSING = [f"{name}.py::{number}" for name in ("browse", "browse2", "browse3") for number in "012"]
MIXED = [*SHORT[:7], *BROWSING, *LONG, *SHORT[7:9], *WAITING, *SHORT[9:]]


def file_of(test: str) -> str:
    return test.partition("::")[0]


def ordered(tests: list[str], workers: int) -> list[str]:
    return in_good_order(
        tests,
        kind_of=lambda test: KINDS[file_of(test).removesuffix(".py").rstrip("23")],
        file_of=file_of,
        workers=workers,
    )


def dealt(tests: list[str], workers: int) -> list[list[str]]:
    """The share of each worker."""
    left = iter(tests)
    return [[next(left) for _ in range(share)] for share in shares(len(tests), workers)]


class Worker:
    """What pytest-xdist's scheduler sees of a worker; it notes the tests that it is sent."""

    shutting_down = False

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.gateway = SimpleNamespace(id="gw")

    def send_runtest_some(self, indices: list[int]) -> None:
        self.sent += indices


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("tests", [30, 31, 32, 33])
def test_the_shares_are_those_that_the_scheduler_deals(tests: int, workers: int):
    config = SimpleNamespace(getvalue=lambda name: [f"{workers}*popen"])
    scheduler = WorkStealingScheduling(config)
    running = [Worker() for _ in range(workers)]
    for worker in running:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, [str(number) for number in range(tests)])
    scheduler.schedule()
    assert [len(worker.sent) for worker in running] == shares(tests, workers)
    assert [test for worker in running for test in worker.sent] == list(range(tests))


@pytest.mark.parametrize("workers", [1, 2, 3, 4, 5, 12, 40])
def test_no_test_is_lost_and_none_runs_twice(workers: int):
    assert sorted(ordered(MIXED, workers)) == sorted(MIXED)
    assert ordered(SHORT, workers) == SHORT
    for alike in (WAITING, BROWSING, LONG):
        assert sorted(ordered(alike, workers)) == sorted(alike)
    assert ordered([], workers) == []


def test_of_four_workers_one_waits_one_computes_and_two_browse():
    first, second, third, fourth = dealt(ordered(MIXED, workers=4), 4)
    assert first == WAITING + SHORT[:4]
    assert second == LONG + SHORT[4:11]
    assert {file_of(test) for test in third[:6]} == {"browse.py", "browse3.py"}
    assert {file_of(test) for test in fourth[:3]} == {"browse2.py"}
    assert [*third[6:], *fourth[3:]] == SHORT[11:]


def test_of_two_workers_one_browses():
    first, second = dealt(ordered(MIXED, workers=2), 2)
    assert first == [*WAITING, *LONG, *SHORT[:12]]
    assert second == [*BROWSING, *SHORT[12:]]


def test_one_worker_ends_with_what_is_short():
    assert ordered(MIXED, workers=1) == [*WAITING, *LONG, *BROWSING, *SHORT]


def test_tests_of_one_file_and_short_tests_keep_their_order():
    found = ordered(MIXED, workers=4)
    assert [test for test in found if test in SHORT] == SHORT
    for name in {file_of(test) for test in MIXED} - {"short.py"}:
        places = [place for place, test in enumerate(found) if file_of(test) == name]
        assert places == list(range(places[0], places[0] + 3)), name
