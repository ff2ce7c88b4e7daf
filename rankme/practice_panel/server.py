"""The practice panel as a process, on the loopback interface only."""

from __future__ import annotations

import logging
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from .hooks import Delivery
from .panel import PracticePanel
from .wire import Request, Response

LOOPBACK = "127.0.0.1"
OWN_NAMES = ("127.0.0.1", "localhost", "::1")
# Longer than any caller waits.
SILENCE_SECONDS = 60.0
PATIENCE_WITH_SUBSCRIBERS = 10.0
SECONDS_BETWEEN_DELIVERIES = 0.2
log = logging.getLogger(__name__)


class PracticeServer(ThreadingHTTPServer):
    """Serves one panel. Its books are changed by one request at a time."""

    daemon_threads = True

    def __init__(self, panel: PracticePanel, port: int = 0) -> None:
        self.panel = panel
        self.one_at_a_time = threading.Lock()
        self.delivering: list[Delivery] = []
        self.ends = threading.Event()
        super().__init__((LOOPBACK, port), Handler)

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.server_address[1]}"

    def answer(self, request: Request) -> Response:
        with self.one_at_a_time:
            return self.panel.handle(request)

    def deliver_webhooks(self) -> None:
        """Hand out what waits, until the server ends."""
        while not self.ends.wait(SECONDS_BETWEEN_DELIVERIES):
            with self.one_at_a_time:
                self.delivering = self.panel.hooks.take()
            while self.delivering:
                if not deliver(self.delivering[0]):
                    with self.one_at_a_time:
                        self.panel.hooks.failed(self.delivering[0])
                del self.delivering[0]

    def has_delivered_all(self) -> bool:
        with self.one_at_a_time:
            return not self.delivering and not self.panel.hooks.waiting

    def server_close(self) -> None:
        self.ends.set()
        super().server_close()


class Handler(BaseHTTPRequestHandler):
    """Translates between HTTP and the panel's requests."""

    server: PracticeServer
    protocol_version = "HTTP/1.1"

    def _answer(self) -> None:
        parts = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        query = dict(parse_qsl(parts.query, keep_blank_values=True))
        body = self.rfile.read(length)
        response = self.server.answer(Request(self.command, parts.path, query, headers, body))
        if response.lost:
            time.sleep(SILENCE_SECONDS if response.lost == "silent" else 0)
            self.close_connection = True
            return
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        self.wfile.write(response.body)

    do_GET = do_POST = do_PATCH = do_DELETE = _answer

    def log_message(self, format: str, *arguments: object) -> None:
        log.debug(format, *arguments)


def deliver(delivery: Delivery) -> bool:
    """Call a subscriber on this machine once; return whether it has taken the call."""
    if urlsplit(delivery.address).hostname not in OWN_NAMES:
        log.warning("webhook refused: %s is not on this machine", delivery.address)
        return True
    request = urllib.request.Request(delivery.address, delivery.body, delivery.headers)
    try:
        urllib.request.urlopen(request, timeout=PATIENCE_WITH_SUBSCRIBERS).close()
    except OSError as error:
        log.info("webhook to %s failed: %s", delivery.address, error)
        return False
    return True


def serve(server: PracticeServer) -> None:
    """Answer until the process ends."""
    threading.Thread(target=server.deliver_webhooks, daemon=True).start()
    try:
        server.serve_forever()
    finally:
        server.server_close()
