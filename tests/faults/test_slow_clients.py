"""Clients that send slowly or too much, and requests that never end, keep nobody waiting."""

import contextlib
import json
import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import psutil
import pytest

from rankme.actions.accounts import api_keys
from tests.campaigns import make_owner
from tests.faults.raters_at_work import FEW, campaign_for, check_nothing_lost_nothing_doubled, rate
from tests.live import PATIENCE, LiveSite, wait_for
from tests.nginx import proxy_before

pytestmark = pytest.mark.slow

CLIENTS = 40
LITTLE_PATIENCE = {
    "client_header_timeout 15s": "client_header_timeout 1s",
    "client_body_timeout 15s": "client_body_timeout 1s",
}
HALF_SENT = {
    "nothing": b"",
    "half a header": b"GET /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "half a body": (
        b"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n\r\nlogin="
    ),
}


class Proxied(NamedTuple):
    """The site behind the proxy of docker-compose.yml."""

    port: int
    folder: Path


@contextlib.contextmanager
def slow_clients(
    site: LiveSite | Proxied, first: bytes, *, drips: bool = True
) -> Iterator[list[socket.socket]]:
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
    dripping = threading.Thread(target=drip if first and drips else done.wait, daemon=True)
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


def answer(site: LiveSite | Proxied, head: str, body: bytes = b"") -> tuple[int, bytes]:
    """Send a request byte for byte; return the status and all that comes back."""
    with socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE) as client:
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


@pytest.fixture
def stuck_site(site_without_web: LiveSite) -> Iterator[LiveSite]:
    """The site with views that never end, and little patience with them."""
    site_without_web.start_web("tests.faults.stuck_site", REQUEST_SECONDS="2")
    yield site_without_web
    site_without_web.kill_web()


def ask(site: LiveSite, path: str) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    return client


def web_processes(site: LiveSite) -> set[int]:
    return {child.pid for child in psutil.Process(site.processes["web"].pid).children()}


def test_a_process_whose_threads_all_hang_is_replaced(stuck_site: LiveSite):
    for path in ("/loops-and-rests-for-ever/", "/waits-for-ever/"):
        before = web_processes(stuck_site)
        clients = []

        def are_replaced(path=path, before=before, clients=clients) -> bool:
            # One process can take all clients for a while, and the other one must get some, too.
            clients.append(ask(stuck_site, path))
            return not before & web_processes(stuck_site)

        wait_for(are_replaced, f"both processes to be replaced at {path}")
        for client in clients:
            client.close()
        wait_for(stuck_site.web_answers, "the new processes")


def test_raters_do_not_wait_for_what_other_pages_wait_for(site_without_web: LiveSite):
    """As when a bucket hangs under forty readers of a report."""
    site = site_without_web
    campaign = campaign_for(screens=FEW)
    site.start_web("tests.faults.stuck_site", REQUEST_SECONDS="1000")
    clients = [ask(site, "/reports/waits-for-ever/") for _ in range(CLIENTS)]
    check_nothing_lost_nothing_doubled(rate(site.url, campaign), screens=FEW)
    # The control: when threads for raters all wait, it is noticed.
    clients += [ask(site, "/r/none/waits-for-ever/") for _ in range(CLIENTS)]
    wait_for(lambda: not site.web_answers(), "all threads to wait")
    site.kill_web()
    for client in clients:
        client.close()


