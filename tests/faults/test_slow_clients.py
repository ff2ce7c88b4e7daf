"""Clients that send slowly or too much, and requests that never end, keep nobody waiting."""

import contextlib
import json
import os
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from rankme.actions.accounts import api_keys
from tests.campaigns import make_owner
from tests.live import PATIENCE, LiveSite, wait_for

pytestmark = pytest.mark.slow

CLIENTS = 40
HALF_SENT = {
    "nothing": b"",
    "half a header": b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "half a body": (
        b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nusername="
    ),
}


@contextlib.contextmanager
def slow_clients(site: LiveSite, first: bytes) -> Iterator[list[socket.socket]]:
    """Forty clients that send the beginning of a request, and then one byte now and then."""
    clients = [socket.create_connection(("127.0.0.1", site.port)) for _ in range(CLIENTS)]
    done = threading.Event()

    def drip() -> None:
        while not done.wait(0.5):
            for client in clients:
                with contextlib.suppress(OSError):
                    client.sendall(b"a")

    for client in clients:
        client.sendall(first)
    dripping = threading.Thread(target=drip if first else done.wait, daemon=True)
    dripping.start()
    try:
        yield clients
    finally:
        done.set()
        dripping.join()
        for client in clients:
            client.close()


def is_open(client: socket.socket) -> bool:
    client.setblocking(False)
    try:
        return client.recv(1) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False


