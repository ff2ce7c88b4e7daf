"""Settings read from the environment; a value that makes no sense stops the start."""

import os
import re
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote_plus, urlsplit

import dj_database_url
from django.core.exceptions import ImproperlyConfigured

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
PATH = re.compile(r"[A-Za-z0-9_-]+(/[A-Za-z0-9_-]+)*")
NO_SLUG = re.compile(r"[^A-Za-z0-9.-]+")
WELL_KNOWN = "/.well-known/openid-configuration"
BASIC = "client_secret_basic"
CLIENT_AUTH = ("client_secret_post", BASIC)
SHA1 = re.compile(r"[0-9A-Fa-f]{40}")


def given(name: str) -> str | None:
    """Return a variable, or the content of the file that NAME_FILE names, as vaults do."""
    path = os.environ.get(f"{name}_FILE")
    if not path:
        return os.environ.get(name)
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE={path!r}: {error.strerror}.") from error


def text(name: str, default: str = "") -> str:
    value = given(name)
    return (default if value is None else value).strip()


def choice(name: str, choices: tuple[str, ...], default: str) -> str:
    value = text(name, default)
    if value not in choices:
        raise ImproperlyConfigured(f"{name}={value!r}: choose one of {', '.join(choices)}.")
    return value


def flag(name: str, default: bool = False) -> bool:
    """Read a switch; "False" is false, and a word that is neither is an error."""
    value = os.environ.get(name)
    if value is None:
        return default
    word = value.strip().lower()
    if word not in TRUE | FALSE:
        raise ImproperlyConfigured(f"{name}={value!r}: write true or false.")
    return word in TRUE


def whole_number(name: str, default: int) -> int:
    value = text(name, str(default))
    if not value.isdecimal():
        raise ImproperlyConfigured(f"{name}={value!r}: write a whole number, 0 or more.")
    return int(value)


def path_prefix(name: str) -> str:
    """Read the path below which a proxy publishes the site: "/rankme", or "" for all of a host."""
    words = text(name).strip("/")
    if words and not PATH.fullmatch(words):
        raise ImproperlyConfigured(
            f"{name}={words!r}: write a path such as /rankme, of letters, digits, _ and -."
        )
    return f"/{words}" if words else ""


def origin(name: str, default: str) -> str:
    """Read scheme and host of an address; paths have a setting of their own."""
    value = text(name, default).rstrip("/")
    if urlsplit(value).path:
        raise ImproperlyConfigured(f"{name}={value!r}: write the path into PATH_PREFIX.")
    return value


def listed(name: str, default: tuple[str, ...] = ()) -> list[str]:
    """Read words that are separated by commas."""
    value = given(name)
    if value is None:
        return list(default)
    return [word.strip() for word in value.split(",") if word.strip()]


def networks(name: str) -> list[IPv4Network | IPv6Network]:
    """Read addresses and networks that are separated by commas."""
    try:
        return [ip_network(word) for word in listed(name)]
    except ValueError as error:
        raise ImproperlyConfigured(f"{name}: {error}") from error


def hash_list(name: str) -> str:
    """Read the path of a sorted file with SHA-1 hashes, and refuse another one at the start."""
    path = text(name)
    if not path:
        return ""
    try:
        with open(path, "rb") as file:
            first = file.readline(64).decode("ascii", "replace")
    except OSError as error:
        raise ImproperlyConfigured(f"{name}={path!r}: {error.strerror}.") from error
    if not SHA1.fullmatch(first.partition(":")[0].strip()):
        raise ImproperlyConfigured(
            f"{name}={path!r}: its lines must be SHA-1 hashes in order, each with a colon and a "
            "count, as in the list of haveibeenpwned.com."
        )
    return path


def single_sign_on(name: str, *, production: bool) -> dict[str, Any]:
    """Read which OpenID Connect provider signs people in, in the form of django-allauth."""
    server = text(f"{name}_SERVER").removesuffix(WELL_KNOWN).rstrip("/")
    if not server:
        return {}
    address = urlsplit(server)
    is_here = address.hostname in ("127.0.0.1", "localhost") and not production
    if not address.hostname or address.scheme not in (["http", "https"] if is_here else ["https"]):
        raise ImproperlyConfigured(f"{name}_SERVER={server!r}: write an address with https://")
    client, secret = text(f"{name}_CLIENT_ID"), text(f"{name}_CLIENT_SECRET")
    if not client or not secret:
        raise ImproperlyConfigured(
            f"{name}_SERVER is set: name {name}_CLIENT_ID and {name}_CLIENT_SECRET, too."
        )
    method = text(f"{name}_AUTH_METHOD")
    if method not in ("", *CLIENT_AUTH):
        raise ImproperlyConfigured(f"{name}_AUTH_METHOD={method!r}: {' or '.join(CLIENT_AUTH)}")
    app = {
        # A `sub` is unique at one server alone, so connections are stored under the server's name.
        "provider_id": NO_SLUG.sub("-", server.partition("://")[2]),
        "name": text(f"{name}_NAME"),
        "client_id": client,
        # The header wants it encoded (RFC 6749, section 2.3.1); django-allauth sends it as it is.
        "secret": quote_plus(secret) if method == BASIC else secret,
        # No name and no mail address is asked for: accounts are found by `sub` alone.
        "settings": {
            "server_url": server,
            "scope": ["openid"],
            "fetch_userinfo": False,
            "oauth_pkce_enabled": True,
            "token_auth_method": method,  # "": by the provider's own description
        },
    }
    return {"openid_connect": {"APPS": [app]}}


def storage(name: str) -> dict[str, Any]:
    """Read where uploaded files are: in a bucket, or else in the data folder."""
    bucket = text(f"{name}_BUCKET")
    if not bucket:
        return {"BACKEND": "django.core.files.storage.FileSystemStorage"}
    from evalsite.bucket import LIMITS

    options = {
        "bucket_name": bucket,
        "endpoint_url": text(f"{name}_ENDPOINT") or None,
        "region_name": text(f"{name}_REGION") or None,
        "client_config": LIMITS,
        # Nobody but the site reads the bucket, and a file is never replaced.
        "default_acl": None,
        "file_overwrite": False,
    }
    return {"BACKEND": "evalsite.bucket.Bucket", "OPTIONS": options}


def database(name: str, otherwise: str) -> dict[str, Any]:
    """Read the address of a database into the form of Django's settings."""
    url = text(name) or otherwise
    if not url.startswith(("postgresql://", "postgres://")):
        scheme = url.partition(":")[0]
        raise ImproperlyConfigured(f"{name} is {scheme}:…; write postgresql://user@host/name")
    return {**dj_database_url.parse(url)}


def broker_address(url: str) -> str:
    """Rewrite a Redis address for Celery, which writes those of sockets differently.

    Without `ssl_cert_reqs`, it would not look at the broker's certificate.
    """
    if url.startswith("unix://"):
        return "redis+socket://" + url.removeprefix("unix://")
    if url.startswith("rediss://") and "ssl_cert_reqs" not in parse_qs(urlsplit(url).query):
        return f"{url}{'&' if '?' in url else '?'}ssl_cert_reqs=required"
    if url.startswith(("redis://", "rediss://", "redis+socket://")):
        return url
    raise ImproperlyConfigured(f"REDIS_URL={url!r}: write redis://…, rediss://… or unix://…")
