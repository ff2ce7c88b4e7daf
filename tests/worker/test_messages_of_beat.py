"""What beat sends again and again survives a worker whose clock is ahead, and costs little."""

import pytest
from django.conf import settings

from rankme.actions import jobs
from rankme.actions.webhooks import events
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
@pytest.mark.parametrize(
    ("task", "module", "first_step", "name"),
    [
        (tasks.reconcile, jobs, "resend_unclaimed", "beat"),
        (tasks.send_webhooks, events, "record_all", "webhooks"),
    ],
)
def test_messages_that_have_waited_are_done_once(monkeypatch, task, module, first_step, name):
    done = []
    monkeypatch.setattr(module, first_step, lambda: done.append(1))
    for _ in range(3):
        task()
    assert len(done) == 1
    monkeypatch.setattr(tasks, "JUST_NOW", -tasks.JUST_NOW)  # half a second later
    task()
    assert len(done) == 2
    assert Heartbeat.objects.get().name == name
