"""SONA: a survey code in; credit by a call from this site, or by the return address.

The campaign's `return_url` is the completion address that SONA shows for the study, with `{id}` in
the place of its `XXXX`: the browser of a rater who has finished goes there, and grants the credit
if our own call has not. That call goes to the same study on the same host. Universities with SONA
on a domain of their own name it in the site's settings (SONA_HOSTS).
"""

from __future__ import annotations

import re
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from .base import Panel

CLIENT_PATH = "/webstudy_credit.aspx"
SERVER_PATH = "/services/SonaAPI.svc/WebstudyCredit"
NEEDED = ("experiment_id", "credit_token")


def credit_address(return_url: str, survey_code: str) -> str:
    """The address that grants a rater the credit; empty if `return_url` names no study of SONA."""
    parts = urlsplit(return_url)
    query = parse_qs(parts.query)
    if parts.path.lower() != CLIENT_PATH or any(len(query.get(name, ())) != 1 for name in NEEDED):
        return ""
    if not SONA.allows(parts.hostname or "") or parts.port not in (None, 443):
        return ""
    sent = {name: query[name][0] for name in NEEDED} | {"survey_code": survey_code}
    return f"https://{parts.hostname}{SERVER_PATH}?{urlencode(sent, quote_via=quote)}"


SONA = Panel(
    name="sona",
    id_parameter="survey_code",
    session_parameter="session",
    return_url="",
    host_suffixes=(".sona-systems.com", ".sona-systems.net"),
    is_platform=True,
    needs_code=False,
    credit_address=credit_address,
    unfilled="XXXX",
    paying_address=rf"{re.escape(CLIENT_PATH)}(\?.*)?",
)
