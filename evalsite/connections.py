"""The connections of a web process: how they are accepted, and how many there may be."""

from __future__ import annotations

import resource
from collections.abc import Sized
from typing import Any

from waitress.channel import HTTPChannel

CONNECTIONS = 2000  # per process, if the system allows that many open files
# Seconds between two turns of the loop. Each turn looks at all open connections, however few have
# anything to say; after a rest it serves several. With 50 raters who never pause, a process stores
# 670 screens a second instead of 471, and 2,000 who come within ten seconds are done after 23 s
# instead of 30.
REST_PER_CONNECTION = 1e-5
FILES_PER_CONNECTION = 2  # its socket, and the file that it is being sent
OTHER_FILES = 200  # database connections, logs, uploads, the program's own files


class Connection(HTTPChannel):  # type: ignore[misc]  # it has no types
    """A connection that forgets what it has sent, however long the answer.

    A buffer of waitress in memory grows by each part of an answer until the whole is sent, if the
    client reads as fast as the parts come: an export of ten million judgements took 700 MB.
    """

    current_outbuf_count: int

    def write_soon(self, data: Any) -> int:
        with self.outbuf_lock:
            buffer = self.outbufs[-1]
            # What a slow reader leaves goes on in its file: each new buffer would be another.
            is_file_in_use = buffer and buffer.overflowed
            if self.current_outbuf_count >= self.adj.outbuf_overflow and not is_file_in_use:
                self.current_outbuf_count = self.adj.outbuf_high_watermark  # begins a new buffer
        written: int = super().write_soon(data)
        return written


def accept_all(server: Any, connections: Sized) -> None:
    """Accept each connection that waits, up to the limit: a turn of waitress's loop accepts one."""
    before = -1
    while before < len(connections) and server.readable():
        before = len(connections)
        server.handle_accept()


def is_busy(server: Any) -> bool:
    """Whether requests are being served or answers are on their way."""
    channels = server.active_channels.values()
    return any(channel.requests or channel.total_outbufs_len for channel in channels)


def most_connections() -> int:
    """Return how many connections a process may have, by its limit of open files."""
    return (_open_files() - OTHER_FILES) // FILES_PER_CONNECTION


def _open_files() -> int:
    """Raise this process's limit of open files as far as useful and allowed; return the limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS * FILES_PER_CONNECTION + OTHER_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return wanted if soft == resource.RLIM_INFINITY else min(soft, wanted)
