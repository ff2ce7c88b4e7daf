"""What beat sends again and again survives a worker whose clock is ahead, and costs little."""

import pytest
from django.conf import settings

from rankme.actions import jobs
from rankme.models import Heartbeat
from rankme.worker import tasks

AN_HOUR = 3600


def test_no_message_expires_before_an_hour():
    """It does by the worker's clock: a worker ten minutes ahead would never see the others."""
    lives = {
        name: entry["options"]["expires"] for name, entry in settings.CELERY_BEAT_SCHEDULE.items()
    }
    assert {name for name, seconds in lives.items() if seconds < AN_HOUR} == set()


@pytest.mark.django_db
def test_messages_that_have_waited_are_done_once(monkeypatch):
    resent = []
    monkeypatch.setattr(jobs, "resend_unclaimed", lambda: resent.append(1))
    for _ in range(3):
        tasks.reconcile()
    assert len(resent) == 1
    monkeypatch.setattr(tasks, "JUST_NOW", -tasks.JUST_NOW)  # half a second later
    tasks.reconcile()
    assert len(resent) == 2
    assert Heartbeat.objects.get().name == "beat"
