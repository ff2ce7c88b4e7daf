"""Backup and restore, with the commands that docs/deployment.md shows."""

import contextlib
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg2
import pytest

from evalsite.embedded import (
    DATABASE,
    OWNER_ROLE,
    PROJECT,
    SITE_ROLE,
    PostgreSQL,
    postgresql_programs,
)
from tests.campaigns import make_campaign, make_rater, rankme_definition
from tests.live import PATIENCE, LiveSite, reachable_folder, run_python, wait_for
from tests.sittings import answer, claim, sit

pytestmark = pytest.mark.slow
PAGE = (PROJECT / "docs/deployment.md").read_text()
LOOK = """
import hashlib, django; django.setup()
from django.db import DatabaseError
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.models import Campaign, Submission
from tests.invariants import check_record
check_record()
exports = hashlib.sha256()
for campaign in Campaign.objects.order_by("pk"):
    for part in [*judgements_csv(campaign, stored=True), *judgements_jsonl(campaign)]:
        exports.update(part)
try:
    Submission.objects.update(late=True)
except DatabaseError as refusal:
    print(Submission.objects.count(), exports.hexdigest(), type(refusal.__cause__).__name__)
"""


def commands(name: str) -> str:
    """A block of commands from the page."""
    (block,) = re.findall(rf"^```{name}\n(.*?)^```", PAGE, re.M | re.S)
    return block


@pytest.fixture(scope="module")
def cluster() -> Iterator[PostgreSQL]:
    """A cluster of these tests alone: to make one takes a second."""
    with reachable_folder("rankme-cluster-") as folder:
        made = PostgreSQL(folder, durable=False)
        yield made
        made.stop("immediate")


@pytest.fixture
def empty_cluster(cluster: PostgreSQL) -> PostgreSQL:
    """It runs, and its database and its roles are new."""
    cluster.start()
    with contextlib.closing(psycopg2.connect(cluster.url_of(OWNER_ROLE, "postgres"))) as session:
        session.autocommit = True
        cursor = session.cursor()
        cursor.execute(f"DROP DATABASE {DATABASE} WITH (FORCE)")
        cursor.execute(f"DROP ROLE {SITE_ROLE}")
    cluster.start()
    return cluster


