"""Files in place: ranges, headers, and what a directly opened file may do."""

import hashlib

import pytest
from django.urls import reverse

from rankme.pages.previews.gallery import read_ours

pytestmark = pytest.mark.django_db
ADDRESS = ("audio-quality", 0)


@pytest.fixture(scope="module")
def content() -> bytes:
    return read_ours("audio-quality").media[0][1]


def get(client, method: str = "get", **headers: str):
    return getattr(client, method)(reverse("rankme:gallery-media", args=ADDRESS), headers=headers)


def body(response) -> bytes:
    return b"".join(response.streaming_content) if response.streaming else response.content


def test_the_whole_file_has_its_type_and_no_name(client, content: bytes):
    response = get(client)
    assert (response.status_code, body(response)) == (200, content)
    assert response["Content-Type"] == "audio/wav"
    assert response["Content-Length"] == str(len(content))
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Disposition"] == "inline"
    assert response["Accept-Ranges"] == "bytes"
    assert not response.has_header("Last-Modified")


def test_an_opened_file_may_do_nothing(client):
    policy = get(client)["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "sandbox" in policy and "allow" not in policy
    picture = client.get(reverse("rankme:gallery-media", args=["image-captions", 0]))
    assert picture["Content-Type"] == "image/svg+xml"
    assert picture["Content-Security-Policy"] == policy


RANGES = {
    "bytes=0-": (0, None),
    "bytes=0-0": (0, 1),
    "bytes=10-19": (10, 20),
    "bytes=100-": (100, None),
    "bytes=-5": (-5, None),
    "bytes=0-99999999": (0, None),
    "bytes=-99999999": (0, None),
}


@pytest.mark.parametrize("wanted", RANGES)
def test_a_range_is_answered_with_that_part(client, content: bytes, wanted: str):
    start, end = RANGES[wanted]
    response = get(client, range=wanted)
    part = content[start:end]
    first = len(content) + start if start < 0 else start
    assert (response.status_code, body(response)) == (206, part)
    assert response["Content-Range"] == f"bytes {first}-{first + len(part) - 1}/{len(content)}"
    assert response["Content-Length"] == str(len(part))


@pytest.mark.parametrize("wanted", ["bytes=99999999-", "bytes=5-4", "bytes=-0"])
def test_a_range_outside_the_file_is_told(client, content: bytes, wanted: str):
    response = get(client, range=wanted)
    assert response.status_code == 416
    assert response["Content-Range"] == f"bytes */{len(content)}"


@pytest.mark.parametrize("wanted", ["bytes=0-1,4-5", "bytes=a-b", "items=0-1", "bytes=-", "x"])
def test_what_is_not_one_range_brings_the_whole_file(client, content: bytes, wanted: str):
    response = get(client, range=wanted)
    assert (response.status_code, body(response)) == (200, content)


def test_a_range_of_another_content_brings_the_whole_file(client, content: bytes):
    tag = get(client)["ETag"]
    assert tag == f'"{hashlib.sha256(content).hexdigest()}"'
    same = get(client, **{"range": "bytes=0-1", "if-range": tag})
    other = get(client, **{"range": "bytes=0-1", "if-range": '"other"'})
    assert (same.status_code, other.status_code) == (206, 200)
    assert get(client, **{"if-none-match": tag}).status_code == 304


def test_head_tells_the_same_without_the_file(client, content: bytes):
    response = get(client, "head", range="bytes=0-9")
    assert (response.status_code, response["Content-Length"]) == (206, "10")
    assert body(response) == b""
    assert get(client, "post").status_code == 405
