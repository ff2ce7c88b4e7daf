"""From which network a request comes, for limits and for what an account is known by."""

from __future__ import annotations

from ipaddress import IPv6Address, ip_address, ip_network

from django.http import HttpRequest

# What a provider gives to one household or one machine, which may use each address in it.
OF_ONE_CUSTOMER = 64


def network_of(request: HttpRequest) -> str:
    """Return the visitor's IPv4 address, or the network of an IPv6 address."""
    said: str = request.META.get("REMOTE_ADDR", "")
    try:
        address = ip_address(said)
    except ValueError:
        return said  # a socket of this machine has none
    if not isinstance(address, IPv6Address):
        return said
    if address.ipv4_mapped:
        return str(address.ipv4_mapped)
    return str(ip_network((int(address), OF_ONE_CUSTOMER), strict=False))
