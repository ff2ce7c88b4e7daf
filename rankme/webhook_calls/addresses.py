"""Addresses that may be called: public ones, because a stranger could name any."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

from rankme.errors import RefusedAction

LONGEST_ADDRESS = 500
SCHEMES = {"https": 443, "http": 80}
# Networks whose addresses contain another one, which may be private.
WRAPPING = tuple(map(ipaddress.ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16")))

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


@dataclass(frozen=True)
class Target:
    """Where to connect: the address that was checked, for the host that the certificate names."""

    scheme: str
    host: str
    port: int
    address: str
    path: str

    @property
    def url(self) -> str:
        """The address to connect to, so that the name is not looked up a second time."""
        literal = f"[{self.address}]" if ":" in self.address else self.address
        return f"{self.scheme}://{literal}:{self.port}{self.path}"

    @property
    def host_header(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == SCHEMES[self.scheme] else f"{host}:{self.port}"


def check_address(url: str) -> None:
    """Refuse what can never be called; the name is not looked up.

    Raises
    ------
    RefusedAction : with the reason
    """
    _parts(url)


def find_target(url: str) -> Target:
    """Look up the host; all of its addresses must be public, so that none is chosen by chance.

    Raises
    ------
    RefusedAction : with the reason
    """
    scheme, host, port, path = _parts(url)
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise RefusedAction(_("The host “%(host)s” is unknown.") % {"host": host}) from error
    addresses = [ipaddress.ip_address(str(each[4][0]).partition("%")[0]) for each in found]
    if not addresses:
        raise RefusedAction(_("The host “%(host)s” is unknown.") % {"host": host})
    if not settings.WEBHOOKS_TO_PRIVATE_ADDRESSES and not all(map(is_public, addresses)):
        raise RefusedAction(
            _("“%(host)s” is in a private network, which this site does not call.") % {"host": host}
        )
    return Target(scheme, host, port, str(addresses[0]), path)


def is_public(address: Address) -> bool:
    """Whether the address is on the internet, also if it is written inside of another one."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if any(address in network for network in WRAPPING) or address.teredo is not None:
            return False
    return address.is_global and not address.is_multicast


def _parts(url: str) -> tuple[str, str, int, str]:
    """Scheme, host, port and path of an address that may be called."""
    wrong = RefusedAction(_("This is not an address that can be called, such as https://…"))
    if len(url) > LONGEST_ADDRESS or not url.isascii() or not url.isprintable() or " " in url:
        raise wrong
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise wrong from error
    if parts.scheme not in SCHEMES or not host or parts.username or parts.password:
        raise wrong
    if parts.scheme == "http" and not settings.WEBHOOKS_TO_PRIVATE_ADDRESSES:
        raise RefusedAction(_("The address has to begin with https://"))
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return parts.scheme, host, port or SCHEMES[parts.scheme], path
