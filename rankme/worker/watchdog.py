"""Ends a worker that gets no messages, so that the supervisor starts a new one.

Celery notices most broken connections to the broker itself and opens new ones (the transport
options in the settings). This watches the result, whatever the cause: a message waits at the head
of the queue, this worker has a free process, and does not take it. While the broker does not
answer a fresh connection, or all processes are at work, a restart would not help, so nothing
happens.

A container's health check looks at how old `ALIVE_FILE` is, which costs nothing.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from celery import current_app
from celery.worker import state
from django.conf import settings
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from rankme.actions.jobs import worker_stops

log = logging.getLogger(__name__)

CHECKS_PER_ALARM = 10
# For the jobs under way to go back into the queue.
SECONDS_TO_END_IN_ORDER = 10


class DeafWorker:
    """Decides whether a worker is deaf, from one look at the queue after the other."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.clock = clock
        self.head: bytes | None = None
        self.since = clock()

    def is_deaf(self, head: bytes | None, *, is_free: bool) -> bool:
        """Whether the same message has waited too long in front of a free process."""
        now = self.clock()
        if head is None or head != self.head or not is_free:
            self.head, self.since = head, now
        return now - self.since >= self.seconds


def watch(seconds: float) -> None:
    """End this worker, main process and children, once it has been deaf for this long."""
    threading.Thread(target=_watch, args=[seconds], name="watchdog", daemon=True).start()


def _watch(seconds: float) -> None:
    worker = DeafWorker(seconds)
    while not worker.is_deaf(oldest_message(), is_free=has_free_process()):
        if settings.ALIVE_FILE:
            Path(settings.ALIVE_FILE).touch()
        time.sleep(seconds / CHECKS_PER_ALARM)
        if worker_stops.is_set():
            return
    log.critical(
        "Messages wait, but have not reached this worker for %s seconds; it ends, and its"
        " supervisor starts a new one",
        seconds,
    )
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_END_IN_ORDER)
    os._exit(1)  # a process that hangs does not end in order


def has_free_process() -> bool:
    processes: int = current_app.conf.worker_concurrency
    return len(state.reserved_requests) < processes


def oldest_message() -> bytes | None:
    """The message that the next worker should take, over a fresh connection; None if there is none.

    None also when the broker does not answer: then no worker can get a message.
    """
    message: bytes | None = _ask_broker("lindex", -1)
    return message


def messages_waiting() -> int | None:
    """How many messages no worker has taken yet; None when the broker does not answer."""
    number: int | None = _ask_broker("llen")
    return number


def _ask_broker(command: str, *values: int) -> Any:
    try:
        with current_app.connection_for_read() as connection:
            channel: Any = connection.default_channel
            return getattr(channel.client, command)(current_app.conf.task_default_queue, *values)
    except (KombuError, RedisError, OSError):
        return None
