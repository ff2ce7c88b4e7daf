"""After every test of faults the whole record is checked, whatever the test itself looked at."""

from collections.abc import Iterator

import pytest

from tests.invariants import check_record
from tests.live import LiveSite


@pytest.fixture(autouse=True)
def the_record_is_true_afterwards(
    request: pytest.FixtureRequest, site_without_web: LiveSite
) -> Iterator[None]:
    yield
    if request.node.get_closest_marker("without_its_guard") is None:
        site_without_web.servers.start()
        check_record()
