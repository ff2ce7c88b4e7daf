"""Check a message that a site sent, before anything in it is believed."""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from typing import Any

from .errors import RankmeClientError

SECONDS_OF_GRACE = 300


class BadSignature(RankmeClientError):
    """The message is not from the site, was changed on its way, or is old."""


def read_message(
    body: bytes, signature: str, secret: str, *, now: float | None = None
) -> dict[str, Any]:
    """The message of a webhook.

    Keep the `id` of what you have dealt with: a message whose answer was lost comes again.

    Parameters
    ----------
    body : as it was received, to the byte
    signature : the header `RankME-Signature`
    secret : which the site showed when the webhook was added

    Raises
    ------
    BadSignature : nobody who knows the secret sent this within the last five minutes
    """
    parts = dict(part.partition("=")[::2] for part in signature.split(","))
    moment = parts.get("t", "")
    signed = moment.encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected.encode(), parts.get("v1", "").encode()):
        raise BadSignature("The signature does not fit the message.")
    if not moment.isdecimal() or abs((now or time.time()) - int(moment)) > SECONDS_OF_GRACE:
        raise BadSignature("The message is old.")
    found: dict[str, Any] = json.loads(body)
    return found
