"""How large a request may be, by its address, and who may send files."""

from __future__ import annotations

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from evalsite.middleware import GetResponse
from rankme import uploads
from rankme.api.authentication import HashedTokenAuthentication, TeamAuthentication
from rankme.pages.shared_task.teaming import member_here

BY_HEADER = (HashedTokenAuthentication, TeamAuthentication)


def largest_body(path: str) -> int:
    """The number of bytes that a request to this address may have."""
    try:
        return uploads.largest_body(resolve(path).func)
    except (Resolver404, ValueError):
        return settings.LARGEST_BODY


def refuse_large_bodies(get_response: GetResponse) -> GetResponse:
    """Refuse what is too large before Django reads it.

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


@require_safe
@never_cache
def may_send_files(request: HttpRequest) -> HttpResponse:
    """Tell a proxy, before it reads an upload, whether the sender is somebody whom the site knows.

    That is who is logged in, has a key, or came by the link of a team.
    """
    sent = Request(request)
    try:
        has_key = any(known().authenticate(sent) is not None for known in BY_HEADER)
    except AuthenticationFailed:
        return HttpResponse(status=401)
    is_known = has_key or request.user.is_authenticated or member_here(request) is not None
    return HttpResponse(status=204 if is_known else 401)
