"""The order in which a test run begins: what waits first, but not on every core."""

from types import SimpleNamespace

import pytest
from xdist.scheduler.worksteal import WorkStealingScheduling

from tests.order import in_good_order, shares

COMPUTING = [f"compute.py::{number}" for number in range(20)]
SLEEPING = [f"{name}.py::{number}" for name in ("sleep", "snooze", "doze") for number in range(4)]
MIXED = [*COMPUTING[:7], *SLEEPING, *COMPUTING[7:]]


def file_of(test: str) -> str:
    return test.partition("::")[0]


def ordered(tests: list[str], workers: int, cores: int) -> list[str]:
    return in_good_order(
        tests,
        waits=lambda test: not test.startswith("compute"),
        file_of=file_of,
        workers=workers,
        cores=cores,
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


@pytest.mark.parametrize(("workers", "cores"), [(1, 1), (2, 2), (3, 2), (4, 2), (12, 8), (40, 2)])
def test_no_test_is_lost_and_none_runs_twice(workers: int, cores: int):
    assert sorted(ordered(MIXED, workers, cores)) == sorted(MIXED)
    assert ordered(COMPUTING, workers, cores) == COMPUTING
    assert sorted(ordered(SLEEPING, workers, cores)) == sorted(SLEEPING)
    assert ordered([], workers, cores) == []


def test_as_many_workers_begin_with_what_waits_as_there_are_more_than_cores():
    first, second, third, fourth = dealt(ordered(MIXED, workers=4, cores=2), 4)
    assert {file_of(test) for test in first} == {"sleep.py", "doze.py"}
    assert {file_of(test) for test in second[:4]} == {"snooze.py"}
    assert {file_of(test) for test in (*second[4:], *third, *fourth)} == {"compute.py"}


def test_with_one_worker_for_each_core_one_begins_with_what_waits():
    first, second = dealt(ordered(MIXED, workers=2, cores=2), 2)
    assert first == SLEEPING + COMPUTING[:4]
    assert second == COMPUTING[4:]


def test_one_worker_begins_with_what_waits():
    assert ordered(MIXED, workers=1, cores=2) == SLEEPING + COMPUTING


def test_tests_of_one_file_and_tests_that_compute_keep_their_order():
    found = ordered(MIXED, workers=3, cores=1)
    assert [test for test in found if test in COMPUTING] == COMPUTING
    for name in ("sleep.py", "snooze.py", "doze.py"):
        places = [place for place, test in enumerate(found) if file_of(test) == name]
        assert places == list(range(places[0], places[0] + 4)), name
