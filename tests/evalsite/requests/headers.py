"""What the headers of every answer must say."""

import re

from django.conf import settings

NONCE = r"'nonce-([A-Za-z0-9+/]{22}==)'"

EVERYWHERE = {
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": settings.SECURE_REFERRER_POLICY,
}


def policy_of(header: str) -> dict[str, list[str]]:
    """Take a Content-Security-Policy apart: directive → sources."""
    directives = [directive.split() for directive in header.split(";") if directive.strip()]
    return {words[0]: words[1:] for words in directives}


def assert_strict(headers) -> None:
    for name, value in EVERYWHERE.items():
        assert headers[name] == value, name
    policy = policy_of(headers["Content-Security-Policy"])
    assert "unsafe-" not in headers["Content-Security-Policy"]
    assert policy["default-src"] == ["'none'"]
    assert policy["script-src"] == ["'self'"]
    assert policy["style-src"][0] == "'self'"
    # A page with styles inside names them, and nothing but a nonce could allow a style.
    assert all(re.fullmatch(NONCE, source) for source in policy["style-src"][1:])
    for closed in ("object-src", "base-uri", "frame-ancestors"):
        assert policy[closed] == ["'none'"]
    assert policy["require-trusted-types-for"] == ["'script'"]
