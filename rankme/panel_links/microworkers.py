"""Microworkers: ids of worker, campaign and slot in; a code (VCODE) out, which is typed in.

Microworkers publishes how employers compute the VCODE (blog.microworkers.com/vcode-verification):
"mw-" and the SHA-256 of the campaign's id, the worker's id and the employer's secret key, joined
without anything between them. Campaigns for hire groups have a random key in their links too, which
comes right before the secret; no published page says so, but employers' public code does.
"""

from __future__ import annotations

from hashlib import sha256

from .base import Panel

# The parameter of hire groups' links that belongs to the VCODE.
RANDOM_KEY = "rand_key"


def vcode(secret: str, *, worker: str, campaign: str, random_key: str = "") -> str:
    """The code that Microworkers expects from this worker; 67 characters."""
    return "mw-" + sha256(f"{campaign}{worker}{random_key}{secret}".encode()).hexdigest()


def shared_code(secret: str, ids: dict[str, str], session_parameter: str) -> str:
    """The VCODE of a visit; empty when the link did not bring all of its parts."""
    has_random_key = session_parameter == RANDOM_KEY
    if not (ids["id"] and ids["study"]) or (has_random_key and not ids["session"]):
        return ""
    random_key = ids["session"] if has_random_key else ""
    return vcode(secret, worker=ids["id"], campaign=ids["study"], random_key=random_key)


MICROWORKERS = Panel(
    name="microworkers",
    id_parameter="mw_id",
    session_parameter="slot_id",
    study_parameter="campaign_id",
    return_url="",
    is_platform=True,
    shared_code=shared_code,
)
