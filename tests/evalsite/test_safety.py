"""A production start with an unsafe setting is refused, and the refusal says which."""

import json
import re

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from evalsite import checks, environment, safety
from evalsite.bucket import LIMITS
from evalsite.embedded import PROJECT, PostgreSQL, Servers
from tests.evalsite.processes import PROCESSES, run

DATABASE = "postgresql://rankme_site:x1y2z3@postgresql:5432/rankme"
EXAMPLE = dict(
    re.findall(r"^([A-Z_]+)=(\S*)", (PROJECT / ".env.example").read_text(), re.MULTILINE)
)
UNSAFE = {
    "no key": ({"SECRET_KEY": ""}, "SECRET_KEY is missing"),
    "a short key": ({"SECRET_KEY": "secret"}, "SECRET_KEY can be guessed"),
    "a monotonous key": ({"SECRET_KEY": "ab" * 40}, "SECRET_KEY can be guessed"),
    "the example's key": ({"SECRET_KEY": "change-me" * 9}, "SECRET_KEY is a published example"),
    "Django's key": (
        {"SECRET_KEY": "django-insecure-" + "x1y2z3" * 9},
        "SECRET_KEY is a published example",
    ),
    "a weak old key": ({"SECRET_KEY_FALLBACKS": "old"}, "SECRET_KEY_FALLBACKS can be guessed"),
    "debugging": ({"DEBUG": "true"}, "DEBUG is on"),
    "no host": ({"ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS is missing"),
    "any host": ({"ALLOWED_HOSTS": "*"}, "ALLOWED_HOSTS holds \\*"),
    "no address": ({"SITE_URL": ""}, "SITE_URL is missing"),
    "an address of this machine": (
        {"SITE_URL": "http://127.0.0.1:8000", "ALLOWED_HOSTS": "127.0.0.1"},
        "SITE_URL is http://127.0.0.1:8000",
    ),
    "somebody else's address": (
        {"SITE_URL": "https://elsewhere.example.org"},
        "SITE_URL names the host elsewhere.example.org, which ALLOWED_HOSTS does not",
    ),
    "a misspelt switch": ({"DEBUG": "flase"}, "DEBUG='flase': write true or false"),
    "a misspelt environment": ({"ENVIRONMENT": "prod"}, "ENVIRONMENT='prod': choose one of"),
    "another database": ({"DATABASE_URL": "sqlite:///db.sqlite3"}, "DATABASE_URL.*postgresql://"),
    "the example's password": (
        {"DATABASE_URL": "postgresql://rankme:change-me@postgresql:5432/rankme"},
        "DATABASE_URL has the password of an example",
    ),
    "the example's password for the broker": (
        {"REDIS_URL": "redis://:change-me@redis:6379/0"},
        "REDIS_URL has the password of an example",
    ),
    "another broker": ({"REDIS_URL": "amqp://localhost"}, "REDIS_URL='amqp://localhost'"),
    "one role under two names": (
        {"DATABASE_URL": DATABASE, "DATABASE_OWNER_URL": DATABASE},
        "name the same role",
    ),
    "two databases": (
        {"DATABASE_URL": DATABASE, "DATABASE_OWNER_URL": DATABASE + "2"},
        "name two databases",
    ),
    "the unchanged example": (EXAMPLE, "SECRET_KEY is a published example"),
}


# Each start is a fork of a safe one, and reads the settings again.
START_EACH = """
import importlib, json, os, sys, tempfile
import evalsite.settings
found = {}
for name, settings in json.loads(sys.argv[1]).items():
    with tempfile.TemporaryFile() as errors:
        process = os.fork()
        if process == 0:
            os.dup2(errors.fileno(), sys.stderr.fileno())
            os.environ.update(settings)
            importlib.reload(evalsite.settings)
            sys.exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        errors.seek(0)
        found[name] = (code, errors.read().decode())
print(json.dumps(found))
"""


@pytest.fixture(scope="module")
def starts(servers: Servers) -> dict[str, tuple[int, str]]:
    """How a start with each of the unsafe settings ended, and what it said."""
    wanted = {"as it is": {}} | {name: settings for name, (settings, _) in UNSAFE.items()}
    done = run(["-c", START_EACH, json.dumps(wanted)], servers)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_safe_production_start_is_not_refused(starts):
    assert starts["as it is"] == [0, ""]


@pytest.mark.parametrize("name", UNSAFE)
def test_an_unsafe_setting_is_refused_by_name(starts, name: str):
    code, said = starts[name]
    assert code != 0
    assert re.search(UNSAFE[name][1], said), said


def test_all_unsafe_settings_are_named_at_once():
    with pytest.raises(ImproperlyConfigured) as refusal:
        safety.refuse_unsafe_settings(
            secret_key="short",
            fallbacks=[],
            debug=True,
            allowed_hosts=["*"],
            site_url="",
            addresses={"REDIS_URL": "redis://:change-me@redis"},
        )
    for setting in ("SECRET_KEY", "DEBUG", "ALLOWED_HOSTS", "REDIS_URL"):
        assert setting in str(refusal.value)


@pytest.mark.parametrize("word", ["False", "0", "no", "off", ""])
def test_a_switch_that_says_no_is_off(monkeypatch, word: str):
    # Appraise: os.environ.get("APPRAISE_DEBUG", True) makes the text "False" true.
    monkeypatch.setenv("DEBUG", word)
    assert environment.flag("DEBUG", default=True) is False


@pytest.mark.parametrize("written", ["/rankme", "rankme/", "/rankme/"])
def test_a_path_prefix_has_one_spelling_however_it_is_written(monkeypatch, written: str):
    monkeypatch.setenv("PATH_PREFIX", written)
    assert environment.path_prefix("PATH_PREFIX") == "/rankme"


@pytest.mark.parametrize("written", ["https://example.org/rankme", "/a/../b", "/a b", "/a;Path=/"])
def test_path_prefixes_other_than_plain_paths_are_refused(monkeypatch, written: str):
    monkeypatch.setenv("PATH_PREFIX", written)
    with pytest.raises(ImproperlyConfigured, match="PATH_PREFIX"):
        environment.path_prefix("PATH_PREFIX")


def test_a_path_in_the_address_of_the_site_is_refused(monkeypatch):
    """Links would have it twice: the prefix is in every address that the site makes."""
    monkeypatch.setenv("SITE_URL", "https://example.org/rankme")
    with pytest.raises(ImproperlyConfigured, match="PATH_PREFIX"):
        environment.origin("SITE_URL", "")


def test_a_secret_may_come_from_a_file(monkeypatch, tmp_path):
    file = tmp_path / "key"
    file.write_text("from the vault\n")
    monkeypatch.setenv("SECRET_KEY", "from the environment")
    monkeypatch.setenv("SECRET_KEY_FILE", str(file))
    assert environment.text("SECRET_KEY") == "from the vault"
    file.unlink()
    with pytest.raises(ImproperlyConfigured, match=r"SECRET_KEY_FILE.*No such file"):
        environment.text("SECRET_KEY")


def test_files_are_in_the_data_folder_unless_a_bucket_is_named(monkeypatch):
    monkeypatch.delenv("STORAGE_BUCKET", raising=False)
    monkeypatch.setenv("STORAGE_ENDPOINT", "https://s3.example.org")
    assert environment.storage("STORAGE") == {
        "BACKEND": "django.core.files.storage.FileSystemStorage"
    }


def test_a_bucket_is_private_and_no_file_in_it_is_replaced(monkeypatch):
    monkeypatch.setenv("STORAGE_BUCKET", " evaluation ")
    monkeypatch.setenv("STORAGE_ENDPOINT", "https://s3.example.org")
    monkeypatch.delenv("STORAGE_REGION", raising=False)
    chosen = environment.storage("STORAGE")
    assert chosen["BACKEND"] == "evalsite.bucket.Bucket"
    assert chosen["OPTIONS"] == {
        "bucket_name": "evaluation",
        "endpoint_url": "https://s3.example.org",
        "region_name": None,
        "client_config": LIMITS,
        "default_acl": None,
        "file_overwrite": False,
    }


def test_the_local_key_is_drawn_once_and_is_its_owners_alone(tmp_path):
    first = safety.local_secret_key(tmp_path)
    assert safety.local_secret_key(tmp_path) == first
    assert safety.secret_key_problems("SECRET_KEY", first) == []
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


@pytest.fixture
def forgetful(servers: Servers, django_db_setup: None, django_db_blocker):
    """Switch a setting of the running database, as a careless administrator would."""
    changed = []

    def switch_off(setting: str) -> PostgreSQL:
        changed.append(setting)
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(f"ALTER DATABASE rankme SET {setting} = off")
        return servers.postgresql

    yield switch_off
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        for setting in changed:
            cursor.execute(f"ALTER DATABASE rankme RESET {setting}")
    with django_db_blocker.unblock():
        connection.close()


@pytest.mark.parametrize("process", PROCESSES)
def test_no_process_starts_on_a_database_that_forgets_or_as_a_superuser(
    servers: Servers, forgetful, process: str
):
    forgetful("synchronous_commit")
    owner = servers.postgresql.owner_url
    started = run(PROCESSES[process], servers, PORT="0", DATABASE_URL=owner)
    assert started.returncode != 0
    assert "synchronous_commit=off: an acknowledged judgement could be lost" in started.stderr
    assert "fsync=off: a power cut would damage the database" in started.stderr
    assert "rankme of the site could change the record: it is a superuser" in started.stderr
    assert "DATABASE_OWNER_URL" in started.stderr


@pytest.mark.django_db
def test_a_forgetful_setting_is_an_error_in_production_only(settings):
    # The cluster of the tests has fsync off, and keeps synchronous_commit.
    found = checks.database_keeps_what_it_acknowledges(None, databases=["default"])
    assert found == []
    settings.PRODUCTION = True
    found = checks.database_keeps_what_it_acknowledges(None, databases=["default"])
    assert [each.id for each in found] == ["evalsite.E001_fsync", "evalsite.E001_full_page_writes"]


def test_production_settings_pass_djangos_own_inspection(servers: Servers):
    inspected = run(["manage.py", "check", "--deploy", "--fail-level", "WARNING"], servers)
    assert inspected.returncode == 0, inspected.stderr
