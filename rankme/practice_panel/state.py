"""The state of a practice panel: books, keys, webhooks, ordered faults, journal."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from .books import Books
from .faults import Faults
from .hooks import Hooks
from .keys import Keys


@dataclass(frozen=True)
class Noted:
    """One line of the journal: which call came, and what it got."""

    method: str
    path: str
    status: int
    lost: str
    body: str


class PanelState:
    """All the state of one practice panel."""

    def __init__(self, token: str = "") -> None:
        self.token = token or secrets.token_urlsafe(24)
        self.reset()

    def reset(self) -> None:
        """Forget everything but the token."""
        self.hooks = Hooks()
        self.books = Books(told=self.hooks.tell)
        self.keys = Keys()
        self.faults = Faults()
        self.journal: list[Noted] = []
