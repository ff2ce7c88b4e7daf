"""Report a finished rater to a panel without an API of its own."""

from __future__ import annotations

from urllib.parse import urlsplit

import httpx

from . import calls


def report(address: str) -> bool:
    """Call the address once; whether the panel granted the credit.

    Redirects are not followed: the host was allowed, and no other was.

    Raises
    ------
    PanelAway : nothing has happened
    AnswerLost : unknown
    """
    parts = urlsplit(address)
    try:
        with calls.new_client(f"https://{parts.netloc}", {}) as client:
            answer = client.get(f"{parts.path}?{parts.query}", follow_redirects=False)
    except calls.NEVER_SENT as error:
        raise calls.PanelAway(type(error).__name__) from error
    except httpx.HTTPError as error:
        raise calls.AnswerLost(type(error).__name__) from error
    return answer.is_success
