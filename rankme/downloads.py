"""Answers over HTTP with a file: as a download, or in place for a page's pictures and players."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO

from django.core.files import File
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response

from rankme.exporting.files import ExportedFile

CHUNK_BYTES = 64 * 1024
RANGE = re.compile(r"bytes=(\d{0,19})-(\d{0,19})")
# A picture may bring its own styles, and nothing else: no script, no frame, no other file. Opened
# directly, it is a document without an origin.
MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


def tagged(
    request: HttpRequest, file: ExportedFile | None, *, caching: str = "private, no-store"
) -> HttpResponseBase:
    """The file as a download with its ETag; 304 for a client that has it."""
    unchanged = get_conditional_response(request, etag=file.tag) if file else None
    if file and unchanged and isinstance(file.content, File):
        file.content.close()
    response = unchanged or attachment(file)
    response["ETag"], response["Cache-Control"] = file.tag if file else "", caching
    return response


def attachment(file: ExportedFile | None) -> HttpResponseBase:
    """The file as a download; raises `Http404` where there is none.

    Nothing is shown in place: opened directly, a plot would be black, because our policy removes
    its style. In a page it is shown anyway.
    """
    if file is None:
        raise Http404
    if isinstance(file.content, File):
        return FileResponse(
            file.content, as_attachment=True, filename=file.name, content_type=file.media_type
        )
    in_full = isinstance(file.content, bytes)
    answer = HttpResponse if in_full else StreamingHttpResponse
    response = answer(file.content, content_type=file.media_type)
    response["Content-Disposition"] = f'attachment; filename="{file.name}"'
    return response


@dataclass(frozen=True)
class ShownFile:
    """A file that never changes; `tag` names its content."""

    size: int
    tag: str
    media_type: str


def in_place(
    request: HttpRequest, file: ShownFile, opened: Callable[[], IO[bytes]]
) -> HttpResponseBase:
    """The file for an element of a page: all of it, one range (206), or none that it has (416).

    Several ranges at once are answered with the whole file, as every server may.
    """
    etag = f'"{file.tag}"'
    if etag in request.headers.get("If-None-Match", ""):
        return _with_headers(HttpResponse(status=304), file)
    first, last = 0, file.size - 1
    is_part = False
    wanted = RANGE.fullmatch(request.headers.get("Range", ""))
    if wanted and any(wanted.groups()) and request.headers.get("If-Range", etag) == etag:
        found = _range(*wanted.groups(), size=file.size)
        if found is None:
            nothing = HttpResponse(status=416)
            nothing["Content-Range"] = f"bytes */{file.size}"
            return _with_headers(nothing, file)
        (first, last), is_part = found, True
    is_asked_for = request.method != "HEAD"
    response = StreamingHttpResponse(_bytes(opened(), first, last) if is_asked_for else ())
    response.status_code = 206 if is_part else 200
    response["Content-Length"] = last - first + 1
    if is_part:
        response["Content-Range"] = f"bytes {first}-{last}/{file.size}"
    return _with_headers(response, file)


def _with_headers(response: HttpResponseBase, file: ShownFile) -> HttpResponseBase:
    response["Content-Type"] = file.media_type
    response["Content-Disposition"] = "inline"
    response["Content-Security-Policy"] = MEDIA_POLICY
    response["Accept-Ranges"] = "bytes"
    response["ETag"] = f'"{file.tag}"'
    response["Cache-Control"] = "private, max-age=86400, immutable"
    return response


def _range(first: str, last: str, *, size: int) -> tuple[int, int] | None:
    """The first and the last byte; None for what is not in the file."""
    if not first:
        start = max(0, size - int(last))
        return (start, size - 1) if int(last) and size else None
    start = int(first)
    end = min(int(last), size - 1) if last else size - 1
    return (start, end) if start <= end else None


def _bytes(content: IO[bytes], first: int, last: int) -> Iterator[bytes]:
    with content:
        content.seek(first)
        left = last - first + 1
        while left > 0 and (chunk := content.read(min(CHUNK_BYTES, left))):
            left -= len(chunk)
            yield chunk
