"""A practice panel that every call reaches."""

import pytest

from rankme.rehearsal.panel import PracticePanel
from tests.panels.in_process import connect
from tests.panels.loop import Loop


@pytest.fixture
def practice(monkeypatch) -> PracticePanel:
    panel = PracticePanel()
    connect(panel, monkeypatch)
    return panel


@pytest.fixture
def loop(practice, db) -> Loop:
    """A published study."""
    return Loop(practice).publish()
