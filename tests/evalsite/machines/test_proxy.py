"""The proxy before two web servers, of which one is of another release, or gone."""

import contextlib
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.live import PATIENCE, free_port
from tests.nginx import proxy_before

TIMES = 8


@contextlib.contextmanager
def server(status: int) -> Iterator[int]:
    """A web server that answers everything with this status; yield its port."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Answer) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield running.server_address[1]
        running.shutdown()


def statuses(port: int, path: str) -> set[int]:
    found = set()
    for _ in range(TIMES):
        try:
            address = f"http://127.0.0.1:{port}{path}"
            with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
                found.add(answer.status)
        except urllib.error.HTTPError as error:
            with error:
                found.add(error.code)
    return found


def both(first: int, second: int) -> dict[str, str]:
    return {"server web:8000;": f"server 127.0.0.1:{first}; server 127.0.0.1:{second};"}


def test_a_file_that_one_release_lacks_comes_from_the_other():
    with (
        server(404) as older,
        server(200) as newer,
        proxy_before(0, **both(older, newer)) as (port, _),
    ):
        assert statuses(port, "/static/js/work.5f0c2a91be77.js") == {200}
        assert statuses(port, "/rankme/static/js/work.5f0c2a91be77.js") == {200}
        assert statuses(port, "/r/none/") == {200, 404}, "other answers are not asked for twice"


def test_a_web_server_that_is_gone_is_passed_over():
    with server(200) as left, proxy_before(0, **both(free_port(), left)) as (port, _):
        assert statuses(port, "/r/none/") == {200}
