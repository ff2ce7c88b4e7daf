"""A bucket in the place of the folder of uploads: it may hang or be away, and never for long."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from botocore.config import Config
from botocore.exceptions import ClientError
from django.core.files.base import File
from storages.backends.s3 import S3Storage
from storages.utils import clean_name

if TYPE_CHECKING:
    from typing_extensions import Buffer

# Well below the time that a request may take: boto3 would wait for minutes.
# Checksums beyond the signature's are Amazon's own: Backblaze refuses their headers, and Storj
# a file that is sent in chunks because of them.
LIMITS = Config(
    connect_timeout=2,
    read_timeout=10,
    retries={"total_max_attempts": 2, "mode": "standard"},
    request_checksum_calculation="when_required",
    response_checksum_validation="when_required",
)
BUFFER_BYTES = 64 * 1024


class Bucket(S3Storage):
    """Reads the part of a file that is asked for, and not the whole file into memory."""

    def _open(self, name: str, mode: str = "rb") -> File[bytes]:
        if mode != "rb":
            raise ValueError("A file in the bucket is never changed.")
        content = Content(self.bucket.Object(self._normalize_name(clean_name(name))))
        return File(io.BufferedReader(content, BUFFER_BYTES), name)


class Content(io.RawIOBase):
    """One request for all that is read in sequence from the place that was sought last."""

    def __init__(self, stored: Any) -> None:
        try:
            self.size: int = stored.content_length
        except ClientError as error:
            if error.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                raise FileNotFoundError(stored.key) from error
            raise
        self.stored = stored
        self.place = 0
        self.stream: Any = None

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self.place, io.SEEK_END: self.size}[whence]
        if start + offset != self.place:
            self._drop()
            self.place = start + offset
        return self.place

    def readinto(self, buffer: Buffer) -> int:
        view = memoryview(buffer)
        if self.place >= self.size or not view:
            return 0
        if self.stream is None:
            self.stream = self.stored.get(Range=f"bytes={self.place}-")["Body"]
        found: bytes = self.stream.read(len(view))
        view[: len(found)] = found
        self.place += len(found)
        return len(found)

    def close(self) -> None:
        self._drop()
        super().close()

    def _drop(self) -> None:
        if self.stream is not None:
            self.stream.close()
            self.stream = None
