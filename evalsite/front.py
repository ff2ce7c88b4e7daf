"""The web server's worker: it reads a whole request before the request occupies a thread.

gunicorn starts the processes, replaces lost ones and stops them in order. Inside each process
waitress reads requests and writes answers in one loop, and threads see only complete requests. So
connections that send nothing, half a header or half a body cost a socket each, and no thread.
"""

from __future__ import annotations

import errno
import heapq
import logging
import os
import resource
import time
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from django.conf import settings
from django.db import DatabaseError, close_old_connections
from gunicorn.workers.base import Worker
from waitress.adjustments import Adjustments
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import TcpWSGIServer
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import Error, RequestEntityTooLarge
from waitress.wasyncore import loop

from evalsite import bodies, environment
from evalsite.deadlines import Application, Watchdog, with_deadlines

log = logging.getLogger(__name__)

# A connection that sends nothing, or no complete header, is closed after this many seconds.
HEADER_SECONDS = environment.whole_number("HEADER_SECONDS", 15)
# A body has this long; after that it must have come at this rate on average.
BODY_SECONDS = environment.whole_number("BODY_SECONDS", 30)
BODY_BYTES_PER_SECOND = 4 * 2**10
# No view may take longer than the first. An answer written bit by bit may take the second.
REQUEST_SECONDS = environment.whole_number("REQUEST_SECONDS", 60)
STREAMING_SECONDS = environment.whole_number("STREAMING_SECONDS", 900)

CONNECTIONS = 2000  # per process, if the system allows that many open files
FILES_PER_CONNECTION = 2  # its socket, and the file that it is being sent
OTHER_FILES = 200  # database connections, logs, uploads, the program's own files
# A reader who takes nothing of an answer for this long is disconnected.
ANSWER_SECONDS = environment.whole_number("ANSWER_SECONDS", 30)
SECONDS_WITHOUT_ACCEPTING = 1
CLOSED_AT_ONCE = 10  # where descriptors ran out: the database needs some, too
NO_ROOM = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}
# Answers are buffered whole (on the disk beyond a megabyte), so that no slow reader holds a thread.
ANSWER_BYTES = 2**34
LARGEST_UPLOAD = bodies.LARGEST_UPLOAD + 1


class Unauthorized(Error):
    code = 401
    reason = "Unauthorized"


class ServiceUnavailable(Error):
    code = 503
    reason = "Service Unavailable"


def without_prefix(path: str) -> str:
    """The path as the site's own addresses have it, whether or not a proxy took the prefix away."""
    if path == settings.PATH_PREFIX or path.startswith(f"{settings.PATH_PREFIX}/"):
        return path.removeprefix(settings.PATH_PREFIX) or "/"
    return path


class Request(HTTPRequestParser):
    """A request as it comes in. It is refused as soon as it is too large for its address."""

    needs_permit = False
    largest = 0
    path: str

    def __init__(self, adj: Adjustments) -> None:
        super().__init__(adj)
        self.began = time.monotonic()

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        self.path = without_prefix(self.path)

    def received(self, data: bytes) -> int:
        is_header = not self.headers_finished
        consumed: int = super().received(data)
        if self.error is not None or self.body_rcv is None:
            return consumed
        if is_header:
            self.largest = bodies.largest_body(self.path)
            self.needs_permit = bodies.takes_files(self.path)
        if max(self.content_length, self.body_bytes_received) > self.largest:
            self.refuse(RequestEntityTooLarge(f"The limit is {self.largest} bytes."))
        return consumed

    def refuse(self, error: Error) -> None:
        self.error = error
        self.needs_permit = self.expect_continue = False
        self.completed = True

    def is_too_slow(self, now: float) -> bool:
        if not self.headers_finished:
            return now - self.began > HEADER_SECONDS
        allowed: float = BODY_SECONDS + self.body_bytes_received / BODY_BYTES_PER_SECOND
        return now - self.began > allowed


class BodilessForHead(Task):
    """Neither Django nor waitress removes the body of an answer to HEAD (RFC 9110, 9.3.2).

    On a connection that is kept, the client would read it as the next answer.
    """

    @property
    def is_head(self) -> bool:
        return getattr(self.request, "command", "") == "HEAD"

    def build_response_header(self) -> bytes:
        header: bytes = super().build_response_header()
        if self.is_head:
            self.chunked_response = False  # or an empty last chunk would follow
        return header

    def write(self, data: bytes) -> None:
        super().write(b"" if self.is_head else data)


