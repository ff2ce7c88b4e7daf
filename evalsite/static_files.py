"""Collects the static files, unless what is there was collected from the same ones."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command

# The name of the file, in the folder of the collected ones, that says from what they come.
STAMP = "collected-from.txt"
MANIFEST = "staticfiles.json"
WHAT_COLLECTS = ("storage.py", "module_bundles.py")
PACKAGES = ("django", "whitenoise")


def collect() -> None:
    """To name, bundle and compress all files takes a second of each start that changes nothing."""
    stamp = settings.STATIC_ROOT / STAMP
    sources = fingerprint()
    if stamp.exists() and stamp.read_text() == sources and not _is_older_than_manifest(stamp):
        return
    stamp.unlink(missing_ok=True)
    call_command("collectstatic", verbosity=0, interactive=False)
    stamp.write_text(sources)


def _is_older_than_manifest(stamp: Path) -> bool:
    """Whether somebody has run `collectstatic` since, perhaps on other files."""
    manifest = stamp.with_name(MANIFEST)
    return not manifest.exists() or manifest.stat().st_mtime_ns > stamp.stat().st_mtime_ns


def fingerprint() -> str:
    """A hash of everything that decides what is collected. Files count by size and time."""
    found = hashlib.sha256(" ".join(version(package) for package in PACKAGES).encode())
    for name, path in sorted(_sources()):
        status = path.stat()
        found.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return found.hexdigest()


def _sources() -> Iterator[tuple[str, Path]]:
    for name in WHAT_COLLECTS:
        yield name, Path(__file__).with_name(name)
    for finder in get_finders():
        for name, storage in finder.list([]):
            yield name, Path(storage.path(name))
