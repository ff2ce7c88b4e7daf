"""A mail server for tests: it takes every mail, and keeps it."""

import contextlib
import ssl
from collections.abc import Iterator
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.live import free_port

USER, PASSWORD = "site", "mail word 27"


class MailServer:
    def __init__(self, port: int) -> None:
        self.received: list[EmailMessage] = []
        self.greeted_by = ""
        self.port = port

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:
        self.greeted_by = str(session.host_name)
        self.received.append(message_from_bytes(envelope.content, policy=policy.default))
        return "250 done"

    @property
    def settings(self) -> dict[str, str]:
        """The settings with which a site hands its mail in here."""
        return {"EMAIL_HOST": "localhost", "EMAIL_PORT": str(self.port)}


def right_password(
    _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, said: Any
) -> AuthResult:
    return AuthResult(
        success=said == LoginPassword(USER.encode(), PASSWORD.encode()), handled=False
    )


@contextlib.contextmanager
def mail_server(
    certificate: ssl.SSLContext | None = None, *, begins_with_tls: bool = False
) -> Iterator[MailServer]:
    """With a certificate, it speaks TLS, and knows the password of `USER`."""
    mails, options = MailServer(free_port()), dict[str, Any]()
    if certificate is not None:
        options = {"authenticator": right_password}
        options["ssl_context" if begins_with_tls else "tls_context"] = certificate
        options["auth_require_tls"] = not begins_with_tls  # it counts STARTTLS alone
    controller = Controller(mails, hostname="localhost", port=mails.port, **options)
    controller.start()
    try:
        yield mails
    finally:
        controller.stop()
