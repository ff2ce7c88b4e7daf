"""Where a request comes from: its address, and whether another site's page sent it."""

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from evalsite import error_pages
from evalsite.typing import GetResponse

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
FROM_ELSEWHERE = "The request comes from a page of another site."
NOT_ENCRYPTED = "The API answers to https alone. Make a new key: this one was sent in the open."
OUR_OWN = {"same-origin", "none"}  # "none": a person at the browser, and no page


def refuse_other_sites(get_response: GetResponse) -> GetResponse:
    """Refuse changes that pages of other sites request, even with valid cookies and tokens.

    Browsers send a request's origin, and pages cannot fake it; scripts send none.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        sent_from = request.headers.get("Sec-Fetch-Site", "none")
        trusted = request.headers.get("Origin") in settings.CSRF_TRUSTED_ORIGINS
        if request.method not in SAFE_METHODS and sent_from not in OUR_OWN and not trusted:
            return error_pages.forged(request, reason=FROM_ELSEWHERE)
        return get_response(request)

    return middleware


def refuse_plain_scripts(get_response: GetResponse) -> GetResponse:
    """Refuse scripts that send their key over plain http: a redirect would hide that they do."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path_info.startswith("/api/") and not request.is_secure():
            return error_pages.forged(request, reason=NOT_ENCRYPTED)
        return get_response(request)

    return middleware


def believe_the_proxy(get_response: GetResponse) -> GetResponse:
    """Take the client's address from the proxy's header; otherwise everybody has the proxy's own.

    Only the last address comes from the proxy; anybody can write the ones before it.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        address = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if address:
            request.META["REMOTE_ADDR"] = address
        return get_response(request)

    return middleware
