"""Static files under names that change with their content, so that browsers keep them forever."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

from .module_bundles import Bundler

OWN_FOLDERS = ("js/", "css/")
WORK = "js/work/work.js"
# Scripts from which no other script imports: each goes out with its own copy of what it imports.
ALONE = [
    "js/participant/come_back.js", "js/participant/door.js", "js/participant/leftovers.js",
    "js/work/timed.js", "js/blocks/files.js", "js/blocks/document.js",
]  # fmt: skip
INSTRUMENTS = r"js/instruments/\w+\.js"


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):
    # `import "./outbox.js"` inside an ES module must name the hashed file too. The scripts of other
    # packages are not modules, and to look for imports in them takes longer than all the rest.
    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]),
    )

    def post_process(
        self, paths: dict[str, tuple[Storage, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        """Name the files that are named in other files, but not those in the types of comments."""
        saved = {name: (self, name) if _is_ours(name) else paths[name] for name in paths}
        if WORK in paths and not dry_run:
            self._bundle_the_raters_pages(paths)
        yield from super().post_process(saved, dry_run, **options)

    def compress_files(self, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Only what pages link to: the files under names with a hash."""
        linked = set(self.hashed_files.values())
        yield from super().compress_files(sorted(linked.intersection(paths)))

    def _bundle_the_raters_pages(self, paths: dict[str, tuple[Storage, str]]) -> None:
        """Write the scripts of the rater's pages again, each with the modules that it imports."""

        @cache
        def read(name: str) -> str:
            storage, path = paths[name]
            with storage.open(path) as file:
                return without_comments(file.read().decode())

        names = sorted(name for name in paths if re.fullmatch(INSTRUMENTS, name))
        bundler = Bundler(read, WORK, names)
        scripts = {WORK: bundler.host_script()}
        scripts |= {name: bundler.guest_script(name) for name in bundler.guests}
        scripts |= {name: Bundler(read, name, []).host_script() for name in ALONE if name in paths}
        for name, script in scripts.items():
            self.delete(name)
            super()._save(name, ContentFile(script.encode()))

    def _save(self, name: str, content: File[Any]) -> str:
        """Our scripts and styles are sent without comments, a quarter of what raters would load."""
        if _is_ours(name):
            content.seek(0)
            text = content.read().decode()
            content = ContentFile(without_comments(text).encode())
        saved: str = super()._save(name, content)
        return saved


def _is_ours(name: str) -> bool:
    return name.startswith(OWN_FOLDERS) and name.endswith((".js", ".css"))


def without_comments(source: str) -> str:
    """The lines of a script or style, with empty lines in the place of whole lines of comment.

    Line numbers stay, so that an error in the browser still names the right line.
    """
    return "\n".join(_without_comments(source.split("\n")))


def _without_comments(lines: list[str]) -> Iterator[str]:
    within = False
    for line in lines:
        text = line.strip()
        if within or text.startswith("/*"):
            within = "*/" not in text
            # Code may follow on the same line, after a type.
            yield "" if within or text.endswith("*/") else line
        else:
            yield "" if text.startswith("//") else line
