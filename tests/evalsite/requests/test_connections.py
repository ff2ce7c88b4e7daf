"""Connections that come at the same time: see `evalsite/connections.py`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from waitress import create_server
from waitress.buffers import BytesIOBasedBuffer
from waitress.wasyncore import close_all, loop

from evalsite.connections import Connection, accept_all

AT_ONCE = 40
PART = 700_000  # bytes: less than a buffer in memory may have


@contextmanager
def waiting(connections: int, limit: int) -> Iterator[tuple[Any, dict[int, Any]]]:
    """A server of waitress, and its map, for which so many connections wait."""
    opened: dict[int, Any] = {}
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0), backlog=AT_ONCE))
        server = create_server(
            lambda environ, start: [],
            map=opened,
            sockets=[listener],
            backlog=AT_ONCE,
            connection_limit=limit,
        )
        stack.callback(close_all, opened)
        stack.callback(server.task_dispatcher.shutdown)
        for _ in range(connections):
            stack.enter_context(socket.create_connection(listener.getsockname()))
        yield server, opened


def test_a_turn_of_the_loop_alone_accepts_one_connection():
    with waiting(AT_ONCE, limit=100) as (server, opened):
        loop(timeout=1, use_poll=True, map=opened, count=1)
        assert len(server.active_channels) == 1


def test_all_connections_that_wait_are_accepted_together():
    with waiting(AT_ONCE, limit=100) as (server, opened):
        loop(timeout=1, use_poll=True, map=opened, count=1)
        accept_all(server, opened)
        assert len(server.active_channels) == AT_ONCE


@pytest.mark.parametrize("limit", [10, 25])
def test_no_more_connections_are_accepted_than_the_limit_allows(limit: int):
    with waiting(AT_ONCE, limit=limit) as (server, opened):
        accept_all(server, opened)
        assert len(opened) == limit


def test_a_server_for_which_nobody_waits_accepts_nothing():
    with waiting(0, limit=100) as (server, opened):
        accept_all(server, opened)
        assert not server.active_channels


@pytest.fixture
def ends() -> Iterator[tuple[Connection, socket.socket]]:
    """A connection as the site makes it, and the client's end of its socket."""
    with waiting(0, limit=100) as (server, opened):
        server.adj.outbuf_high_watermark = 2**34
        here, there = socket.socketpair()
        there.settimeout(5)
        connection = Connection(server, here, ("127.0.0.1", 1), server.adj, map=opened)
        with there:
            yield connection, there
        connection.handle_close()


def read_all(connection: Connection, there: socket.socket, *, expected: int) -> bytes:
    parts: list[bytes] = []
    while sum(map(len, parts)) < expected:
        connection.handle_write()
        parts.append(there.recv(PART))
    return b"".join(parts)


def in_memory(connection: Connection) -> int:
    buffers = [each.buf for each in connection.outbufs if isinstance(each.buf, BytesIOBasedBuffer)]
    return sum(len(buffer.getfile().getvalue()) for buffer in buffers)


def test_memory_stays_flat_while_a_client_reads_a_long_answer(
    ends: tuple[Connection, socket.socket],
):
    connection, there = ends
    for number in range(30):
        part = bytes([number]) * PART
        connection.write_soon(part)
        assert read_all(connection, there, expected=PART) == part
        assert in_memory(connection) < 3 * PART


def test_what_a_slow_reader_leaves_is_in_one_file(ends: tuple[Connection, socket.socket]):
    connection, there = ends
    parts = [bytes([number]) * PART for number in range(30)]
    for part in parts:
        connection.write_soon(part)
    assert sum(each.overflowed for each in connection.outbufs) == 1
    assert in_memory(connection) < 3 * PART
    assert read_all(connection, there, expected=30 * PART) == b"".join(parts)


def test_a_client_that_falls_behind_and_catches_up_gets_every_byte(
    ends: tuple[Connection, socket.socket],
):
    connection, there = ends
    sent = b""
    received = b""
    for number in range(40):
        part = bytes([number]) * (PART // 3)
        connection.write_soon(part)
        sent += part
        if number % 7 > 2:
            left = len(sent) - len(received)
            received += read_all(connection, there, expected=min(PART // 2, left))
    received += read_all(connection, there, expected=len(sent) - len(received))
    assert received == sent
