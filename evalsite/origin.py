"""Where a request comes from: its address, and whether another site's page sent it."""

from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from evalsite import error_pages
from evalsite.middleware import GetResponse

SAFE_METHODS = {"GET", "HEAD", "OPTIONS", "TRACE"}
FROM_ELSEWHERE = "The request comes from a page of another site."
NOT_ENCRYPTED = "The API answers to https alone. Make a new key: this one was sent in the open."
FROM_A_PROXY = ("HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_PROTO")
OUR_OWN = {"same-origin", "none"}  # "none": a person at the browser, and no page


def refuse_other_sites(get_response: GetResponse) -> GetResponse:
    """Refuse what pages of other sites request, even with valid cookies and tokens, except links.

    Some pages change something when they are opened: the work page claims a batch. A link may do
    that, but no picture, frame or script of another site. Browsers send a request's origin and
    purpose, and pages cannot fake them; scripts send none.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        sent_from = request.headers.get("Sec-Fetch-Site", "none")
        is_link = request.method in SAFE_METHODS and (
            request.headers.get("Sec-Fetch-Dest", "document") == "document"
        )
        trusted = request.headers.get("Origin") in settings.CSRF_TRUSTED_ORIGINS
        if sent_from not in OUR_OWN and not is_link and not trusted:
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

    Only the last address comes from the proxy; anybody can write the ones before it. With `PROXIES`
    nobody else is believed, neither about an address nor about https.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if settings.PROXIES and not _is_proxy(request.META["REMOTE_ADDR"]):
            for name in FROM_A_PROXY:
                request.META.pop(name, None)
        if address := _last_address(request.headers.get("X-Forwarded-For", "")):
            request.META["REMOTE_ADDR"] = address
        return get_response(request)

    return middleware


def _last_address(forwarded: str) -> str:
    """Return the address that the proxy itself has added; "" if it is none.

    Some write the client's port with it, which is another for each connection: 203.0.113.7:50123
    or [2001:db8::7]:50123 (Azure's Application Gateway, IIS).
    """
    last = forwarded.rpartition(",")[2].strip()
    if last.startswith("["):
        last = last[1:].partition("]")[0]
    elif last.count(":") == 1:
        last = last.partition(":")[0]
    try:
        return str(ip_address(last))
    except ValueError:
        return ""


def _is_proxy(peer: str) -> bool:
    return any(ip_address(peer) in network for network in settings.PROXIES)
