"""Secrets that are shown once, in links and keys: only their hashes are stored."""

from __future__ import annotations

import hashlib
import secrets


def new_secret() -> str:
    """Draw a secret that nobody can guess."""
    return secrets.token_urlsafe(32)


def hash_of(secret: str) -> str:
    """Return what is stored instead of a secret: its SHA-256, in 64 hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()
