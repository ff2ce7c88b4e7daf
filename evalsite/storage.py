"""Static files under names that change with their content, so that browsers keep them forever."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from whitenoise.storage import CompressedManifestStaticFilesStorage

OWN_FOLDERS = ("js/", "css/")


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):
    # `import "./outbox.js"` inside an ES module must name the hashed file too. The scripts of other
    # packages are not modules, and to look for imports in them takes longer than all the rest.
    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        ("js/*.js", CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1]),
    )
    # One for each import on the longest way from script to script, in the worst order of files;
    # the passes end as soon as no name changes.
    max_post_process_passes = 50

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.addresses: dict[str, str] = {}

    def post_process(
        self, paths: dict[str, tuple[Storage, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        """Name the files that are named in other files, but not those in the types of comments."""
        saved = {name: (self, name) if _is_ours(name) else paths[name] for name in paths}
        yield from super().post_process(saved, dry_run, **options)

    def url(self, name: str, force: bool = False) -> str:
        """The address of a file, worked out once: the files of a running site never change."""
        if name not in self.addresses:
            self.addresses[name] = super().url(name, force)
        return self.addresses[name]

    def _save(self, name: str, content: File[Any]) -> str:
        """Our scripts and styles are sent without comments, a third of what raters would load."""
        if _is_ours(name):
            content.seek(0)
            content = ContentFile(without_comments(content.read().decode()).encode())
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
