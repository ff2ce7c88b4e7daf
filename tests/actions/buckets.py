"""A storage without a folder, as those of clouds: to ask it for a path is an error."""

from __future__ import annotations

from datetime import datetime

from django.core.files.base import ContentFile, File
from django.core.files.storage import Storage
from django.utils import timezone


class Bucket(Storage):
    def __init__(self) -> None:
        self.files: dict[str, tuple[bytes, datetime]] = {}

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        return ContentFile(self._found(name)[0], name)

    def _save(self, name: str, content: File[bytes]) -> str:
        content.seek(0)
        self.files[name] = (content.read(), timezone.now())
        return name

    def _found(self, name: str) -> tuple[bytes, datetime]:
        if name not in self.files:
            raise FileNotFoundError(name)
        return self.files[name]

    def delete(self, name: str) -> None:
        self.files.pop(name, None)

    def exists(self, name: str) -> bool:
        return name in self.files

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        start = f"{path}/"
        return [], [name.removeprefix(start) for name in self.files if name.startswith(start)]

    def size(self, name: str) -> int:
        return len(self._found(name)[0])

    def get_modified_time(self, name: str) -> datetime:
        return self._found(name)[1]
