"""Connections that come at the same time: see `evalsite/connections.py`."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import pytest
from waitress import create_server
from waitress.wasyncore import close_all, loop

from evalsite.connections import accept_all

AT_ONCE = 40


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
