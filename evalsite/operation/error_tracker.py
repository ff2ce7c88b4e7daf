"""Errors of the log for Sentry, or a server that speaks its protocol, without what people sent.

Nothing of the SDK looks into requests, statements or jobs: it gets the lines of the log from
`ERROR` on, and of these what is listed here.
"""

from __future__ import annotations

from typing import Any

import sentry_sdk
from sentry_sdk.transport import Transport
from sentry_sdk.types import Event, Hint

from analysis.signature import VERSION
from evalsite.privacy import HOST, without_participants

SENT = (
    "event_id", "timestamp", "platform", "level", "logger", "release", "environment",
    "server_name", "exception", "logentry", "sdk",
)  # fmt: skip


def report_errors(address: str, environment: str, transport: type[Transport] | None = None) -> None:
    """Send what `sentry_sdk.integrations.logging.EventHandler` gets to this address."""
    sentry_sdk.init(
        dsn=address,
        environment=environment,
        release=VERSION,
        server_name=HOST,
        transport=transport,
        default_integrations=False,
        auto_enabling_integrations=False,
        include_local_variables=False,
        max_request_body_size="never",
        max_breadcrumbs=0,
        before_send=without_people,
    )


def without_people(event: Event, hint: Hint) -> Event:
    """Keep what is listed, and hide participants in its texts as the log does."""
    kept: Any = {name: value for name, value in event.items() if name in SENT}
    kept["logentry"] = {"message": kept.pop("logentry", {}).get("formatted", "")}
    cleaned: Event = _cleaned(kept)
    return cleaned


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return without_participants(value)
    if isinstance(value, dict):
        return {name: _cleaned(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_cleaned(each) for each in value]
    return value
