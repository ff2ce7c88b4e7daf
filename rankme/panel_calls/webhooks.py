"""Verify webhooks: the signature over the raw bytes, and their age."""

from __future__ import annotations

import hashlib
import hmac
from base64 import b64encode

OLDEST_SECONDS = 300
LONGEST_STAMP = 20


def is_genuine(secret: str, body: bytes, *, stamp: str, signature: str, now: float) -> bool:
    """Whether the holder of the secret signed these bytes in the last minutes."""
    is_a_moment = stamp.isascii() and stamp.isdecimal() and len(stamp) < LONGEST_STAMP
    if not is_a_moment or abs(now - int(stamp)) > OLDEST_SECONDS:
        return False
    digest = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    return hmac.compare_digest(b64encode(digest), signature.encode())
