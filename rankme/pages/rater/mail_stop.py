"""The page behind the stop link of a mail, for people and for their mail programs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from rankme.actions.accounts.link_mails import link_to_stop, stop_mails
from rankme.queries.definitions import frozen_definition
from rankme.queries.words import in_the_language_of

from .rater_pages import unstored


# Mail programs post here themselves (RFC 8058), without a cookie. The address is the permission.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, signed: str) -> HttpResponse:
    """Looking changes nothing: programs that check mail open every link."""
    link = link_to_stop(signed)
    if link is None:
        return unstored(render(request, "participant/departure/mail_stop.html", status=404))
    if request.method == "POST":
        stop_mails(link)
        link.refresh_from_db()
    with in_the_language_of(frozen_definition(link.campaign).definition):
        page = render(request, "participant/departure/mail_stop.html", {"link": link})
    return unstored(page)
