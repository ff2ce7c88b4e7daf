"""A deadline for every web request: when it has passed, the thread that serves it is freed."""

from __future__ import annotations

import ctypes
import logging
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import connections

log = logging.getLogger(__name__)

Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

# A thread that ignores the first interruption (`except Exception`) is interrupted again.
SECONDS_BETWEEN_INTERRUPTIONS = 5
SECONDS_BETWEEN_LOOKS = 0.5


class DeadlinePassed(Exception):
    """The request has taken longer than any request may."""


@dataclass
class Served:
    """A request that a thread is serving, by the monotonic clock."""

    path: str
    deadline: float
    hopeless: float
    was_interrupted: bool = False


class Watchdog:
    """Interrupts the threads whose request has passed its deadline.

    Python raises the interruption between two bytecodes, so it reaches loops in Python but not
    calls into C. SQL has its own time limit. If anything else hangs, `is_hopeless` tells the
    process that it should be replaced.
    """

    def __init__(self, *, seconds: float, streaming_seconds: float) -> None:
        self.seconds = seconds
        self.streaming_seconds = streaming_seconds
        self.is_hopeless = False
        self._lock = threading.Lock()
        self._served: dict[int, Served] = {}

    def start(self) -> None:
        threading.Thread(target=self._run, name="deadlines", daemon=True).start()

    def watch(self, path: str, seconds: float) -> None:
        """Set the deadline of the current thread's request."""
        now = time.monotonic()
        with self._lock:
            self._served[threading.get_ident()] = Served(path, now + seconds, now + 2 * seconds)

    def release(self) -> bool:
        """Remove the current thread from the list; return whether it was interrupted."""
        try:
            return self._release()
        except DeadlinePassed:  # the interruption came exactly here
            self._release()
            return True

    def _release(self) -> bool:
        with self._lock:
            served = self._served.pop(threading.get_ident(), None)
            return served is not None and served.was_interrupted

    def look(self) -> None:
        """Interrupt every thread that is late."""
        now = time.monotonic()
        with self._lock:
            for thread, served in self._served.items():
                if now < served.deadline:
                    continue
                log.error("a request has passed its deadline: %s", served.path)
                _interrupt(thread)
                served.was_interrupted = True
                served.deadline = now + SECONDS_BETWEEN_INTERRUPTIONS
                self.is_hopeless |= now > served.hopeless

    def _run(self) -> None:
        while True:
            time.sleep(SECONDS_BETWEEN_LOOKS)
            self.look()


def _interrupt(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), ctypes.py_object(DeadlinePassed)
    )


def with_deadlines(application: Application, watchdog: Watchdog) -> Application:
    """Wrap a WSGI application so that the watchdog guards each of its requests."""

    def guarded(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        try:
            watchdog.watch(path, watchdog.seconds)
            try:
                answer = application(environ, start_response)
            finally:
                if watchdog.release():
                    # The interruption may have left this connection in any state.
                    connections.close_all()
        except DeadlinePassed:
            return _apologise(start_response)
        is_file = isinstance(answer, environ.get("wsgi.file_wrapper", ()))
        if is_file:
            return answer  # the server sends the file itself
        return _GuardedAnswer(answer, watchdog, path)

    return guarded


def _apologise(start_response: Callable[..., Any]) -> list[bytes]:
    """Answer 503 for an application that was interrupted outside its own error handling."""
    connections.close_all()
    sentence = b"The site could not answer in time. Try again later.\n"
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(sentence))),
        ("Cache-Control", "no-store"),
        ("Retry-After", "30"),
    ]
    start_response("503 Service Unavailable", headers, (DeadlinePassed, DeadlinePassed(), None))
    return [sentence]


class _GuardedAnswer:
    """The body of a response, written under a separate deadline, because exports are long."""

    def __init__(self, answer: Iterable[bytes], watchdog: Watchdog, path: str) -> None:
        self._answer = answer
        self._watchdog = watchdog
        self._path = path

    def __iter__(self) -> Iterator[bytes]:
        self._watchdog.watch(self._path, self._watchdog.streaming_seconds)
        try:
            yield from self._answer
        finally:
            if self._watchdog.release():
                connections.close_all()

    def close(self) -> None:
        if hasattr(self._answer, "close"):
            self._answer.close()
