"""Send one signed message, and say in a word what became of it."""

from __future__ import annotations

import hashlib
import hmac
import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from rankme.errors import RefusedAction

from .addresses import Target, find_target

SECONDS_TO_CONNECT, SECONDS_TO_ANSWER, SECONDS_IN_ALL = 5.0, 10.0, 15.0
MOST_BYTES = 64 * 1024  # of an answer, of which only the status counts
AGENT = "RankME-Webhook/1"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Outcome:
    """The status of the answer (0: there was none), and why it is not a success."""

    status: int
    problem: str = ""

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300 and not self.problem


def new_client() -> httpx.Client:
    """The one place where these connections are opened. No proxy, no redirects."""
    timeout = httpx.Timeout(SECONDS_TO_ANSWER, connect=SECONDS_TO_CONNECT)
    return httpx.Client(timeout=timeout, trust_env=False, follow_redirects=False)


def signature(secret: str, body: bytes, moment: int) -> str:
    """The header with which a receiver checks who sent the message, and when."""
    signed = b"%d." % moment + body
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={moment},v1={digest}"


def send(url: str, secret: str, body: bytes, headers: Mapping[str, str]) -> Outcome:
    """Send the message once; a receiver that hangs or talks without end is a failure."""
    try:
        target = find_target(url)
    except RefusedAction as refusal:
        return Outcome(0, str(refusal))
    signed = dict(headers) | {
        "Host": target.host_header,
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "RankME-Signature": signature(secret, body, int(time.time())),
    }
    try:
        return _sent(target, body, signed)
    except httpx.HTTPError as error:
        log.info("A webhook was not delivered: %r", error)
        return Outcome(0, type(error).__name__)


def _sent(target: Target, body: bytes, headers: Mapping[str, str]) -> Outcome:
    ends_at = time.monotonic() + SECONDS_IN_ALL
    received = 0
    # The certificate is that of the host, although the connection goes to the checked address.
    named = {"sni_hostname": target.host}
    with (
        new_client() as client,
        client.stream(
            "POST", target.url, content=body, headers=dict(headers), extensions=named
        ) as answer,
    ):
        for part in answer.iter_raw():
            received += len(part)
            if received > MOST_BYTES or time.monotonic() > ends_at:
                return Outcome(answer.status_code, "The answer has no end.")
        if answer.is_success:
            return Outcome(answer.status_code)
        return Outcome(answer.status_code, f"{answer.status_code} {answer.reason_phrase}")
