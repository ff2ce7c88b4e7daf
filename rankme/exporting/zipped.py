"""Zip files that are sent while they are written, so that memory stays flat."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator

Content = str | Iterable[bytes]


class _Pipe(io.RawIOBase):
    """What was written and not yet taken."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self.parts.append(bytes(data))
        return len(data)

    def take(self) -> bytes:
        taken, self.parts = b"".join(self.parts), []
        return taken


def zipped(files: Iterable[tuple[str, Content]]) -> Iterator[bytes]:
    """Compress named texts and contents one after the other."""
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            with archive.open(name, "w") as member:
                for part in [content.encode()] if isinstance(content, str) else content:
                    member.write(part)
                    yield pipe.take()
            yield pipe.take()
    yield pipe.take()