class Answer(BodilessForHead, WSGITask):
    """The site's answer."""


class Refusal(BodilessForHead, ErrorTask):
    """The front's own answer, to what never reaches the site."""


def without_bodies_for_head(application: Application) -> Application:
    """Close the body of an answer to HEAD unread: an export or a file would be made for nothing."""

    def answered(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        answer = application(environ, start_response)
        if environ["REQUEST_METHOD"] != "HEAD":
            return answer
        if hasattr(answer, "close"):
            answer.close()
        return []

    return answered


class Explanation(Answer):
    """Answers a request that was cut off with the site's own page, which asks for no body."""

    def execute(self) -> None:
        self.set_close_on_finish()
        super().execute()

    def get_environment(self) -> dict[str, Any]:
        environ: dict[str, Any] = super().get_environment()
        environ["wsgi.input"] = BytesIO()
        if isinstance(self.request.error, Unauthorized):
            # Of a page, this asks to log in; a POST would be refused for its missing token.
            return environ | {"REQUEST_METHOD": "GET", "CONTENT_LENGTH": "0"}
        return environ | {"CONTENT_LENGTH": str(LARGEST_UPLOAD)}


def task_of_error(channel: Channel, request: Request) -> Task:
    explains = isinstance(request.error, RequestEntityTooLarge | Unauthorized)
    return (Explanation if explains else Refusal)(channel, request)


class Channel(HTTPChannel):
    """One connection. The body of an upload is read only once its sender is known."""

    parser_class = Request
    task_class = Answer
    error_task_class = staticmethod(task_of_error)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.waiting_since: float = time.monotonic()
        self.permit: Permit | None = None

    def readable(self) -> bool:
        return self.permit is None and bool(super().readable())

    def received(self, data: bytes) -> bool:
        was_read: bool = super().received(data)
        if self.request is not None and self.request.needs_permit and self.permit is None:
            self.permit = Permit(self, self.request)
            self.server.add_task(self.permit)
        return was_read

    def service(self) -> None:
        super().service()
        self.waiting_since = time.monotonic()

    def _flush_some(self, do_close: bool = True) -> bool:
        has_sent: bool = super()._flush_some(do_close=do_close)
        if has_sent:
            self.waiting_since = time.monotonic()
        return has_sent

    def is_waiting(self) -> bool:
        """Whether it is the client's turn: nothing is being served or checked."""
        return not self.requests and self.permit is None

    def is_sending(self) -> bool:
        return bool(self.total_outbufs_len)

    def is_too_slow(self, now: float) -> bool:
        if not self.is_waiting():
            return False
        if self.is_sending():
            return now - self.waiting_since > ANSWER_SECONDS
        if self.request is None:
            return now - self.waiting_since > HEADER_SECONDS
        too_slow: bool = self.request.is_too_slow(now)
        return too_slow


class Permit:
    """A task for a thread: may the sender of this header send the files that it announces?"""

    def __init__(self, channel: Channel, request: Request) -> None:
        self.channel = channel
        self.request = request

    def service(self) -> None:
        refusal = self._refusal()
        with self.channel.requests_lock:
            self.request.needs_permit = False
            if refusal is not None and self.channel.request is self.request:
                self.request.refuse(refusal)
                self.channel.request = None
                self.channel.requests.append(self.request)
                if len(self.channel.requests) == 1:
                    self.channel.server.add_task(self.channel)
            self.channel.permit = None
        self.channel.server.pull_trigger()

    def _refusal(self) -> Error | None:
        close_old_connections()
        try:
            environ = WSGITask(self.channel, self.request).get_environment()
            may_send = bodies.may_send_files(environ)
        except DatabaseError as error:
            log.error("cannot identify the sender of an upload: %s", error)
            return ServiceUnavailable("Try again in a minute.")
        return None if may_send else Unauthorized("Log in before you upload files.")

    def cancel(self) -> None:
        self.channel.cancel()


class Front(TcpWSGIServer):
    """Reads requests from many connections at once, and gives up on the slowest."""

    channel_class = Channel
    accepts_again_at: float = 0
    complains_again_at: float = 0

    def handle_accept(self) -> None:
        if len(self.active_channels) >= self.adj.connection_limit:
            self._make_room()
        super().handle_accept()

    def accept(self) -> Any:
        """Accept a connection; without a descriptor for it, close the slowest ones."""
        try:
            return super().accept()
        except OSError as error:
            if error.errno not in NO_ROOM:
                raise
            now = time.monotonic()
            if now >= self.complains_again_at:
                log.error("slow connections are closed: %s", error)
                self.complains_again_at = now + SECONDS_WITHOUT_ACCEPTING
            if not self._make_room(CLOSED_AT_ONCE):
                # The connection stays in the kernel's queue, so the loop would spin on it.
                self.accepts_again_at = now + SECONDS_WITHOUT_ACCEPTING
            return None

    def readable(self) -> bool:
        # Unlike its parent, it keeps accepting when it is full (see `handle_accept`), and closes
        # connections itself (`close_slow_connections`).
        return bool(self.accepting) and time.monotonic() >= self.accepts_again_at

    def close_slow_connections(self) -> None:
        now = time.monotonic()
        for channel in [each for each in self.active_channels.values() if each.is_too_slow(now)]:
            channel.handle_close()

    def stop_accepting(self) -> None:
        """Take no new connections, and end those on which nothing is under way."""
        self.accepting = False
        channels = list(self.active_channels.values())
        for channel in [each for each in channels if each.is_waiting() and not each.is_sending()]:
            channel.handle_close()

    def _make_room(self, places: int = 1) -> bool:
        """Close the connections whose clients have done nothing for the longest time, if any."""
        waiting = [channel for channel in self.active_channels.values() if channel.is_waiting()]
        slowest = heapq.nsmallest(places, waiting, key=lambda channel: channel.waiting_since)
        for channel in slowest:
            channel.handle_close()
        return bool(slowest)


class FrontWorker(Worker):
    """A process of gunicorn that runs waitress's loop on gunicorn's sockets.

    It ends when it is told to, when its parent has been killed, and when a request hangs for good.
    """

    def run(self) -> None:
        watchdog = Watchdog(seconds=REQUEST_SECONDS, streaming_seconds=STREAMING_SECONDS)
        watchdog.start()
        sockets: dict[int, Any] = {}
        dispatcher = ThreadedTaskDispatcher()
        dispatcher.set_thread_count(self.cfg.threads)
        application = without_bodies_for_head(with_deadlines(self.wsgi, watchdog))
        servers = [
            self._server(listener.sock, application, dispatcher, sockets)
            for listener in self.sockets
        ]
        while self.alive and not watchdog.is_hopeless and self.ppid == os.getppid():
            self._turn(servers, sockets)
        if watchdog.is_hopeless:
            self.log.error("A request cannot be interrupted: this process is being replaced.")
        self._drain(servers, sockets)
        dispatcher.shutdown(timeout=0)

    def _server(self, sock: Any, application: Any, dispatcher: Any, sockets: Any) -> Front:
        adjustments = Adjustments(
            sockets=[sock],
            threads=self.cfg.threads,
            ident=None,
            connection_limit=(open_files() - OTHER_FILES) // FILES_PER_CONNECTION,
            max_request_body_size=LARGEST_UPLOAD,
            max_request_header_size=32 * 2**10,
            outbuf_high_watermark=ANSWER_BYTES,
            asyncore_use_poll=True,
            # Django decides which address to trust (BEHIND_TLS_PROXY).
            clear_untrusted_proxy_headers=False,
        )
        info = (sock.family, sock.type, sock.proto, sock.getsockname())
        return Front(
            application,
            sockets,
            _sock=sock,
            dispatcher=dispatcher,
            adj=adjustments,
            sockinfo=info,
            bind_socket=False,
        )

    def _turn(self, servers: list[Front], sockets: dict[int, Any]) -> None:
        self.notify()
        end = time.monotonic() + 1
        while self.alive and time.monotonic() < end:
            loop(timeout=0.5, use_poll=True, map=sockets, count=1)
        for server in servers:
            server.close_slow_connections()

    def _drain(self, servers: list[Front], sockets: dict[int, Any]) -> None:
        """Answer the requests that have come; gunicorn's own time limit applies too."""
        end = time.monotonic() + self.cfg.graceful_timeout
        while time.monotonic() < end:
            self.notify()
            for server in servers:
                server.stop_accepting()
            if not any(server.active_channels for server in servers):
                return
            loop(timeout=0.1, use_poll=True, map=sockets, count=1)


def open_files() -> int:
    """Raise this process's limit of open files as far as useful and allowed; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS * FILES_PER_CONNECTION + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)
