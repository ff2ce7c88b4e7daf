"""A request that is too large for its address is refused, whichever web server is in front."""

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile

pytestmark = pytest.mark.django_db


def send(client, path):
    file = SimpleUploadedFile("a.csv", bytes(settings.LARGEST_BODY + 1))
    return client.post(path, {"outputs": file})


def test_a_large_file_is_refused_where_no_file_is_taken(client):
    assert send(client, "/login/").status_code == 413


def test_a_large_file_is_read_where_files_are_taken(client):
    answer = send(client, "/campaigns/abc/material/")
    assert answer.status_code == 302, "a stranger is asked to log in"