def test_a_process_that_is_busy_with_many_requests_is_kept(stuck_site: LiveSite):
    """All threads are busy for three times as long as one request may keep them all."""
    wait_for(lambda: len(web_processes(stuck_site)) == 2, "both processes")
    before = web_processes(stuck_site)
    end = time.monotonic() + 6

    def ask_again_and_again() -> None:
        while time.monotonic() < end:
            with contextlib.suppress(urllib.error.HTTPError):
                urllib.request.urlopen(f"{stuck_site.url}/takes-its-time/", timeout=PATIENCE)

    askers = [threading.Thread(target=ask_again_and_again) for _ in range(20)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    assert web_processes(stuck_site) == before


# Behind the proxy ---------------------------------------------------------------------------


@pytest.fixture
def proxied_site(live_site: LiveSite) -> Iterator[Proxied]:
    with proxy_before(live_site.port, **LITTLE_PATIENCE) as (port, folder):
        yield Proxied(port, folder)


@pytest.mark.parametrize("first", HALF_SENT.values(), ids=HALF_SENT)
def test_the_proxy_sends_a_client_away_that_stops_sending(proxied_site: Proxied, first: bytes):
    with slow_clients(proxied_site, first, drips=False) as clients:
        wait_for(lambda: not any(map(is_open, clients)), "the connections to be closed")


def test_the_proxy_sends_a_client_away_that_drips_its_header(proxied_site: Proxied):
    with slow_clients(proxied_site, HALF_SENT["half a header"]) as clients:
        wait_for(lambda: not any(map(is_open, clients)), "the connections to be closed")


def test_the_proxy_limits_the_requests_of_one_address(live_site: LiveSite):
    few = {"limit_conn addresses 500": f"limit_conn addresses {CLIENTS // 2}"}
    with proxy_before(live_site.port, **few) as (port, folder):
        site = Proxied(port, folder)
        with slow_clients(site, HALF_SENT["half a body"]) as clients:
            wait_for(lambda: sum(map(is_open, clients)) == CLIENTS // 2, "half to be refused")
            assert answer(site, "GET /healthz/ HTTP/1.0")[0] == 429
            assert live_site.web_answers()


# How much -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/login/", "/api/v1/token/", "/there/is/nothing/"])
def test_what_is_too_large_for_its_address_is_refused_by_its_header(proxied_site: Proxied, path):
    head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {2**30}"
    assert answer(proxied_site, head)[0] == 413


def test_a_chunked_body_is_refused_once_it_is_too_large(proxied_site: Proxied):
    head = "POST /login/ HTTP/1.1\nHost: 127.0.0.1\nTransfer-Encoding: chunked"
    piece = b"10000\r\n" + bytes(0x10000) + b"\r\n"
    assert answer(proxied_site, head, 65 * piece)[0] == 413


def test_the_site_itself_explains_that_a_form_is_too_large(live_site: LiveSite):
    """Whether its length is announced or not."""
    for how in (f"Content-Length: {2**21}", "Transfer-Encoding: chunked"):
        body = bytes(2**21) if "Length" in how else b"200000\r\n" + bytes(2**21) + b"\r\n0\r\n\r\n"
        for path, said in (("/login/", b"The form is too large"), ("/api/v1/token/", b"too_large")):
            head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nConnection: close\n{how}"
            status, received = answer(live_site, head, body)
            assert (status, said in received) == (413, True)


@pytest.mark.parametrize("more", ["", "\nAuthorization: Token wrong\nCookie: sessionid=wrong"])
def test_a_stranger_is_asked_to_log_in_before_a_file_is_read(proxied_site: Proxied, more: str):
    for path, status, said in (
        ("/campaigns/abc/metrics/upload/", 302, b"Location: /login/?next="),
        ("/api/v1/campaigns/abc/imports/", 401, b"not_authenticated"),
    ):
        head = f"POST {path} HTTP/1.1\nHost: 127.0.0.1\nContent-Length: {2**29}"
        found, received = answer(proxied_site, head + more)
        assert (found, said in received) == (status, True), received


def test_nothing_of_a_strangers_upload_reaches_the_disk(proxied_site: Proxied):
    head = b"POST /campaigns/abc/material/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 500000000"
    with socket.create_connection(("127.0.0.1", proxied_site.port)) as client:
        client.sendall(head + b"\r\n\r\n")
        with contextlib.suppress(OSError):  # it hangs up
            for _ in range(1000):
                client.sendall(bytes(65536))
        assert not [path for path in (proxied_site.folder / "bodies").rglob("*") if path.is_file()]


def test_an_organiser_may_upload(proxied_site: Proxied):
    """A body of ten megabytes reaches the view, which misses the campaign."""
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
    status, received = answer(proxied_site, head, body)
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
