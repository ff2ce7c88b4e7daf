"""The web server without a proxy, by raw sockets: Django's test client sees nothing of it."""

import contextlib
import resource
import socket
import time
from http.client import HTTPConnection

import psutil
import pytest

from tests.faults.streaming_site import LARGE
from tests.live import PATIENCE, LiveSite, wait_for
from tests.nginx import proxy_before

pytestmark = pytest.mark.slow

PAGES = {
    "/healthz/": 200,
    "/login/": 200,
    "/gallery/": 200,
    "/campaigns/": 302,
    "/there/is/nothing/": 404,
    "/api/v1/campaigns/": 401,
    "/api/v1/there-is-nothing/": 404,
    "/logout/": 405,
    "/static/css/base.css": 200,
}


@pytest.fixture
def site(site_without_web: LiveSite) -> LiveSite:
    """The site, with two more addresses."""
    site_without_web.start_web("tests.faults.streaming_site")
    return site_without_web


def connect(site: LiveSite) -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE)


def received(client: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    parts = []
    while part := client.recv(65536):
        parts.append(part)
    return b"".join(parts)


def request(method: str, path: str, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


CLOSING = request("GET", "/healthz/", "Connection: close")


# HEAD ---------------------------------------------------------------------------------------


def test_an_answer_to_head_has_no_body(site: LiveSite):
    """The next answer on the same connection begins where the header ends."""
    for path, status in PAGES.items():
        with connect(site) as client:
            client.sendall(request("HEAD", path) + CLOSING)
            answers = received(client)
        assert int(answers.split()[1]) == status, path
        header, _, rest = answers.partition(b"\r\n\r\n")
        assert rest.startswith(b"HTTP/1.1 200 OK"), (path, rest[:80])
        assert rest.endswith(b"\r\n\r\nalive\n"), path
        assert b"chunked" not in header.lower(), path


def test_head_and_get_have_the_same_status_and_length(site: LiveSite):
    connection = HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE)
    for path in ("/login/", "/gallery/", "/api/v1/schema/", "/static/js/base.js"):
        found = []
        for method in ("HEAD", "GET"):
            connection.request(method, path)
            answer = connection.getresponse()
            body = answer.read()
            found.append((answer.status, answer.headers["Content-Type"]))
        assert found[0] == found[1], path
        assert body
    connection.close()


def test_an_answer_of_unknown_length_to_head_has_no_body(site: LiveSite):
    for method in ("HEAD", "GET"):
        with connect(site) as client:
            client.sendall(request(method, "/streams/"))
            answer = received(client)
        assert (b"first" in answer, b"second" in answer) == (method == "GET",) * 2
        assert b"Connection: close" in answer


# Framing ------------------------------------------------------------------------------------


def test_pipelined_requests_are_answered_in_order(site: LiveSite):
    with connect(site) as client:
        client.sendall(request("GET", "/healthz/") * 3 + request("GET", "/nothing/") + CLOSING)
        answers = received(client).split(b"HTTP/1.1 ")[1:]
    assert [answer[:3] for answer in answers] == [b"200", b"200", b"200", b"404", b"200"]


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 1", "Content-Length: 2"),
        ("Content-Length: 3", "Transfer-Encoding: xchunked"),
        ("Content-Length: -1",),
        ("Content-Length : 3",),
    ],
)
def test_a_body_of_doubtful_length_is_refused_and_nothing_follows(site: LiveSite, headers):
    with connect(site) as client:
        client.sendall(request("POST", "/login/", *headers) + b"abc" + CLOSING)
        answers = received(client)
    assert answers.split()[1] in (b"400", b"501")
    assert answers.count(b"HTTP/1.1 ") + answers.count(b"HTTP/1.0 ") == 1


# Readers ------------------------------------------------------------------------------------


def slow_reader(port: int) -> socket.socket:
    """A client that asks for much and reads nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(request("GET", "/large/"))
    return client


def test_slow_readers_of_large_answers_hold_no_thread(site: LiveSite):
    """There are eight threads. They write the answers to the disk, which takes a moment."""
    with contextlib.ExitStack() as readers:
        for _ in range(12):
            readers.enter_context(slow_reader(site.port))
        wait_for(site.web_answers, "an answer")


def test_a_steady_reader_gets_a_large_answer_whole(site: LiveSite):
    with connect(site) as client:
        client.sendall(request("GET", "/large/", "Connection: close"))
        assert len(received(client)) > LARGE


# Through the proxy --------------------------------------------------------------------------


def test_the_proxy_disconnects_a_reader_that_takes_nothing(site: LiveSite):
    limits = {"send_timeout 30s": "send_timeout 1s"}
    with proxy_before(site.port, **limits) as (port, _), slow_reader(port) as reader:
        mine = reader.getsockname()[1]

        def is_connected() -> bool:
            ours = psutil.net_connections("tcp")
            return any(each.raddr and each.raddr.port == mine and each.pid for each in ours)

        wait_for(is_connected, "the connection")
        wait_for(lambda: not is_connected(), "the connection to be closed")


# Without files ------------------------------------------------------------------------------


def test_more_connections_than_open_files_neither_spin_nor_fill_the_log(site: LiveSite):
    """The site answers again once they are gone."""
    master = psutil.Process(site.processes["web"].pid)
    resource.prlimit(master.pid, resource.RLIMIT_NOFILE, (300, 300))
    before = master.children()
    for child in before:
        child.kill()
    wait_for(lambda: len(set(master.children()) - set(before)) == 2, "new processes")
    wait_for(site.web_answers, "an answer")
    log = site.log("web")
    written = log.stat().st_size
    children = master.children()
    clients = [connect(site) for _ in range(700)]
    began = sum(sum(child.cpu_times()[:2]) for child in children)
    time.sleep(3)
    cpu = sum(sum(child.cpu_times()[:2]) for child in children) - began
    for client in clients:
        client.close()
    wait_for(site.web_answers, "an answer")
    site.kill_web()
    assert cpu < 1.5
    said = log.read_bytes()[written:].decode()
    assert "Traceback" not in said
    # A line of a hundred signs for each connection would be 70,000; a busy machine had 6,400 once.
    assert len(said) < 20_000, said
