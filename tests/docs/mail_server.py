"""A mail server for tests: it takes every mail, and keeps it."""

import contextlib
import socketserver
import threading
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage


class MailServer(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(self) -> None:
        self.received: list[EmailMessage] = []
        super().__init__(("127.0.0.1", 0), _Conversation)

    @property
    def settings(self) -> dict[str, str]:
        """The settings with which a site hands its mail in here."""
        return {"EMAIL_HOST": "127.0.0.1", "EMAIL_PORT": str(self.server_address[1])}


class _Conversation(socketserver.StreamRequestHandler):
    """As much of SMTP as Django speaks without a password."""

    server: MailServer

    def handle(self) -> None:
        self._say("220 here")
        for line in self.rfile:
            command = line[:4].upper()
            if command == b"DATA":
                self._say("354 go on")
                self._take()
            elif command == b"QUIT":
                return self._say("221 bye")
            self._say("250 done")
        return None

    def _take(self) -> None:
        lines = iter(self.rfile.readline, b".\r\n")
        written = b"".join(line.removeprefix(b".") for line in lines)
        self.server.received.append(message_from_bytes(written, policy=policy.default))

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())


@contextlib.contextmanager
def mail_server() -> Iterator[MailServer]:
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            server.shutdown()
