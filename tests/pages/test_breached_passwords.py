"""Passwords that are known from leaks are refused, by a list on this machine."""

import hashlib
import logging
import random

import pytest
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ImproperlyConfigured

from evalsite import environment
from rankme.actions.accounts import breached_passwords
from rankme.actions.accounts.breached_passwords import is_listed
from tests.accounts import PASSWORD, make_account

pytestmark = pytest.mark.django_db


def hash_of(password: str) -> str:
    return hashlib.sha1(password.encode()).hexdigest().upper()


def write_list(path, passwords, *, counts=True, ending="\n"):
    hashes = sorted(hash_of(each) for each in passwords)
    lines = (f"{each}:{number * 37 + 1}" if counts else each for number, each in enumerate(hashes))
    path.write_bytes("".join(line + ending for line in lines).encode())
    return path


@pytest.mark.parametrize(("ending", "counts"), [("\n", True), ("\r\n", False), ("\r\n", True)])
@pytest.mark.parametrize("length", [1, 2, 3, 1000])
def test_exactly_the_passwords_of_the_list_are_found(tmp_path, length, counts, ending):
    known = [f"word{number}" for number in range(length)]
    path = write_list(tmp_path / "list", known, counts=counts, ending=ending)
    assert all(is_listed(each, path) for each in known)
    assert not any(is_listed(f"other{number}", path) for number in range(200))


def test_a_last_line_without_an_end_and_small_letters_are_read(tmp_path):
    path = write_list(tmp_path / "list", ["first", "second", "third"])
    path.write_bytes(path.read_bytes().rstrip().lower())
    assert all(is_listed(each, path) for each in ("first", "second", "third"))


def test_a_file_that_is_not_a_list_finds_nothing_and_ends(tmp_path):
    path = tmp_path / "list"
    path.write_bytes(random.Random(7).randbytes(100_000))
    assert not is_listed("word", path)
    path.write_bytes(b"")
    assert not is_listed("word", path)


def test_a_list_is_searched_in_few_reads(tmp_path, monkeypatch):
    path = write_list(tmp_path / "list", [f"word{number}" for number in range(20_000)])
    reads = []
    hash_from = breached_passwords.hash_from
    monkeypatch.setattr(
        breached_passwords, "hash_from", lambda *given: reads.append(1) or hash_from(*given)
    )
    is_listed("nobody's", path)
    assert len(reads) <= 22  # 2^20 bytes, halved each time, and a last look


def test_a_new_password_from_a_leak_is_refused(tmp_path, settings, client):
    leaked = "quietly flowing 83"
    olga = make_account()
    client.force_login(olga)
    sent = {"oldpassword": PASSWORD, "password1": leaked, "password2": leaked}
    settings.BREACHED_PASSWORDS = str(write_list(tmp_path / "list", [leaked, "kestrels"]))
    answer = client.post("/password/", sent)
    assert "known from a data breach" in answer.text
    olga.refresh_from_db()
    assert olga.check_password(PASSWORD)
    settings.BREACHED_PASSWORDS = ""
    assert client.post("/password/", sent).status_code == 302


def test_a_list_that_is_lost_is_logged_and_keeps_nobody_out(tmp_path, settings, caplog):
    settings.BREACHED_PASSWORDS = str(tmp_path / "gone")
    with caplog.at_level(logging.ERROR):
        validate_password("quietly flowing 83")
    assert "BREACHED_PASSWORDS" in caplog.text
    assert "quietly" not in caplog.text


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "No such file"), ("password\n123456\n", "SHA-1"), ("", "SHA-1")],
)
def test_a_start_with_an_unusable_list_is_refused(tmp_path, monkeypatch, content, message):
    path = tmp_path / "list"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("BREACHED_PASSWORDS", str(path))
    with pytest.raises(ImproperlyConfigured, match=message):
        environment.hash_list("BREACHED_PASSWORDS")
    write_list(path, ["word"])
    assert environment.hash_list("BREACHED_PASSWORDS") == str(path)
