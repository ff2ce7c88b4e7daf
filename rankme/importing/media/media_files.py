"""The pictures, sounds and films of an upload: found by the names that rows give them, and kept."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import dataclass

from rankme.importing.files import Place, SourceFile
from rankme.importing.problems import StopFile
from rankme.importing.sources import Sources, whole_bytes
from rankme.importing.spooling.spool import Attached, Spool

from .media_types import Kind, MediaContent, UnfitFile, checked_media

LONGEST_PATH = 300
LONGEST_QUOTED = 120


@dataclass
class _Found:
    """A file that some row names; `number` is None where its content was refused."""

    number: int | None
    kind: Kind | None = None


class MediaFiles:
    """Which file a row means, checked when the first row names it."""

    def __init__(self, sources: Sources, spool: Spool) -> None:
        self._sources = sources
        self._spool = spool
        self._by_path: dict[str, list[SourceFile]] = defaultdict(list)
        self._by_name: dict[str, list[SourceFile]] = defaultdict(list)
        self._found: dict[int, _Found] = {}
        self._without_alt = 0
        for file in sources.media:
            if self._is_path_right(file):
                self._by_path[file.path].append(file)
                self._by_name[file.name].append(file)
        self._note_paths_again()

    def _is_path_right(self, file: SourceFile) -> bool:
        message = ""
        if not file.path or ".." in file.path.split("/"):
            message = "The path has parts that are not names, such as “..”."
        elif len(file.path) > LONGEST_PATH:
            message = f"The path is longer than {LONGEST_PATH} characters."
        if message:
            self._sources.problems.add(message, file=file.label)
            self._found[file.number] = _Found(None)
        return not message

    def _note_paths_again(self) -> None:
        for path, files in self._by_path.items():
            for again in files[1:]:
                message = f"The upload has two files with the path “{path[:LONGEST_QUOTED]}”."
                self._sources.problems.add(message, file=again.label)
                self._found[again.number] = _Found(None)

    # --- rows ---

    def attached(self, name: str, alt: str, place: Place, column: str) -> Attached | None:
        """The file that a cell names, with what is said about it; None for an empty cell."""
        name = name.strip()
        if not name:
            return None
        file = self._file_of(name, place, column)
        if file is None:
            return None
        found = self._found.get(file.number) or self._keep(file)
        if found.number is None:
            return None
        if found.kind == "picture" and not alt.strip():
            self._without_alt += 1
        return Attached(found.number, alt.strip())

    def _file_of(self, name: str, place: Place, column: str) -> SourceFile | None:
        path = name.replace("\\", "/").removeprefix("./")
        quoted = name[:LONGEST_QUOTED]
        if ".." in path.split("/") or path.startswith("/"):
            message = f"“{quoted}” is not a path within the upload."
            self._spool.problem(place, column, message)
            return None
        files = self._by_path.get(path) or self._ending_with(path)
        if not files:
            self._spool.problem(place, column, f"The file “{quoted}” is not in the upload.")
            return None
        if len({file.path for file in files}) > 1:
            two = " and ".join(f"“{file.path}”" for file in files[:2])
            message = f"“{quoted}” could be {two}: write the folder, too."
            self._spool.problem(place, column, message)
            return None
        return files[0]

    def _ending_with(self, path: str) -> list[SourceFile]:
        """Archives often have a folder around everything, which rows do not name."""
        named = self._by_name.get(path.rpartition("/")[2], [])
        return [file for file in named if file.path.endswith(f"/{path}")]

    # --- content ---

    def _keep(self, file: SourceFile) -> _Found:
        found = _Found(None)
        media = self._checked(file)
        if media is not None:
            digest = hashlib.sha256(media.content).hexdigest()
            number = self._spool.add_media(file.path, digest, media)
            found = _Found(number, media.kind)
        self._found[file.number] = found
        return found

    def _checked(self, file: SourceFile) -> MediaContent | None:
        limits = self._sources.limits
        try:
            content = whole_bytes(self._sources, file, limits.film_bytes)
            return checked_media(content, file.ending, limits)
        except StopFile:
            return None
        except UnfitFile as unfit:
            self._sources.problems.add(str(unfit), file=file.label)
            return None

    # --- the whole upload ---

    def finish(self) -> None:
        """Say which files nobody names, and how many pictures have no description."""
        for file in self._sources.media:
            if file.number not in self._found:
                self._sources.problems.add("No row names this file.", file=file.label)
        if self._without_alt:
            self._spool.notes.append(
                f"{self._without_alt} pictures have no description for people who cannot see "
                "them: add a column “alt”."
            )


def refuse_media(sources: Sources) -> None:
    """For formats whose rows name no files."""
    for file in sources.media:
        message = "In this format rows name no pictures, sounds or films: use a table."
        sources.problems.add(message, file=file.label)
