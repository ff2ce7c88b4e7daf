"""The web server's own part, by raw sockets: Django's test client sees nothing of it."""

import resource
import socket
import time
from http.client import HTTPConnection

import psutil
import pytest

from tests.faults.streaming_site import LARGE
from tests.live import LiveSite, wait_for

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
def streaming_site(site_without_web: LiveSite) -> LiveSite:
    site_without_web.start_web("tests.faults.streaming_site", ANSWER_SECONDS="1")
    return site_without_web


def connect(site: LiveSite) -> socket.socket:
    return socket.create_connection(("127.0.0.1", site.port), timeout=30)


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


@pytest.mark.parametrize("path", PAGES)
def test_an_answer_to_head_has_no_body(live_site: LiveSite, path: str):
    """The next answer on the same connection begins where the header ends."""
    with connect(live_site) as client:
        client.sendall(request("HEAD", path) + CLOSING)
        answers = received(client)
    assert int(answers.split()[1]) == PAGES[path]
    header, _, rest = answers.partition(b"\r\n\r\n")
    assert rest.startswith(b"HTTP/1.1 200 OK"), rest[:80]
    assert rest.endswith(b"\r\n\r\nalive\n")
    assert b"chunked" not in header.lower()


def test_head_and_get_have_the_same_status_and_length(live_site: LiveSite):
    connection = HTTPConnection("127.0.0.1", live_site.port, timeout=30)
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


def test_an_answer_of_unknown_length_to_head_has_no_body(streaming_site: LiveSite):
    with connect(streaming_site) as client:
        client.sendall(request("HEAD", "/streams/"))
        assert received(client).endswith(b"\r\n\r\n")
    with connect(streaming_site) as client:
        client.sendall(request("GET", "/streams/"))
        assert received(client).endswith(b"second\n\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    "headers", [("Content-Length: x",), ("Content-Length: 1", "Transfer-Encoding: xchunked")]
)
def test_a_refusal_of_the_front_has_no_body_for_head(live_site: LiveSite, headers):
    with connect(live_site) as client:
        client.sendall(request("HEAD", "/login/", *headers))
        answer = received(client)
    assert answer.split()[1] in (b"400", b"501")
    assert answer.endswith(b"\r\n\r\n")


# Framing ------------------------------------------------------------------------------------


def test_pipelined_requests_are_answered_in_order(live_site: LiveSite):
    with connect(live_site) as client:
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
def test_a_body_of_doubtful_length_is_refused_and_nothing_follows(live_site: LiveSite, headers):
    with connect(live_site) as client:
        client.sendall(request("POST", "/login/", *headers) + b"abc" + CLOSING)
        answers = received(client)
    assert answers.split()[1] in (b"400", b"501")
    assert answers.count(b"HTTP/1.1 ") + answers.count(b"HTTP/1.0 ") == 1


# Readers ------------------------------------------------------------------------------------


def slow_reader(site: LiveSite) -> socket.socket:
    """A client that asks for much and reads nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", site.port))
    client.sendall(request("GET", "/large/"))
    return client


def test_a_reader_that_takes_nothing_is_disconnected(streaming_site: LiveSite):
    with slow_reader(streaming_site) as reader:
        master = psutil.Process(streaming_site.processes["web"].pid)

        def is_connected() -> bool:
            mine = reader.getsockname()[1]
            return any(
                found.raddr and found.raddr.port == mine
                for child in master.children()
                for found in child.net_connections("tcp")
            )

        wait_for(is_connected, "the connection")
        wait_for(lambda: not is_connected(), "the connection to be closed", seconds=60)


def test_a_steady_reader_gets_a_large_answer_whole(streaming_site: LiveSite):
    with connect(streaming_site) as client:
        client.sendall(request("GET", "/large/", "Connection: close"))
        assert len(received(client)) > LARGE


def test_the_front_keeps_answering_when_it_has_no_descriptors_left(streaming_site: LiveSite):
    """It neither spins nor fills the log, and the slowest clients make room."""
    log = streaming_site.log("web")
    written = log.stat().st_size
    children = psutil.Process(streaming_site.processes["web"].pid).children()
    before = {child.pid: resource.prlimit(child.pid, resource.RLIMIT_NOFILE) for child in children}
    clients = []
    try:
        for child in children:
            _, hard = before[child.pid]
            resource.prlimit(child.pid, resource.RLIMIT_NOFILE, (child.num_fds() + 20, hard))
        clients = [connect(streaming_site) for _ in range(200)]
        began = time.monotonic(), sum(sum(child.cpu_times()[:2]) for child in children)
        for _ in range(3):
            wait_for(streaming_site.web_answers, "an answer", seconds=30)
            time.sleep(1)
        seconds = time.monotonic() - began[0]
        cpu = sum(sum(child.cpu_times()[:2]) for child in children) - began[1]
    finally:
        for child in children:
            resource.prlimit(child.pid, resource.RLIMIT_NOFILE, before[child.pid])
        for client in clients:
            client.close()
    assert cpu < seconds / 2
    with log.open() as opened:
        opened.seek(written)
        lines = [
            line for line in opened if "Traceback" in line or "slow connections are closed" in line
        ]
    assert lines
    assert not any("Traceback" in line for line in lines)
    assert len(lines) < 20 * (1 + seconds)
