"""What every panel is: how its people arrive, and where they go when they are done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from .outcomes import Outcome


@dataclass(frozen=True)
class Panel:
    """A crowd platform's conventions. An empty `hosts` allows any https host that the organiser
    names.

    `is_platform` says that the panel itself sends people and pays them by a code of the study:
    its ids are trusted on entry, and a campaign needs that code before it is launched.
    """

    name: str
    id_parameter: str
    session_parameter: str
    return_url: str
    hosts: frozenset[str] = frozenset()
    is_platform: bool = False
    # Whether the site can run studies there (rankme/actions/panel).
    has_api: bool = False
    # The lowest pay for an hour's work that it accepts, by currency.
    least_per_hour: Mapping[str, float] = field(default_factory=dict)
    # Where a panel has other addresses than `return_url` for some outcomes.
    return_urls: Mapping[Outcome, str] = field(default_factory=dict)

    def address_after(self, outcome: Outcome) -> str:
        """The panel's own address for an outcome; empty where it has none."""
        return self.return_urls.get(outcome, self.return_url)

    def check_return_url(self, address: str) -> None:
        """Raise ValueError unless a rater may be sent to this address."""
        if any(character in address for character in "\\\r\n\t ") or "@" in address.split("?")[0]:
            raise ValueError("return_url has characters that no address needs")
        parts = urlsplit(address.replace("{code}", "CODE"))
        if parts.scheme != "https" or not parts.hostname:
            raise ValueError("return_url must begin with https:// and name a host")
        if "{code}" in address.split("?")[0].split("/", 3)[2]:
            raise ValueError("return_url: the host may not depend on the code")
        if self.hosts and parts.hostname not in self.hosts:
            raise ValueError(f"return_url: {self.name} raters return to {sorted(self.hosts)}")

    def completion_url(self, template: str, code: str) -> str:
        """Where a rater with this code goes; empty when the panel has no such place."""
        return (template or self.return_url).replace("{code}", quote(code, safe=""))
