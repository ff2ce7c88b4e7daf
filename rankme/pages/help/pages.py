"""Help: the docs, and the way from each page to the part that is about it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from .rendering import help_page, page_names
from .topics import TOPICS

# What organisers read comes first.
FIRST = [
    "organisers",
    "members",
    "raters",
    "quality",
    "crowds",
    "spans",
    "media",
    "metrics",
    "statistics",
    "scripts",
]


@require_safe
def show_help(request: HttpRequest) -> HttpResponse:
    """The list of pages; with `about`, the part that is about the page of that name."""
    topic = TOPICS.get(request.GET.get("about", ""))
    if topic:
        name, _, anchor = topic.partition("#")
        address = reverse("rankme:help-page", args=[name])
        return redirect(f"{address}#{anchor}" if anchor else address)
    others = [name for name in page_names() if name not in FIRST and "/" not in name]
    pages = [(name, help_page(name)) for name in [*FIRST, *others]]
    return render(request, "help/index.html", {"pages": pages})


@require_safe
def show_page(request: HttpRequest, name: str) -> HttpResponse:
    if name not in page_names():
        raise Http404
    return render(request, "help/page.html", {"page": help_page(name), "name": name})
