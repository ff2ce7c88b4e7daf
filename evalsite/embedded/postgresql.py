"""The embedded PostgreSQL: its cluster, its settings, its two roles."""

import contextlib
import os
import shutil
import signal
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

import psycopg2

from .accounts import run_as
from .errors import EmbeddedServerError
from .folders import make_folder
from .programs import locale_options, postgresql_programs
from .server import STOP_SECONDS, Server, end_of, wait_until

if TYPE_CHECKING:
    from psycopg2.extensions import connection as Connection
    from psycopg2.extensions import cursor as Cursor

DATABASE = "rankme"
OWNER_ROLE = "rankme"
SITE_ROLE = "rankme_site"
SECONDS_OF_PG_CTL = 10


class PostgreSQL(Server):
    """One cluster, reached through a socket that only its owner may enter.

    `owner_url` is for migrations: the owner of the tables, a superuser. `url` is for everything
    else: a role with only the rights that `evalsite.roles` gives it.
    """

    name = "PostgreSQL"

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        super().__init__(folder)
        self.durable = durable

    @property
    def pid_file(self) -> Path:
        return self.home / "postmaster.pid"

    @property
    def url(self) -> str:
        return self.url_of(SITE_ROLE)

    @property
    def owner_url(self) -> str:
        return self.url_of(OWNER_ROLE)

    def url_of(self, role: str, database: str = DATABASE) -> str:
        return f"postgresql://{role}@{quote(str(self.sockets), safe='')}:5432/{database}"

    def stop(self, mode: str = "fast") -> None:
        """Stop the server; "immediate" is like a power cut, from which it recovers."""
        self._end({"fast": signal.SIGINT, "immediate": signal.SIGQUIT}[mode])

    def launch(self) -> None:
        programs = postgresql_programs(self.folder)
        if not (self.home / "PG_VERSION").exists():
            self._create_cluster(programs)
        self._write_settings()
        # The pid in it may by now belong to another process.
        self.pid_file.unlink(missing_ok=True)
        command = [str(programs / "pg_ctl"), "start", "--wait", "--silent"]
        command += ["--timeout", str(SECONDS_OF_PG_CTL), "--pgdata", str(self.home)]
        command += ["--log", str(self.log)]

        def is_launched() -> bool:
            # pg_ctl also fails while a running server recovers; here that is not a failure.
            return run_as(self.account, command, self.home).returncode == 0 or self.is_running()

        # The children of a killed server end a moment after it and hold its memory until then.
        if not wait_until(is_launched, STOP_SECONDS / 4):
            raise EmbeddedServerError(f"PostgreSQL does not start:\n{end_of(self.log)}")

    def make_ready(self) -> bool:
        """Create the site's role and the database, if they do not exist yet.

        Rights are given by `manage.py migrate`, once there are tables.
        """
        try:
            with contextlib.closing(self._connect()) as connection:
                create_missing(connection.cursor())
        except psycopg2.OperationalError:
            return False
        except psycopg2.DatabaseError as error:
            # A bare one is raised where the server dies during a statement.
            if type(error) is not psycopg2.DatabaseError:
                raise
            return False
        return True

    def _connect(self) -> "Connection":
        connection = psycopg2.connect(
            host=str(self.sockets),
            user=OWNER_ROLE,
            dbname="postgres",
            connect_timeout=self.seconds_to_answer,
        )
        connection.autocommit = True
        return connection

    def _create_cluster(self, programs: Path) -> None:
        # Under another name until it is complete: a start that is killed half way leaves nothing
        # that the next one could mistake for a cluster.
        unfinished = self.folder / "postgresql.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        make_folder(unfinished, 0o700, self.account)
        command = [str(programs / "initdb"), "--pgdata", str(unfinished), "--username", OWNER_ROLE]
        command += ["--auth", "trust", "--data-checksums", "--encoding", "UTF8"]
        command += locale_options(programs)
        if not self.durable:
            command.append("--no-sync")
        finished = run_as(self.account, command, self.folder)
        if finished.returncode != 0:
            raise EmbeddedServerError(f"PostgreSQL could not create its files:\n{finished.stdout}")
        unfinished.rename(self.home)

    def _write_settings(self) -> None:
        """Write the settings at each start: the folder may have been moved since the last."""
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.sockets),
            "unix_socket_permissions": "0700",
            "max_connections": "200",
            "fsync": "on" if self.durable else "off",
            "full_page_writes": "on" if self.durable else "off",
            "synchronous_commit": "on",
            # Tests empty their tables, and plans for an empty table are slow for a full one.
            "autovacuum": "on" if self.durable else "off",
            # The log must not contain what participants sent: no statements, no row values.
            "log_min_error_statement": "panic",
            "log_error_verbosity": "terse",
        }
        written = self.home / "rankme.conf"
        lines = [f"{name} = '{quoted(value)}'\n" for name, value in settings.items()]
        written.write_text("".join(lines))
        main = self.home / "postgresql.conf"
        include = "include = 'rankme.conf'\n"
        if include not in main.read_text():
            with main.open("a") as file:
                file.write(include)
        if self.account:
            os.chown(written, self.account.uid, self.account.gid)


def create_missing(cursor: "Cursor") -> None:
    cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [SITE_ROLE])
    if cursor.fetchone() is None:
        cursor.execute(f'CREATE ROLE "{SITE_ROLE}" LOGIN')
    cursor.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE])
    if cursor.fetchone() is None:
        cursor.execute(f'CREATE DATABASE "{DATABASE}"')


def quoted(value: str) -> str:
    return value.replace("'", "''")
