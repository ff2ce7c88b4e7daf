"""Pictures, sounds and films for the browsers of raters and organisers; never as a page.

An address has 160 random bits, and still opens only for the campaign's raters and organisers. No
header says when the file came or what it was called, because both may tell whose output it is.
"""

from __future__ import annotations

from django.core.files.storage import default_storage
from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_safe

from rankme.downloads import ShownFile, in_place
from rankme.models import MediaFile
from rankme.permissions import Permission, open_campaigns

from .rater_identity import rater_of


@require_safe
def show_file(request: HttpRequest, code: str, name: str) -> HttpResponseBase:
    """A file, or the range of it that the request asks for."""
    media = MediaFile.objects.filter(campaign__code=code, name=name).first()
    if media is None or not _may_see(request, code):
        raise Http404
    return in_place(
        request,
        ShownFile(media.size, media.name, media.media_type),
        lambda: default_storage.open(media.stored),
    )


def _may_see(request: HttpRequest, code: str) -> bool:
    if rater_of(request, code) is not None:
        return True
    return open_campaigns(request, Permission.READ).filter(code=code).exists()
