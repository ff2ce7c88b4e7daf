"""Mail under the site's own name.

A container knows itself by a number, and many mail servers refuse it as a greeting ("need
fully-qualified hostname").
"""

from __future__ import annotations

import smtplib
from collections.abc import Sequence
from email.utils import make_msgid
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends import smtp


class EmailBackend(smtp.EmailBackend):
    """Django's, which would take the machine's name for greetings and numbers of mails."""

    @property
    def connection_class(self) -> Any:
        made, name = super().connection_class, own_name()
        return partial(named, made, name) if name else made

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        if name := own_name():
            for mail in email_messages:
                mail.extra_headers.setdefault("Message-ID", make_msgid(domain=name))
        return super().send_messages(email_messages)


def own_name() -> str:
    """Return the host of the site's address; "" if it has only a number or a local name."""
    host = urlsplit(settings.SITE_URL).hostname or ""
    last = host.rpartition(".")[2]
    return "" if last == host or last.isdigit() else host


def named(made: type[smtplib.SMTP], name: str, *address: Any, **options: Any) -> smtplib.SMTP:
    return made(*address, **options | {"local_hostname": name})
