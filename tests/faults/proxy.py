"""Bad lines: proxies that delay, drop, cut and reset what goes through them, or fall silent."""

import contextlib
import itertools
import select
import socket
import socketserver
import struct
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

Server = TypeVar("Server", bound=socketserver.BaseServer)
FAULTS = ("drop answer", "cut answer", "reset after request", "delay")
EVERY = 3


class BadLine(socketserver.ThreadingTCPServer):
    """Forwards to a port of this machine; every third submission meets the next fault."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), Line)
        self.port_behind = port
        self.submissions = itertools.count(1)
        self.faults = itertools.cycle(FAULTS)
        self.done: Counter[str] = Counter()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class Line(socketserver.BaseRequestHandler):
    server: BadLine

    def handle(self) -> None:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", self.server.port_behind)) as behind,
        ):
            while self.forward_one(behind):
                pass

    def forward_one(self, behind: socket.socket) -> bool:
        """Forward what one side says; whether the line is still good."""
        ready, _, _ = select.select([self.request, behind], [], [], 30)
        if not ready:
            return False
        if self.request in ready:
            heard = self.request.recv(65_536)
            behind.sendall(heard)
            return bool(heard) and self.may_go_on(heard)
        said = behind.recv(65_536)
        return bool(said) and self.answer(said)

    def may_go_on(self, heard: bytes) -> bool:
        self.fault = ""
        if b"/submit/" in heard and next(self.server.submissions) % EVERY == 0:
            self.fault = next(self.server.faults)
            self.server.done[self.fault] += 1
        if self.fault != "reset after request":
            return True
        time.sleep(0.05)  # the site works on it, but nobody will receive the answer
        self.reset()
        return False

    def answer(self, said: bytes) -> bool:
        fault = getattr(self, "fault", "")
        if fault == "drop answer":
            self.reset()
            return False
        if fault == "cut answer":
            self.request.sendall(said[: len(said) // 2])
            self.reset()
            return False
        if fault == "delay":
            time.sleep(0.5)
        self.request.sendall(said)
        return True

    def reset(self) -> None:
        reset(self.request)


def reset(connection: socket.socket) -> None:
    """Hang up with an RST instead of a goodbye."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


class BrokerLine(socketserver.ThreadingTCPServer):
    """A line to the broker's socket that can be cut, or stay up and carry nothing any more."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, broker: Path) -> None:
        super().__init__(("127.0.0.1", 0), BrokerCall)
        self.broker = str(broker)
        self.calls: set[socket.socket] = set()
        self.taken = 0  # calls up to now
        self.is_silent = False
        self.muted: set[socket.socket] = set()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.server_address[1]}/0"

    def reset_all(self) -> int:
        """Cut every connection; how many there were."""
        calls = list(self.calls)
        for call in calls:
            with contextlib.suppress(OSError):
                reset(call)
        return len(calls)

    def mute_open_calls(self) -> int:
        """Keep every open connection up, but carry nothing over it any more; how many there were.

        New connections are carried as usual.
        """
        self.muted |= self.calls
        return len(self.muted)


class BrokerCall(socketserver.BaseRequestHandler):
    server: BrokerLine

    def handle(self) -> None:
        self.server.calls.add(self.request)
        self.server.taken += 1
        with contextlib.suppress(OSError, ValueError), socket.socket(socket.AF_UNIX) as behind:
            behind.connect(self.server.broker)
            while self.carry(behind):
                pass
        self.server.calls.discard(self.request)

    def carry(self, behind: socket.socket) -> bool:
        ready, _, _ = select.select([self.request, behind], [], [], 0.2)
        for side in ready:
            said = side.recv(65_536)
            if not said:
                return False
            if not self.server.is_silent and self.request not in self.server.muted:
                (behind if side is self.request else self.request).sendall(said)
        return True


@contextlib.contextmanager
def served(line: Server) -> Iterator[Server]:
    thread = threading.Thread(target=line.serve_forever, daemon=True)
    thread.start()
    try:
        yield line
    finally:
        line.shutdown()
        line.server_close()


def bad_line(port: int) -> contextlib.AbstractContextManager[BadLine]:
    return served(BadLine(port))


def broker_line(broker: Path) -> contextlib.AbstractContextManager[BrokerLine]:
    return served(BrokerLine(broker))
