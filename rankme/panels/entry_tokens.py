"""Signed entry: the token with which a panel says who comes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import jwt

from .calls import Calls, PanelError

JWKS = "/.well-known/study/jwks.json"
ISSUER = "https://www.prolific.com"
TOKEN_PARAMETER = "prolific_token"
IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
ALGORITHMS = ["RS256"]
KEYS_LAST_SECONDS = 86_400
# Tokens with an unknown key make us look for new keys, but strangers' tokens not too often.
SECONDS_BETWEEN_LOOKS = 60
LEEWAY_SECONDS = 60


class UntrustedEntry(PanelError):
    """The link has no valid token for what it says."""


@dataclass
class Keys:
    """The panel's public keys, fetched when they are needed and kept for a day."""

    clock: Callable[[], float] = time.monotonic
    _keys: dict[str, Any] = field(default_factory=dict)
    _fetched_at: float = float("-inf")

    def get(self, key_id: str, calls: Calls) -> Any:
        """The key with this id; UntrustedEntry if the panel has no such key."""
        age = self.clock() - self._fetched_at
        is_missing = key_id not in self._keys and age > SECONDS_BETWEEN_LOOKS
        if is_missing or age > KEYS_LAST_SECONDS:
            self._fetch(calls)
        if key_id not in self._keys:
            raise UntrustedEntry("The token names an unknown key.")
        return self._keys[key_id]

    def _fetch(self, calls: Calls) -> None:
        document = calls.ask("GET", JWKS)
        found = jwt.PyJWKSet.from_dict(document).keys
        self._keys = {str(key.key_id): key.key for key in found}
        self._fetched_at = self.clock()

    def forget(self) -> None:
        self._keys, self._fetched_at = {}, float("-inf")


KEYS = Keys()


def check_entry(
    token: str, query: Mapping[str, str], *, audience: list[str], calls: Calls, keys: Keys = KEYS
) -> None:
    """Raise UntrustedEntry unless the panel signed, for this site, the ids of the address."""
    try:
        header = jwt.get_unverified_header(token)
        key = keys.get(str(header.get("kid", "")), calls)
        claims = jwt.decode(
            token,
            key,
            algorithms=ALGORITHMS,
            audience=audience,
            issuer=ISSUER,
            leeway=LEEWAY_SECONDS,
            options={"require": ["exp", "aud", "iss", "sub"]},
        )
    except jwt.PyJWTError as error:
        raise UntrustedEntry(f"{type(error).__name__}") from error
    ids = claims.get("prolific")
    if not isinstance(ids, dict) or claims["sub"] != query.get("SESSION_ID"):
        raise UntrustedEntry("The token is for another session.")
    if any(ids.get(name) != query.get(name) or not query.get(name) for name in IDS):
        raise UntrustedEntry("The token is for other ids than the address has.")
