"""A request that is too large for its address is refused, whichever web server is in front."""

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from waitress.adjustments import Adjustments

from evalsite.front import Request

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
@pytest.mark.parametrize("path", ["{}/campaigns/abc/material/", "/campaigns/abc/material/"])
def test_the_web_server_reads_files_only_where_they_are_taken(settings, prefix: str, path: str):
    """A proxy may forward the prefix or take it away."""
    settings.PATH_PREFIX = prefix
    assert header(path.format(prefix)).needs_permit
    refused = header(path.format(prefix).replace("material", "launch"))
    assert (refused.error.code, refused.needs_permit) == (413, False)


def header(path: str) -> Request:
    """What the web server knows of an upload when its header is in."""
    request = Request(Adjustments())
    request.received(f"POST {path} HTTP/1.1\r\nContent-Length: {2**21}\r\n\r\n".encode())
    return request