@pytest.fixture
def shell(site_without_web: LiveSite, empty_cluster: PostgreSQL, tmp_path: Path):
    """Runs commands as the page's reader would, between the site and an empty database."""
    programs = postgresql_programs(site_without_web.servers.folder)
    path = os.pathsep.join([str(programs), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = site_without_web.environment | {
        "PATH": path,
        "PYTHONPATH": str(PROJECT),
        "DATABASE_OWNER_URL": site_without_web.owner_url,
        "NEW_DATABASE_URL": empty_cluster.url,
        "NEW_DATABASE_OWNER_URL": empty_cluster.owner_url,
    }
    (tmp_path / "manage.py").symlink_to(PROJECT / "manage.py")

    def run(script: str, **changes: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-ec", script],
            cwd=tmp_path,
            env=environment | changes,
            capture_output=True,
            text=True,
        )

    return run


def look(site: LiveSite, **changes: str) -> str:
    looked = run_python(["-c", LOOK], site.environment | changes)
    assert looked.returncode == 0, looked.stderr
    return looked.stdout


@pytest.fixture
def rated() -> None:
    campaign = make_campaign(rankme_definition(raters_per_trial=2))
    sit(make_rater(campaign, "w1"))
    held = claim(make_rater(campaign, "w2"))
    first = answer(held)
    answer(held, value=70, replaces=str(first.key))


def test_what_was_backed_up_is_restored_to_the_byte(
    site_without_web: LiveSite, rated, shell, empty_cluster
):
    backed_up = shell(commands("backup"))
    assert backed_up.returncode == 0, backed_up.stderr
    restored = shell(commands("restore"))
    assert restored.returncode == 0, restored.stderr
    was = look(site_without_web)
    is_now = look(site_without_web, DATABASE_URL=empty_cluster.url)
    assert was == is_now
    assert re.fullmatch(r"\d+ \w{64} InsufficientPrivilege\n", was), "the rights did not return"
    with (
        contextlib.closing(psycopg2.connect(empty_cluster.owner_url)) as session,
        session.cursor() as as_owner,
        pytest.raises(psycopg2.errors.RestrictViolation),  # the triggers came along
    ):
        as_owner.execute("UPDATE rankme_submission SET late = true")


def test_a_truncated_backup_is_noticed_and_not_restored(rated, shell, tmp_path):
    dump, check = commands("backup").splitlines()
    assert shell(dump).returncode == 0
    file = tmp_path / "evaluation.dump"
    whole = file.read_bytes()
    for kept in (0.02, 0.5, 0.9, 0.999):
        file.write_bytes(whole[: int(len(whole) * kept)])
        checked = shell(check)
        assert checked.returncode != 0, kept
        assert "error" in checked.stderr, kept
        assert shell(commands("restore")).returncode != 0, kept
        look = 'psql "$NEW_DATABASE_OWNER_URL" --command "TABLE rankme_submission"'
        assert shell(look).returncode != 0, kept


@contextlib.contextmanager
def receiving(command: str, environment: dict[str, str], folder: Path) -> Iterator[None]:
    """Run the command that receives the log; it ends with the server."""
    receiver = subprocess.Popen(shlex.split(command), cwd=folder, env=environment)
    try:
        yield
    finally:
        receiver.wait(PATIENCE)


def test_what_came_after_the_base_backup_is_in_the_log(empty_cluster: PostgreSQL):
    """The disk of the database is lost a moment after an answer was acknowledged."""
    lost = empty_cluster
    with reachable_folder("rankme-kept-") as kept:
        programs = postgresql_programs(lost.folder)
        environment = os.environ | {
            "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
            "DATABASE_OWNER_URL": lost.owner_url,
        }
        create_slot, receive, base = (
            line.replace("$DATABASE_OWNER_URL", lost.owner_url)
            for line in commands("archive").splitlines()
        )
        (kept / "wal").mkdir()
        subprocess.run(shlex.split(create_slot), cwd=kept, env=environment, check=True)
        with receiving(receive, environment, kept):
            wait_for(lambda: any((kept / "wal").iterdir()), "the log to be received")
            subprocess.run(shlex.split(base), cwd=kept, env=environment, check=True)
            with contextlib.closing(psycopg2.connect(lost.owner_url)) as session:
                session.autocommit = True
                cursor = session.cursor()
                cursor.execute("CREATE TABLE answers (word text)")
                cursor.execute("SET synchronous_commit = on")
                cursor.execute("INSERT INTO answers VALUES ('acknowledged')")
                received_up_to_here(cursor)
            lost.stop("immediate")
        subprocess.run(["sh", "-ec", commands("replay")], cwd=kept, check=True)
        restored = PostgreSQL(kept, durable=False)
        (kept / "base").rename(restored.home)
        if restored.account:
            for path in [restored.home, *restored.home.rglob("*"), *(kept / "wal").iterdir()]:
                os.chown(path, restored.account.uid, restored.account.gid)
            (kept / "wal").chmod(0o755)
        restored.start()
        wait_for(lambda: is_primary(restored), "the end of the recovery")
        with contextlib.closing(psycopg2.connect(restored.owner_url)) as session:
            cursor = session.cursor()
            cursor.execute("SELECT word FROM answers")
            assert cursor.fetchall() == [("acknowledged",)]
        restored.stop("immediate")


def received_up_to_here(cursor) -> None:
    """Wait until the receiver has stored everything up to now."""

    def is_stored() -> bool:
        cursor.execute("SELECT flush_lsn >= pg_current_wal_flush_lsn() FROM pg_stat_replication")
        return (True,) in cursor.fetchall()

    wait_for(is_stored, "the log to be stored")


def is_primary(server: PostgreSQL) -> bool:
    with contextlib.closing(psycopg2.connect(server.owner_url)) as session:
        cursor = session.cursor()
        cursor.execute("SELECT NOT pg_is_in_recovery()")
        return cursor.fetchone()[0]
