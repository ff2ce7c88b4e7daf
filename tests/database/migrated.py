"""A cluster with a migrated database, made once and copied for every test run that needs one.

Migrating from nothing takes several seconds of a core, which each worker of a run would spend, and
each site that a test starts. The copy is kept under a hash of all that decides its contents.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from evalsite.embedded import PROJECT, PostgreSQL, postgresql_programs
from evalsite.embedded.servers import locked

KEPT = PROJECT / ".cache" / "clusters"
# What makes a cluster and the tables in it. Models have no part in it: they come with a migration.
SOURCES = (
    "rankme/migrations/*.py",
    "evalsite/embedded/*.py",
    "evalsite/roles.py",
    "evalsite/settings.py",  # the applications of others, which have migrations, too
)
VERSIONS = ("requirements.txt", str(Path(__file__).relative_to(PROJECT)))


def put_migrated_cluster(into: PostgreSQL) -> None:
    """Let this server, which was never started, begin with a database that is migrated."""
    programs = postgresql_programs(into.folder)
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("a") as lock, locked(lock):
        kept = KEPT / fingerprint(programs)
        if not kept.exists():
            keep_only(kept)
        copy(kept, into.home)


def fingerprint(programs: Path, project: Path = PROJECT) -> str:
    """A hash of everything that decides what is in the cluster and who may read its files."""
    version = subprocess.check_output([programs / "postgres", "--version"])
    found = hashlib.sha256(b"%d %s" % (os.geteuid(), version))
    for file in sources(project):
        found.update(b"%s %d " % (file.name.encode(), file.stat().st_size) + file.read_bytes())
    return found.hexdigest()[:16]


def sources(project: Path) -> Iterable[Path]:
    for pattern in (*SOURCES, *VERSIONS):
        yield from sorted(project.glob(pattern))


def keep_only(kept: Path) -> None:
    """Make the cluster, and put it in the place of all that were kept before."""
    for older in filter(Path.is_dir, KEPT.iterdir()):
        shutil.rmtree(older)
    with tempfile.TemporaryDirectory(prefix="rankme-migrated-") as folder:
        os.chmod(folder, 0o711)
        server = PostgreSQL(Path(folder).resolve(), durable=False)
        server.start()
        try:
            migrate(server)
        finally:
            server.stop()
        # Under another name until it is complete: a run may be killed half way.
        unfinished = kept.with_suffix(".unfinished")
        copy(server.home, unfinished)
        unfinished.rename(kept)


def migrate(server: PostgreSQL) -> None:
    addresses = {"DATABASE_URL": server.url, "DATABASE_OWNER_URL": server.owner_url}
    settings = {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "DATA_FOLDER": str(server.folder)}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
    subprocess.run(command, cwd=PROJECT, env=os.environ | settings | addresses, check=True)


def copy(files: Path, to: Path) -> None:
    """Copy with owners and rights, which PostgreSQL insists on."""
    subprocess.run(["cp", "-pR", files, to], check=True)
