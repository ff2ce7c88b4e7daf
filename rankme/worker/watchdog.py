"""Ends a worker that gets no messages, so that the supervisor starts a new one.

Celery notices most broken connections to the broker itself and opens new ones (the transport
options in the settings). This watches the result, whatever the cause: a message waits at the head
of the queue, this worker has a free process, and does not take it; or its main process has
stopped turning its loop, so that it never learns that a process is free. While the broker
does not answer a fresh connection, a restart would not help, so nothing happens.

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

from celery import bootsteps, current_app
from celery.worker import state
from django.conf import settings
from kombu.exceptions import KombuError
from redis.exceptions import RedisError

from rankme.actions.jobs import worker_stops

log = logging.getLogger(__name__)

CHECKS_PER_ALARM = 10
# For the jobs under way to go back into the queue.
SECONDS_TO_END_IN_ORDER = 10


class Standstill:
    """Whether what a look finds has been the same for so many seconds; None is not counted."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self.clock = clock
        self.found: object = None
        self.since = clock()

    def lasts(self, found: object) -> bool:
        now = self.clock()
        if found is None or found != self.found:
            self.found, self.since = found, now
        return now - self.since >= self.seconds


class DeafWorker:
    """Decides whether a worker is deaf, from one look at it and at the queue after the other."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.message = Standstill(seconds, clock)
        self.loop = Standstill(seconds, clock)

    def is_deaf(self, waiting: list[bytes] | None, *, is_free: bool, turns: int) -> bool:
        """Whether a message has waited too long in front of a free process, or no loop has turned.

        `waiting` holds the oldest message, if there is one; None when the broker does not answer.
        """
        does_not_take = self.message.lasts(waiting[0] if waiting and is_free else None)
        is_stuck = self.loop.lasts(turns if waiting is not None else None)
        return does_not_take or is_stuck


class Turns(bootsteps.StartStopStep):
    """Counts each second in which the main process turns its loop.

    The count stands still while that process waits for an answer that never comes.
    """

    done = 0

    def start(self, parent: Any) -> None:
        parent.timer.call_repeatedly(1.0, self.turn)

    @classmethod
    def turn(cls) -> None:
        cls.done += 1


def watch(seconds: float) -> None:
    """End this worker, main process and children, once it has been deaf for this long."""
    threading.Thread(target=_watch, args=[seconds], name="watchdog", daemon=True).start()


def _watch(seconds: float) -> None:
    worker = DeafWorker(seconds)
    while not worker.is_deaf(oldest_message(), is_free=has_free_process(), turns=Turns.done):
        if settings.ALIVE_FILE:
            Path(settings.ALIVE_FILE).touch()
        time.sleep(seconds / CHECKS_PER_ALARM)
        if worker_stops.is_set():
            return
    log.critical(
        "Messages have not reached this worker for %s seconds; it ends, and its supervisor starts"
        " a new one",
        seconds,
    )
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SECONDS_TO_END_IN_ORDER)
    os._exit(1)  # a process that hangs does not end in order


def has_free_process() -> bool:
    processes: int = current_app.conf.worker_concurrency
    return len(state.reserved_requests) < processes


def oldest_message() -> list[bytes] | None:
    """The message that the next worker should take, if there is one, over a fresh connection.

    None when the broker does not answer: then no worker can get a message.
    """
    messages: list[bytes] | None = _ask_broker("lrange", -1, -1)
    return messages


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
