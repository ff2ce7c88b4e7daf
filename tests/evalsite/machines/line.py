"""A line from one machine to a server: `python line.py PORT SERVER`, and what a test does to it.

Killed, it is a cut cable: all connections break, and none can be opened. Stopped, it swallows what
is sent, and connections stay. It is a process of its own: in the test, each packet would wait for
the test's own threads.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Mapping


class Line:
    """The process; `server` is the path of a socket, or a port of this machine."""

    def __init__(self, port: int, server: str, environment: Mapping[str, str]) -> None:
        self.port, self.server, self.environment = port, server, environment
        self.process: subprocess.Popen[bytes] | None = None

    def connect(self) -> None:
        """Have the line, after a cut too."""
        if self.process is None or self.process.poll() is not None:
            command = [sys.executable, "-S", __file__, str(self.port), self.server]
            self.process = subprocess.Popen(
                command, stdout=subprocess.PIPE, env=self.environment, start_new_session=True
            )
            assert self.process.stdout.readline() == b"connected\n"
            self.process.stdout.close()

    def cut(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()

    def swallow(self) -> None:
        self.process.send_signal(signal.SIGSTOP)

    def carry(self) -> None:
        self.process.send_signal(signal.SIGCONT)


class End(asyncio.Protocol):
    """One end of a connection: what arrives here, the other end sends."""

    def __init__(self, other: End | None = None) -> None:
        self.other = other
        self.early: list[bytes] = []  # arrived before the other end was there
        self.transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        self.transport = transport
        if self.other is None:
            self.calling = asyncio.get_running_loop().create_task(self.call_server())
            return
        self.other.other = self
        transport.write(b"".join(self.other.early))
        if self.other.transport.is_closing():
            transport.close()

    async def call_server(self) -> None:
        loop, server = asyncio.get_running_loop(), sys.argv[2]
        try:
            if server.isdecimal():
                await loop.create_connection(lambda: End(self), "127.0.0.1", int(server))
            else:
                await loop.create_unix_connection(lambda: End(self), server)
        except OSError:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if self.other is None:
            self.early.append(data)
        else:
            self.other.transport.write(data)

    def pause_writing(self) -> None:
        self.other.transport.pause_reading()

    def resume_writing(self) -> None:
        self.other.transport.resume_reading()

    def connection_lost(self, error: Exception | None) -> None:
        if self.other:
            self.other.transport.close()


async def forward() -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(End, "127.0.0.1", int(sys.argv[1]), backlog=200)
    print("connected", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(forward())
