"""The log's lines: without participants (their panel's ids, and the tokens that act for them), with
the request that caused them, and by mail what must be known.
"""

import logging
import re
import socket
import time
from contextvars import ContextVar

from django.core import mail

HOST = socket.gethostname()
NO_REQUEST = "-"
SECONDS_BETWEEN_MAILS = 3600.0
number_of_request: ContextVar[str] = ContextVar("number_of_request", default=NO_REQUEST)

HIDDEN = "…"
NAMED_VALUE = re.compile(
    r"(?i)((?:\b(?:prolific_pid|study_id|session_id|worker_?id|assignment_?id|participant(?:_id)?"
    r"|token|code|key|csrfmiddlewaretoken)|[?&]\w+)['\"]?\s*[=:]\s*['\"]?)[^\s&'\",;)}]+"
)
PROLIFIC_ID = re.compile(r"\b[0-9a-f]{24}\b")
MTURK_ID = re.compile(r"\bA[0-9A-Z]{11,20}\b")
EMAIL = re.compile(r"[^\s@=,;:<>()'\"]{1,64}@[^\s@=,;:<>()'\"]{1,255}\.[A-Za-z]{2,}")
# PostgreSQL quotes the values of a row that broke a rule: any of them may name a person.
QUOTED_ROW = re.compile(
    r"(?s)(Failing row contains |Key \([^)]*\)=)\(.*?\)(?= already exists| is "
    r"(?:not |still )|\.?\s*(?:\n|$))"
)
RESUME_TOKEN = re.compile(r"(?<=/resume/)[^/\s?\"',]+")
# A long mixed part of a path is a token, not a word.
PATH_TOKEN = re.compile(r"(?<=/)(?=[^/\s?]*[0-9A-Z_-])[A-Za-z0-9_-]{16,}(?=[/?\s\"',]|$)")


# What would begin another line, or steer the terminal of the person who reads it.
CONTROLS = {number: ascii(chr(number))[1:-1] for number in (*range(32), *range(127, 160))}


def without_participants(text: str) -> str:
    text = NAMED_VALUE.sub(rf"\1{HIDDEN}", text)
    text = QUOTED_ROW.sub(rf"\1({HIDDEN})", text)
    for pattern in (RESUME_TOKEN, EMAIL, PROLIFIC_ID, MTURK_ID, PATH_TOKEN):
        text = pattern.sub(HIDDEN, text)
    return text


class WithoutParticipants(logging.Filter):
    """Rewrites a record before it is written, with its arguments and its traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = without_participants(record.getMessage()).translate(CONTROLS)
        record.args = None
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = without_participants(record.exc_text)
        return True


class WithRequest(logging.Filter):
    """Adds this host and the number of the request to a record."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.host, record.request_number = HOST, number_of_request.get()
        return True


class MailToAdmins(logging.Handler):
    """Mails what must be known to `ADMINS`, each kind of message at most once an hour.

    The message alone: Django's own handler adds the request, with what a person sent.
    """

    def __init__(self) -> None:
        super().__init__(logging.CRITICAL)
        self.sent: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        kind, now = f"{record.name}:{record.lineno}", time.monotonic()
        if now - self.sent.get(kind, -SECONDS_BETWEEN_MAILS) < SECONDS_BETWEEN_MAILS:
            return
        self.sent[kind] = now
        try:
            mail.mail_admins(f"RankME on {HOST}: {record.name}", self.format(record))
        except OSError:
            self.handleError(record)
