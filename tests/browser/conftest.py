"""What every browser test ends with."""

from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def nothing_under_way(request: pytest.FixtureRequest) -> Iterator[None]:
    """A request that the site still works on would meet the sweeping of its tables (deadlock)."""
    page = request.getfixturevalue("page") if "page" in request.fixturenames else None
    yield
    for window in page.context.pages if page else []:
        window.wait_for_load_state("networkidle")
