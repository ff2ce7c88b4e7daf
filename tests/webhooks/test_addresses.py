"""Addresses that a stranger could name lead nowhere into this network."""

import ipaddress
import socket

import pytest

from rankme.errors import RefusedAction
from rankme.webhook_calls.addresses import check_address, find_target, is_public

PRIVATE = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
    "0.0.0.0", "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fc00::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "2001:0:7f00:1::1",
]  # fmt: skip
PUBLIC = ["8.8.8.8", "2606:4700::1111", "::ffff:8.8.8.8"]


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_not_public(address):
    assert not is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses_are(address):
    assert is_public(ipaddress.ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "", "example.org", "ftp://example.org/", "file:///etc/passwd", "https://",
        "https://user:word@example.org/", "https://example.org:99999/", "https://exa mple.org/",
        "https://example.org/\nHost: other", "https://exämple.org/", "https://[::1/",
        "https://example.org/" + "x" * 500, "http://example.org/",
    ],
)  # fmt: skip
def test_what_is_not_the_address_of_a_program_is_refused(url):
    with pytest.raises(RefusedAction):
        check_address(url)


def resolves_to(monkeypatch, *addresses: str) -> list[str]:
    """Let every name have these addresses; the names that were looked up."""
    asked: list[str] = []

    def look_up(host, port, **_more):
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return asked


def test_the_checked_address_is_the_one_that_is_called(monkeypatch):
    asked = resolves_to(monkeypatch, "93.184.216.34")
    target = find_target("https://hooks.example.org:8443/a?b=c")
    assert target.url == "https://93.184.216.34:8443/a?b=c"
    assert (target.host, target.host_header) == ("hooks.example.org", "hooks.example.org:8443")
    assert asked == ["hooks.example.org"]  # a second look-up could say something else


@pytest.mark.parametrize("addresses", [["10.0.0.1"], ["93.184.216.34", "127.0.0.1"], []])
def test_a_name_with_any_private_address_is_refused(monkeypatch, addresses):
    resolves_to(monkeypatch, *addresses)
    with pytest.raises(RefusedAction):
        find_target("https://hooks.example.org/")


def test_numbers_in_disguise_are_refused(settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = False
    for host in ("127.1", "2130706433", "0x7f000001", "localhost"):
        with pytest.raises(RefusedAction):
            find_target(f"https://{host}/")


def test_a_setting_opens_the_private_network(settings):
    settings.WEBHOOKS_TO_PRIVATE_ADDRESSES = True
    assert find_target("http://127.0.0.1:9/x").url == "http://127.0.0.1:9/x"
