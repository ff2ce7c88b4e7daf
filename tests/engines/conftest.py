"""The engines that this run tries."""

import os
from collections.abc import Iterator

import pytest

from tests.engines.drivers import PROGRAMS, Engine, is_installed, launched


@pytest.fixture(scope="module", params=PROGRAMS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    wanted = os.environ.get("ENGINES", "")
    if wanted not in ("1", request.param):
        pytest.skip(f"ENGINES does not ask for {request.param}")
    if not is_installed(request.param):
        pytest.skip(f"{request.param} is not installed here: sh .ci/engines")
    with launched(request.param) as browser:
        yield browser
