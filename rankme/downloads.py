"""Answers over HTTP with a file, for pages and API alike."""

from __future__ import annotations

from django.core.files import File
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase, StreamingHttpResponse

from rankme.exporting.files import ExportedFile


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
