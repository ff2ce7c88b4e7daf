"""Anybody may have a small table examined; nothing of it stays, and nobody can have it all day."""

import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from rankme.actions import rate_limits
from rankme.doctor import examination
from rankme.models import Campaign, MaterialImport
from rankme.pages import doctor

pytestmark = pytest.mark.django_db
ODD = Path(__file__).parents[1] / "data" / "odd_tables"
AT = ("192.0.2.7", "192.0.2.8")


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """An empty folder for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def sent(client, name="google_forms.csv", content=None, columns="", **extra):
    content = (ODD / name).read_bytes() if content is None else content
    form = {"table": SimpleUploadedFile(name, content), "columns": columns}
    return client.post(reverse("rankme:doctor"), form, **extra)


def test_a_table_is_examined_and_nothing_of_it_stays(client, scratch):
    assert "See what a table of ratings can claim" in client.get("/").content.decode()
    page = sent(client).content.decode()
    assert "144 judgements, 6 raters, 4 items, 3 systems" in page
    assert "Neither way finds a difference." in page and "ethics approval" in page
    assert list(scratch.iterdir()) == []
    assert not Campaign.objects.exists() and not MaterialImport.objects.exists()


def test_what_cannot_be_read_is_said_with_its_place_and_kept_no_longer(client, scratch):
    told = {"columns": "rater=Annotator\nitem=Text number\nsystem=Model\nvalue=Fluency"}
    assert sent(client, "title_above_ratings.ods", **told).status_code == 200
    wanted = {
        ("title_above_ratings.ods", ""): "Say which column names the items",
        ("title_above_ratings.ods", "rater=Annotator"): "Say which columns have the values",
        ("google_forms.csv", "chef=x"): "There is no role",
    }
    for (name, columns), words in wanted.items():
        answer = sent(client, name, columns=columns)
        assert answer.status_code == 422
        assert words in answer.content.decode()
    assert client.post(reverse("rankme:doctor")).status_code == 422
    assert sent(client, "a.csv", b"<script>,b\n1,2\n").content.count(b"<script>") == 0
    assert list(scratch.iterdir()) == []


def test_a_table_that_takes_too_much_is_given_up(client, scratch, monkeypatch):
    monkeypatch.setattr(doctor, "MOST_JUDGEMENTS", 143)
    assert "More than 143 values" in sent(client).content.decode()
    monkeypatch.setattr(doctor, "MOST_JUDGEMENTS", 144)
    monkeypatch.setattr(doctor, "STRANGERS", replace(doctor.STRANGERS, reader_seconds=1))
    monkeypatch.setattr(examination, "examine_criterion", endless)
    assert "took longer than 1 seconds" in sent(client).content.decode()
    assert list(scratch.iterdir()) == []


def endless(*_):
    while True:
        pass


def test_nobody_can_have_tables_examined_all_day(client, monkeypatch):
    monkeypatch.setattr(doctor, "examine", lambda path, **more: None)
    monkeypatch.setattr(doctor, "EXAMINATIONS", replace(rate_limits.EXAMINATIONS, most=2))
    assert [sent(client).status_code for _ in range(3)] == [200, 200, 429]
    of_all = replace(rate_limits.ALL_EXAMINATIONS, name="a few of all", most=1)
    monkeypatch.setattr(doctor, "ALL_EXAMINATIONS", of_all)
    assert [sent(client, REMOTE_ADDR=address).status_code for address in AT] == [200, 429]


def test_a_request_has_at_most_a_megabyte(client):
    assert sent(client, "large.csv", b"a,b\n" * 2**18).status_code == 413
