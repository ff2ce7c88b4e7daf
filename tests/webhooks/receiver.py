"""A program that receives webhooks on this machine, and answers as it is told."""

import contextlib
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Receiver:
    """`answers` are the statuses of the next answers; then it says 204."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    received: list[tuple[dict[str, str], bytes]] = field(default_factory=list)


@contextlib.contextmanager
def receiver(certificate: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver at work, over https if it has a certificate."""
    told = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            told.received.append((dict(self.headers), body))
            status = told.answers.pop(0) if told.answers else 204
            self.send_response(status)
            if status == 302:
                self.send_header("Location", f"{told.url}elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_given: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if certificate is not None:
        server.socket = certificate.wrap_socket(server.socket, server_side=True)
    told.url = f"http://127.0.0.1:{server.server_port}/"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
