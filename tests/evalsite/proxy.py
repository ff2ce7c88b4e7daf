"""A proxy that publishes a site below a path and nothing else of its host, on a real port."""

import contextlib
import http.client
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.live import PATIENCE

# They belong to one connection, and the proxy has two.
OF_ONE_CONNECTION = {"connection", "keep-alive", "transfer-encoding"}


class PrefixProxy(ThreadingHTTPServer):
    """Forwards what is below `prefix` to a port of this machine, whole or without the prefix."""

    daemon_threads = True

    def __init__(
        self, port: int, prefix: str, *, strips: bool = False, ends_tls: bool = False
    ) -> None:
        super().__init__(("127.0.0.1", 0), Forwarder)
        self.port, self.prefix, self.strips = port, prefix, strips
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.secure_url = self.url.replace("http:", "https:")
        # Like a proxy that ends TLS, for clients that send no Origin of their own.
        told = {"X-Forwarded-Proto": "https", "Origin": self.secure_url}
        self.headers = told if ends_tls else {}
        self.strays: list[str] = []  # what was asked of the rest of the host


class Forwarder(BaseHTTPRequestHandler):
    server: PrefixProxy

    def forward(self) -> None:
        if not f"{self.path}/".startswith(f"{self.server.prefix}/"):
            self.server.strays.append(self.path)
            return self.send_error(404)
        path = self.path.removeprefix(self.server.prefix) if self.server.strips else self.path
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            headers = dict(self.headers) | self.server.headers
            connection.request(self.command, path or "/", body, headers)
            self.answer(connection.getresponse())

    def answer(self, answer: http.client.HTTPResponse) -> None:
        body = answer.read()
        self.send_response_only(answer.status, answer.reason)
        for name, value in answer.getheaders():
            if name.lower() not in OF_ONE_CONNECTION | {"content-length"}:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_HEAD = forward

    def log_message(self, *arguments: object) -> None:
        """Write nothing: the tests say what matters."""


@contextlib.contextmanager
def prefix_proxy(port: int, prefix: str, **options: bool) -> Iterator[PrefixProxy]:
    with PrefixProxy(port, prefix, **options) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        yield proxy
        proxy.shutdown()
