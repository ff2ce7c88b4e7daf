"""How large a request may be, by its address, and who may send a large one."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.exceptions import RequestDataTooBig
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from evalsite.typing import GetResponse
from rankme.importing import LIMITS
from rankme.uploads import is_upload

# Boundaries, names and the other fields of a form around the files.
FORM_BYTES = 2**20
LARGEST_UPLOAD = LIMITS.total_bytes + FORM_BYTES


def largest_body(path: str) -> int:
    """The number of bytes that a request to this address may have."""
    return LARGEST_UPLOAD if takes_files(path) else settings.LARGEST_BODY


def takes_files(path: str) -> bool:
    try:
        return is_upload(resolve(path).func)
    except (Resolver404, ValueError):
        return False


def may_send_files(environ: dict[str, Any]) -> bool:
    """Whether the request's session or key belongs to an organiser. Reads no body."""
    from rankme.api.authentication import HashedTokenAuthentication

    request = WSGIRequest(environ)
    try:
        if HashedTokenAuthentication().authenticate(Request(request)):
            return True
    except AuthenticationFailed:
        return False
    SessionMiddleware(lambda _: HttpResponse()).process_request(request)
    return get_user(request).is_authenticated


def refuse_large_bodies(get_response: GetResponse) -> GetResponse:
    """Refuse what is too large before anything reads it, whichever web server is in front.

    Without this, Django would write the files of any multipart request to the disk before a view
    could say that it takes none.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        size = int(request.META.get("CONTENT_LENGTH") or 0)
        # The address is looked up only for the few requests that are larger than most may be.
        if size > settings.LARGEST_BODY and size > largest_body(request.path_info):
            raise RequestDataTooBig
        return get_response(request)

    return middleware
