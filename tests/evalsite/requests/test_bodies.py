"""Large requests are refused where no files are taken, and by the proxy those of strangers."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import URLResolver, get_resolver

from rankme.actions.accounts import api_keys
from rankme.importing import LIMITS
from rankme.uploads import is_upload
from tests.campaigns import make_owner
from tests.nginx import CONFIGURATION

pytestmark = pytest.mark.django_db


def send(client, path):
    file = SimpleUploadedFile("a.csv", bytes(settings.LARGEST_BODY + 1))
    return client.post(path, {"outputs": file})


def test_a_large_file_is_refused_where_no_file_is_taken(client):
    assert send(client, "/login/").status_code == 413


def test_a_refusal_can_be_shown_in_the_frame_of_a_preview(client):
    refused = send(client, "/campaigns/new/preview/")
    assert refused["X-Frame-Options"] == "SAMEORIGIN"
    assert "frame-ancestors 'self'" in refused["Content-Security-Policy"]


def test_a_large_file_is_read_where_files_are_taken(client):
    answer = send(client, "/campaigns/abc/material/")
    assert answer.status_code == 302, "a stranger is asked to log in"


@pytest.mark.parametrize("prefix", ["", "/lab/rankme"], ids=["a whole host", "below a prefix"])
def test_the_proxy_lets_files_through_exactly_where_they_are_taken(prefix: str):
    (location,) = re.findall(r"location ~ (\S*/campaigns/\S+)", CONFIGURATION.read_text())
    location = location.replace("?<", "?P<")
    addresses = list(all_addresses(get_resolver().url_patterns))
    assert len(addresses) > 100
    assert [address for address, view in addresses if is_upload(view)] == [
        address for address, _ in addresses if re.match(location, f"{prefix}/{address}")
    ]


def all_addresses(patterns: list[Any], before: str = "") -> Iterator[tuple[str, Any]]:
    for each in patterns:
        address = before + re.sub(r"<\w+:\w+>", "1", str(each.pattern))
        if isinstance(each, URLResolver):
            yield from all_addresses(each.url_patterns, address)
        else:
            yield address, each.callback


def test_the_site_takes_as_much_as_its_importer_reads():
    assert LIMITS.total_bytes < settings.LARGEST_UPLOAD


def test_only_people_who_are_known_may_send_files(client):
    def asked(**headers: str) -> int:
        return client.get("/may-send-files/", headers=headers).status_code

    assert asked() == asked(authorization="Token wrong") == 401
    user = make_owner()
    client.force_login(user)
    assert asked() == 204
    assert asked(authorization="Token wrong") == 401
    client.logout()
    user.set_password("correct horse battery staple")
    user.save()
    key = api_keys.obtain_key("olga", "correct horse battery staple", address="192.0.2.1")
    assert asked(authorization=f"Token {key}") == 204
