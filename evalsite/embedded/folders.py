"""Where the project keeps its data, and folders with exactly the rights that they need."""

import contextlib
import hashlib
import os
import tempfile
from pathlib import Path

from .accounts import Account
from .errors import EmbeddedServerError

PROJECT = Path(__file__).resolve().parent.parent.parent
# The wheel carries templates, static files and translations here; a checkout has them at its top.
PACKAGED_FILES = PROJECT / "evalsite" / "files"
FILES = PACKAGED_FILES if PACKAGED_FILES.is_dir() else PROJECT
LONGEST_SOCKET_PATH = 103  # bytes; 107 on Linux, 103 on macOS
POSTGRESQL_SOCKET = ".s.PGSQL.5432"


def is_open_to_others(path: Path) -> bool:
    """Say whether an unprivileged account can reach this folder and read it."""
    path = path.resolve()
    can_cross = all(parent.stat().st_mode & 0o001 for parent in path.parents)
    return can_cross and path.stat().st_mode & 0o005 == 0o005


def data_folder() -> Path:
    """Return the folder that holds all data: DATA_FOLDER, or `data` in the project.

    An installed package keeps its data where the person's other programs do. Root with a project
    or a home in a closed folder (/root) cannot keep it there: the account that PostgreSQL runs
    under could not reach it.
    """
    configured = os.environ.get("DATA_FOLDER")
    if configured:
        return Path(configured).resolve()
    home = PROJECT if FILES == PROJECT else Path.home()
    if os.geteuid() == 0 and not is_open_to_others(home):
        name = hashlib.sha256(os.fsencode(PROJECT)).hexdigest()[:12]
        return Path("/var/lib/rankme") / name
    if FILES == PROJECT:
        return PROJECT / "data"
    return home / ".local" / "share" / "rankme"


def make_folder(folder: Path, mode: int, owner: Account | None = None) -> Path:
    """Make a folder with exactly these permissions, regardless of the umask."""
    folder.mkdir(parents=True, exist_ok=True)
    if owner:
        os.chown(folder, owner.uid, owner.gid)
    folder.chmod(mode)
    return folder


def make_data_folder(folder: Path) -> Path:
    """Make the data folder: the servers' account can pass through it but not list it."""
    for each in reversed([folder, *folder.parents]):
        if each == folder or not each.exists():
            make_folder(each, 0o711)
    return folder


def refuse_closed_folder(folder: Path) -> None:
    """Explain what PostgreSQL would report in a less useful way: it cannot enter the folder."""
    closed = [path for path in (folder, *folder.parents) if not path.stat().st_mode & 0o001]
    if Account.unprivileged() and closed:
        raise EmbeddedServerError(
            f"PostgreSQL does not run as root, and no other account may enter {closed[0]}.\n"
            "Choose another data folder: DATA_FOLDER=/srv/rankme make run"
        )


def socket_folder(folder: Path, name: str) -> Path:
    """Return the private folder of a server's socket; a path that is too long gets a short one."""
    inside = folder / "sockets" / name
    if len(os.fsencode(inside / POSTGRESQL_SOCKET)) <= LONGEST_SOCKET_PATH:
        return inside
    digest = hashlib.sha256(os.fsencode(inside)).hexdigest()[:16]
    return Path(tempfile.gettempdir()) / f"rankme-{os.geteuid()}-{digest}"


def make_socket_folder(path: Path, owner: Account | None) -> None:
    """Make the folder of a socket, and refuse one that someone else has put in its place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        path.mkdir(mode=0o700)
    uid = owner.uid if owner else os.geteuid()
    found = path.lstat()
    if path.is_symlink() or found.st_uid not in {uid, os.geteuid()}:
        raise EmbeddedServerError(f"{path} belongs to another user. Remove it and start again.")
    make_folder(path, 0o700, owner)
