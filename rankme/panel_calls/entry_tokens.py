"""Signed entry: the token with which a panel says who comes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult, urlsplit

import jwt

from .calls import AnswerLost, Calls, PanelError

JWKS = "/.well-known/study/jwks.json"
ISSUER = "https://www.prolific.com"
TOKEN_PARAMETER = "prolific_token"
IDS = ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
ALGORITHMS = ["RS256"]
LEEWAY_SECONDS = 60
MOST_KEYS = 50


class UntrustedEntry(PanelError):
    """The link has no valid token for what it says."""


class UnknownKey(UntrustedEntry):
    """The token names a key that is not among those that were read."""


def read_keys(calls: Calls) -> dict[str, Any]:
    """The panel's public keys, as a JWKS that has been read once."""
    document = calls.ask("GET", JWKS).document
    try:
        keys = {"keys": list(document["keys"])[:MOST_KEYS]}
        jwt.PyJWKSet.from_dict(keys)
    except (KeyError, TypeError, ValueError, jwt.PyJWTError) as error:
        raise AnswerLost(f"{JWKS}: {error}") from error
    return keys


def check_entry(
    token: str,
    query: Mapping[str, str],
    *,
    address: str,
    keys: Mapping[str, Any],
    names: Mapping[str, str] | None = None,
) -> None:
    """Raise UntrustedEntry unless the panel signed the ids of `query` for the study's address.

    `names` has the parameters of the address that do not have the panel's own names for ids.
    """
    try:
        key_id = str(jwt.get_unverified_header(token).get("kid", ""))
        claims = jwt.decode(
            token,
            _key(key_id, keys),
            algorithms=ALGORITHMS,
            issuer=ISSUER,
            leeway=LEEWAY_SECONDS,
            # The audience is the study's whole address with the ids filled in.
            options={"require": ["exp", "aud", "iss", "sub"], "verify_aud": False},
        )
    except jwt.PyJWTError as error:
        raise UntrustedEntry(f"{type(error).__name__}") from error
    if not is_for(claims["aud"], address):
        raise UntrustedEntry("The token is for another address.")
    ids = claims.get("prolific")
    if not isinstance(ids, dict) or claims["sub"] != query.get("SESSION_ID"):
        raise UntrustedEntry("The token is for another session.")
    for name in IDS:
        signed = ids.get((names or {}).get(name) or name)
        if not signed or signed != query.get(name):
            raise UntrustedEntry("The token is for other ids than the address has.")


def _key(key_id: str, keys: Mapping[str, Any]) -> Any:
    for found in jwt.PyJWKSet.from_dict(dict(keys)).keys if keys.get("keys") else ():
        if found.key_id == key_id:
            return found.key
    raise UnknownKey("The token names an unknown key.")


def is_for(audience: object, address: str) -> bool:
    """Whether an audience is this address: the same origin and path, with any query."""
    wanted = urlsplit(address)
    for named in audience if isinstance(audience, list) else [audience]:
        try:
            found = urlsplit(str(named))
            is_same = _origin(found) == _origin(wanted)
        except ValueError:
            continue
        if is_same and found.path.rstrip("/") in ("", wanted.path.rstrip("/")):
            return True
    return False


def _origin(parts: SplitResult) -> tuple[str, str | None, int | None]:
    port = parts.port or {"https": 443, "http": 80}.get(parts.scheme)
    return parts.scheme, parts.hostname, port