def answer(site: LiveSite, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Send a request byte for byte; return the status and all that comes back."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=30) as client:
        client.sendall(head.replace("\n", "\r\n").encode() + b"\r\n\r\n" + body)
        received = b""
        while chunk := client.recv(65536):
            received += chunk
        return int(received.split()[1]), received


@pytest.mark.parametrize("first", HALF_SENT.values(), ids=HALF_SENT)
def test_forty_slow_clients_keep_nobody_waiting(live_site: LiveSite, first: bytes):
    with slow_clients(live_site, first):
        for _ in range(20):
            assert live_site.web_answers()


@pytest.mark.parametrize("first", HALF_SENT.values(), ids=HALF_SENT)
def test_a_client_that_never_finishes_is_sent_away(site_without_web: LiveSite, first: bytes):
    site_without_web.start_web(HEADER_SECONDS="1", BODY_SECONDS="1")
    with slow_clients(site_without_web, first) as clients:
        wait_for(lambda: not any(map(is_open, clients)), "the connections to be closed")


@pytest.fixture
def stuck_site(site_without_web: LiveSite) -> LiveSite:
    """The site with views that never end; its deadline is short."""
    site_without_web.start_web("tests.faults.stuck_site", REQUEST_SECONDS="1")
    return site_without_web


def test_a_request_that_loops_frees_its_threads(stuck_site: LiveSite):
    """Eight threads loop for ever; after the deadline the site answers again and says 503."""
    statuses: list[int] = []

    def ask() -> None:
        try:
            urllib.request.urlopen(f"{stuck_site.url}/loops-for-ever/", timeout=PATIENCE)
        except urllib.error.HTTPError as error:
            statuses.append(error.code)

    askers = [threading.Thread(target=ask) for _ in range(8)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert statuses == [503] * 8
    assert stuck_site.web_answers()


def test_a_process_whose_request_cannot_be_interrupted_is_replaced(stuck_site: LiveSite):
    master = psutil.Process(stuck_site.processes["web"].pid)
    before = {child.pid for child in master.children()}
    waiting = b"GET /waits-for-ever/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    clients: list[socket.socket] = []

    def are_replaced() -> bool:
        # One process can take all clients for a while, and the other one must get some, too.
        client = socket.create_connection(("127.0.0.1", stuck_site.port))
        client.sendall(waiting)
        clients.append(client)
        return not before & {child.pid for child in master.children()}

    try:
        wait_for(are_replaced, "both processes to be replaced")
        wait_for(stuck_site.web_answers, "the new processes")
    finally:
        for client in clients:
            client.close()
        stuck_site.kill_web()


def test_without_deadlines_a_loop_would_hold_its_thread(site_without_web: LiveSite):
    site_without_web.start_web("tests.faults.stuck_site", REQUEST_SECONDS="1000")
    looping = b"GET /loops-and-rests-for-ever/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    try:
        with slow_clients(site_without_web, looping):
            wait_for(lambda: not site_without_web.web_answers(), "all threads to loop")
    finally:
        site_without_web.kill_web()


# How much -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/login/", "/api/v1/token/", "/there/is/nothing/"])
def test_what_is_too_large_for_its_address_is_refused_by_its_header(live_site: LiveSite, path):
    head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {2**30}"
    status, received = answer(live_site, head)
    assert status == 413
    assert (b"too_large" if path.startswith("/api/") else b"The form is too large") in received


def test_a_chunked_body_is_refused_once_it_is_too_large(live_site: LiveSite):
    head = "POST /login/ HTTP/1.1\nHost: 127.0.0.1\nTransfer-Encoding: chunked"
    piece = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    status, received = answer(live_site, head, 16 * piece + b"1\r\na\r\n")
    assert status == 413
    assert b"The form is too large" in received


@pytest.mark.parametrize("more", ["", "\nAuthorization: Token wrong\nCookie: sessionid=wrong"])
def test_a_stranger_is_asked_to_log_in_before_a_file_is_read(live_site: LiveSite, more: str):
    for path, status, said in (
        ("/campaigns/abc/metrics/upload/", 302, b"Location: /login/?next="),
        ("/api/v1/campaigns/abc/imports/", 401, b"authenticat"),
    ):
        head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {2**29}"
        found, received = answer(live_site, head + more)
        assert (found, said in received) == (status, True), received


def test_nothing_of_a_strangers_upload_reaches_the_disk(live_site: LiveSite):
    """While the body waits, the web processes hold no temporary file."""
    head = b"POST /campaigns/abc/material/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500000000"
    children = psutil.Process(live_site.processes["web"].pid).children()
    with socket.create_connection(("127.0.0.1", live_site.port)) as client:
        client.sendall(head + b"\r\n\r\n")
        with contextlib.suppress(OSError):  # it hangs up
            for _ in range(1000):
                client.sendall(bytes(65536))
    assert not any("(deleted)" in name for child in children for name in open_names(child))


def open_names(process: psutil.Process) -> list[str]:
    folder = Path(f"/proc/{process.pid}/fd")
    names = []
    for each in folder.iterdir():
        with contextlib.suppress(OSError):
            names.append(os.readlink(each))
    return [name for name in names if name.startswith("/tmp/") and "gunicorn" not in name]


def test_an_organiser_may_upload(live_site: LiveSite):
    """The permit opens: a body of ten megabytes reaches the view, which misses the campaign."""
    user = make_owner()
    user.set_password("correct horse battery staple")
    user.save()
    key = api_keys.obtain_key("olga", "correct horse battery staple", address="192.0.2.1")
    form = b"--x\r\nContent-Disposition: form-data; name=outputs; filename=a.csv\r\n\r\n"
    body = form + b"a" * 10_000_000 + b"\r\n--x--\r\n"
    head = (
        "POST /api/v1/campaigns/abc/imports/ HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n"
        "Content-Type: multipart/form-data; boundary=x\n"
        f"Content-Length: {len(body)}\nAuthorization: Token {key}"
    )
    status, received = answer(live_site, head, body)
    assert status == 404
    assert json.loads(received.partition(b"\r\n\r\n")[2])["error"]["code"] == "not_found"


def test_the_processes_end_when_their_master_is_killed(live_site: LiveSite):
    """Otherwise they would keep the port, and the next start could not have it."""
    master = psutil.Process(live_site.processes["web"].pid)
    children = master.children()
    assert children
    master.kill()
    wait_for(lambda: not any(map(is_alive, children)), "the processes to end")


def is_alive(process: psutil.Process) -> bool:
    with contextlib.suppress(psutil.NoSuchProcess):
        return process.status() != psutil.STATUS_ZOMBIE
    return False
