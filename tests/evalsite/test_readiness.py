"""Mistakes of an operator's first day: `/readyz/` knows them, and `doctor` says what helps."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from allauth.mfa.models import Authenticator
from django.db import connection

from evalsite import celery
from evalsite.management.commands import doctor
from evalsite.operation import readiness, troubles
from rankme.actions import operators
from rankme.actions.operators import name_storage, record_backup
from rankme.verification import nightly
from tests.accounts import make_account
from tests.evalsite.processes import said_by_doctor

pytestmark = pytest.mark.django_db


def empty_database(settings, folder: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL search_path TO pg_temp")


def older_database(settings, folder: Path) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'rankme'")


def no_static_files(settings, folder: Path) -> None:
    backend = "evalsite.storage.ModuleStaticFilesStorage"
    static = {"BACKEND": backend, "OPTIONS": {"location": folder / "static"}}
    settings.STORAGES = settings.STORAGES | {"staticfiles": static}


def unwritable_storage(settings, folder: Path) -> None:
    (folder / "uploads").write_text("a file where the folder should be")
    settings.MEDIA_ROOT = folder / "uploads"


def storage_of_one_host(settings, folder: Path) -> None:
    settings.MEDIA_ROOT = folder / "shared"
    name_storage()
    settings.MEDIA_ROOT = folder / "own"


MISTAKES: dict[Callable[..., None], tuple[str, str]] = {
    empty_database: ("The database is empty.", "manage.py migrate"),
    older_database: ("The database lacks 1 migrations of this release.", "manage.py migrate"),
    no_static_files: ("The static files are missing", "manage.py collectstatic"),
    unwritable_storage: ("The storage of files does not answer.", "rights of the data folder"),
    storage_of_one_host: ("This is not the storage that the rest", "--this-storage"),
}


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.__name__)
def test_a_mistake_makes_the_site_unready_and_has_a_remedy(client, settings, tmp_path, mistake):
    assert client.get("/readyz/").content == b"ready\n"
    mistake(settings, tmp_path)
    answer = client.get("/readyz/")
    what, remedy = MISTAKES[mistake]
    assert answer.status_code == 503
    assert answer.text.startswith(what)
    trouble = readiness.first_trouble()
    assert remedy in trouble.remedy


def test_a_restored_storage_can_be_named_again(settings, tmp_path):
    storage_of_one_host(settings, tmp_path)
    assert readiness.shared_storage()
    name_storage()
    assert readiness.shared_storage(), "only an operator can say that it is the right one"
    name_storage(again=True)
    assert readiness.shared_storage() is None


def test_a_backup_is_asked_for_every_night_by_doctor_and_mail(monkeypatch, caplog):
    assert nightly.check_backup(), "nobody makes backups of a trial"
    assert "No backup has been recorded" in said_by_doctor()
    assert said_by_doctor("--backup-made") == "No problems found.\n"
    assert nightly.check_backup() and not caplog.records
    monkeypatch.setattr(operators, "BACKUP_EVERY", timedelta(0))
    assert "last recorded backup" in said_by_doctor()
    assert not nightly.check_backup()
    assert [record.levelname for record in caplog.records] == ["CRITICAL"], "which is mailed"


def test_doctor_compares_the_clocks(monkeypatch):
    record_backup()
    monkeypatch.setattr(troubles, "MOST_SECONDS_APART", -1)
    assert "The clocks of this machine and of the database" in said_by_doctor()


@pytest.fixture
def proxy(settings) -> Iterator[Callable[..., None]]:
    """A proxy that answers as it is told to."""
    said: dict[str, object] = {}

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response_only(said["status"])
            for name, value in said["headers"].items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        settings.SITE_URL = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield lambda status, **headers: said.update(status=status, headers=headers)
        server.shutdown()


@pytest.mark.parametrize(
    ("status", "headers", "what"),
    [
        (301, {"Location": "https://evaluation.example.org/login/"}, "leads back to itself"),
        (502, {}, "answers 502"),
        # It believes the header of any client: this one answers all alike.
        (200, {}, "hands on a visitor's own X-Forwarded-Proto"),
    ],
)
def test_doctor_visits_the_public_address(proxy, status, headers, what):
    proxy(status, **headers)
    assert [what in trouble.what for trouble in doctor.public_address()] == [True]


def test_doctor_says_that_nobody_answers(settings):
    settings.SITE_URL = "http://127.0.0.1:9"
    assert ["cannot be reached" in trouble.what for trouble in doctor.public_address()] == [True]


@pytest.mark.django_db(transaction=True)
def test_a_worker_with_files_of_its_own_refuses_to_start(settings, tmp_path):
    """Its reports would never reach a reader."""
    settings.PRODUCTION = True
    settings.MEDIA_ROOT = tmp_path / "shared"
    readiness.before_the_fork(readiness.name_new_storage)
    celery.refuse_a_storage_of_its_own()
    settings.MEDIA_ROOT = tmp_path / "own"
    with pytest.raises(SystemExit):
        celery.refuse_a_storage_of_its_own()


def test_doctor_says_that_a_required_second_factor_is_missing(settings):
    account = make_account()
    what = "requires a second factor, and no account has one"
    assert what not in said_by_doctor()
    settings.SECOND_FACTOR_REQUIRED = True
    assert what in said_by_doctor()
    Authenticator.objects.create(user=account, type="recovery_codes", data={})
    assert what in said_by_doctor()
    Authenticator.objects.create(user=account, type="totp", data={})
    assert what not in said_by_doctor()


def test_doctor_says_that_mail_reaches_nobody(settings):
    account = make_account()
    assert "mail" not in said_by_doctor()
    settings.ADMINS = [("ada@example.org", "ada@example.org")]
    assert "Set EMAIL_HOST" in said_by_doctor()
    settings.EMAIL_HOST = "mail.example.org"
    assert "Set SERVER_EMAIL" in said_by_doctor()
    settings.SERVER_EMAIL = "site@example.org"
    assert "no account has a mail address" in said_by_doctor()
    account.email = "olga@example.org"
    account.save()
    assert "mail" not in said_by_doctor()
