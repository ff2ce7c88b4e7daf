"""Webhooks of the practice panel: signed over the raw body, sometimes twice or out of order."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import time
from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from .books import new_id

EVENT_TYPES = (
    "submission.status.change",
    "study.status.change",
    "study.progress.change",
    "study.has_high_return_rate",
)
# As documented: eleven more tries of a call that failed.
MOST_TRIES = 12
FIRST_PAUSE, LONGEST_PAUSE = 0.1, 5.0


@dataclass(frozen=True)
class Delivery:
    """One call to a subscriber, as it goes out; `due` and `tries` are of the attempt."""

    address: str
    body: bytes
    headers: dict[str, str]
    tries: int = 1
    due: float = 0.0


@dataclass
class Subscription:
    id: str
    event_type: str
    target_url: str
    confirmation: str
    is_enabled: bool = False


@dataclass
class Hooks:
    """Subscriptions to events, and the queue of deliveries."""

    secret: str = ""
    secret_id: str = ""
    subscriptions: list[Subscription] = field(default_factory=list)
    waiting: list[Delivery] = field(default_factory=list)
    doubled: bool = False
    reordered: bool = False
    clock: Callable[[], float] = time.time

    def new_secret(self) -> None:
        """A second secret replaces the first."""
        self.secret, self.secret_id = secrets.token_urlsafe(32), new_id()

    def tell(self, event_type: str, resource: str, more: dict[str, Any]) -> None:
        """Note an event for every subscriber of its type."""
        body = json.dumps({"resource_id": resource, "event_type": event_type, **more}).encode()
        for subscription in self.subscriptions:
            if subscription.event_type == event_type and subscription.is_enabled:
                delivery = Delivery(subscription.target_url, body, self.signed(body))
                self.waiting += [delivery, delivery] if self.doubled else [delivery]

    def signed(self, body: bytes) -> dict[str, str]:
        return self._signature(body) | {
            "Content-Type": "application/json",
            "X-Event-ID": new_id(),
            "X-Timestamp": str(int(self.clock())),
        }

    def _signature(self, body: bytes) -> dict[str, str]:
        stamp = str(int(self.clock()))
        digest = hmac.new(self.secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
        return {
            "X-Prolific-Request-Timestamp": stamp,
            "X-Prolific-Request-Signature": b64encode(digest).decode(),
        }

    def take(self) -> list[Delivery]:
        """Take the due events, reversed to test reordering."""
        now = self.clock()
        taken = [self._fresh(delivery) for delivery in self.waiting if delivery.due <= now]
        self.waiting = [delivery for delivery in self.waiting if delivery.due > now]
        return taken[::-1] if self.reordered else taken

    def _fresh(self, delivery: Delivery) -> Delivery:
        """A later try is signed at its own moment."""
        if delivery.tries == 1:
            return delivery
        return replace(delivery, headers=delivery.headers | self._signature(delivery.body))

    def failed(self, delivery: Delivery) -> None:
        """Try again later under the same event's id; after the last try, stop calling there.

        The real panel spreads its tries over a day, this one over half a minute.
        """
        if delivery.tries < MOST_TRIES:
            due = self.clock() + min(LONGEST_PAUSE, FIRST_PAUSE * 2**delivery.tries)
            self.waiting.append(replace(delivery, tries=delivery.tries + 1, due=due))
            return
        for subscription in self.subscriptions:
            if subscription.target_url == delivery.address:
                subscription.is_enabled = False
