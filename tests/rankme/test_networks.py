"""A visitor is known by an address, or by the network of which each address is free to use."""

import pytest
from django.test import RequestFactory

from rankme.networks import network_of


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("2001:db8:0:1:aaaa::7", "2001:db8:0:1::/64"),
        ("2001:db8:0:1:bbbb::8", "2001:db8:0:1::/64"),
        ("2001:db8:0:2:aaaa::7", "2001:db8:0:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("", ""),
    ],
)
def test_an_ipv6_address_counts_as_its_network(address, network):
    assert network_of(RequestFactory(REMOTE_ADDR=address).get("/")) == network
