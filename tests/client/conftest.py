"""An environment that has the client's wheel, made once."""

from pathlib import Path

import pytest

from tests.client.environments import installed


@pytest.fixture(scope="session")
def empty_environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return installed(tmp_path_factory.mktemp("client"))
