"""A start collects the static files only if they have changed since the last one."""

import os
import shutil
from pathlib import Path

import pytest

from evalsite import static_files

STORAGE = "evalsite.storage.ModuleStaticFilesStorage"


@pytest.fixture
def style(settings, tmp_path: Path) -> Path:
    """The one file of a site."""
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STATICFILES_DIRS = [tmp_path / "sources"]
    settings.STATIC_ROOT = tmp_path / "collected"
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": STORAGE}}
    style = tmp_path / "sources" / "page.css"
    style.parent.mkdir()
    style.write_text("p { color: red }")
    return style


def collected(settings) -> list[str]:
    """The contents of the collected style, one for each name that it has had."""
    return sorted({path.read_text() for path in settings.STATIC_ROOT.glob("page*.css")})


def test_files_that_have_not_changed_are_not_collected_again(style: Path, settings):
    static_files.collect()
    assert collected(settings) == ["p { color: red }"]
    for path in settings.STATIC_ROOT.glob("page*.css"):
        path.write_text("still here")
    static_files.collect()
    assert collected(settings) == ["still here"]


@pytest.mark.parametrize("name", ["page.css", "page-2.css"], ids=["changed", "new"])
def test_a_file_that_is_new_or_has_changed_is_collected(style: Path, settings, name: str):
    static_files.collect()
    style.with_name(name).write_text("p { color: blue }")
    static_files.collect()
    assert "p { color: blue }" in collected(settings)


def test_a_folder_that_was_emptied_is_filled_again(style: Path, settings):
    static_files.collect()
    shutil.rmtree(settings.STATIC_ROOT)
    static_files.collect()
    assert collected(settings) == ["p { color: red }"]


def test_what_a_broken_start_left_is_not_taken_for_complete(style: Path, settings, monkeypatch):
    static_files.collect()
    first = style.stat()
    style.write_text("p { color: blue }")
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space left"):
        patch.setattr(static_files, "call_command", broken)
        static_files.collect()
    style.write_text("p { color: red }")
    os.utime(style, ns=(first.st_atime_ns, first.st_mtime_ns))
    (settings.STATIC_ROOT / "page.css").unlink()
    static_files.collect()
    assert (settings.STATIC_ROOT / "page.css").exists()


def test_what_somebody_collected_in_between_is_not_taken_for_the_last_start(style: Path, settings):
    static_files.collect()
    manifest = settings.STATIC_ROOT / static_files.MANIFEST
    later = manifest.stat().st_mtime_ns + 10**9
    os.utime(manifest, ns=(later, later))
    (settings.STATIC_ROOT / "page.css").unlink()
    static_files.collect()
    assert (settings.STATIC_ROOT / "page.css").exists()


def broken(*arguments: object, **options: object) -> None:
    raise OSError("No space left on device")


def test_another_program_collects_again(style: Path, settings, monkeypatch):
    before = static_files.fingerprint()
    monkeypatch.setattr(static_files, "version", lambda package: "another")
    assert static_files.fingerprint() != before
