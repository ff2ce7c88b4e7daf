"""The base of panels: how people arrive from them, and where they return."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from urllib.parse import quote, urlsplit

from .outcomes import FINISHED, Outcome

PLACEHOLDERS = ("code", "id", "session", "study")
NO_IDS: Mapping[str, str] = MappingProxyType({})


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
    study_parameter: str = ""
    # Hosts that end like this are allowed; each ending begins with a dot.
    host_suffixes: tuple[str, ...] = ()
    # Whether it pays by a code, without which no campaign is launched.
    needs_code: bool = True
    # Whether the site can run studies there (rankme/actions/panel).
    has_api: bool = False
    # The lowest pay for an hour's work that it accepts, by currency.
    least_per_hour: Mapping[str, float] = field(default_factory=dict)
    # The address by which this site itself reports that somebody has finished, once.
    credit_address: Callable[[str, str], str] | None = None
    # A code for finished work that the panel can compute too: from a secret that it shares with the
    # site, the ids of the link ("id", "session", "study") and the campaign's `session_parameter`.
    shared_code: Callable[[str, dict[str, str], str], str] | None = None
    # Path and query of addresses that pay everybody who opens them, as a regular expression.
    paying_address: str = ""
    # What stands for the rater's id in addresses that the panel shows; nobody fills it in.
    unfilled: str = ""
    # What people call it, where that is not the name.
    called: str = ""
    # A site's own hosts of this panel, from its settings.
    own_hosts: set[str] = field(default_factory=set)

    @property
    def title(self) -> str:
        """Its name as people write it."""
        return self.called or self.name.capitalize()

    def may_follow(self, outcome: Outcome, address: str, *, is_general: bool) -> bool:
        """Whether raters may be sent to `address` after this outcome.

        A general address means that the work is done, unless it has the code that tells outcomes
        apart. An address that pays everybody who opens it is only for those who have finished.
        """
        if outcome in FINISHED:
            return True
        if is_general and (self.paying_address or "{code}" not in address):
            return False
        parts = urlsplit(address)
        rest = f"{parts.path}?{parts.query}" if parts.query else parts.path
        return not self.paying_address or not re.fullmatch(self.paying_address, rest, re.IGNORECASE)

    def check_return_url(self, address: str) -> None:
        """Raise ValueError unless a rater may be sent to this address."""
        if any(character in address for character in "\\\r\n\t ") or "@" in address.split("?")[0]:
            raise ValueError("this has characters that no address needs")
        parts = urlsplit(_filled(address, dict.fromkeys(PLACEHOLDERS, "x")))
        if parts.scheme != "https" or not parts.hostname:
            raise ValueError("an address must begin with https:// and name a host")
        if "{" in address.split("?")[0].split("/", 3)[2]:
            raise ValueError("the host may not depend on the rater or the code")
        if not self.allows(parts.hostname):
            known = sorted([*self.hosts, *self.host_suffixes, *self.own_hosts])
            raise ValueError(f"{self.name} raters return to {known}")

    def allows(self, host: str) -> bool:
        """Whether raters may be sent to this host; a panel without a list allows all."""
        if not self.hosts and not self.host_suffixes:
            return True
        hosts = self.hosts | self.own_hosts
        return host.lower() in hosts or host.lower().endswith(self.host_suffixes)

    def completion_url(self, template: str, code: str, ids: Mapping[str, str] = NO_IDS) -> str:
        """The return address for this code and these ids; empty when the panel has none.

        `ids` has "id", "session" and "study", as the panel gave them.
        """
        values = dict.fromkeys(PLACEHOLDERS, "") | dict(ids) | {"code": code}
        return _filled(template or self.return_url, values)


def _filled(template: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders, once: what a value contains is never a placeholder."""
    return re.sub(
        r"\{(\w+)\}",
        lambda found: quote(values[found[1]], safe="") if found[1] in values else found[0],
        template,
    )
