"""A rater's page of all her work, behind a lasting link and without an account."""

from __future__ import annotations

from collections import defaultdict

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rankme.actions.accounts.work_pages import links_of_page
from rankme.links import entry_link, invitation_link
from rankme.queries.watching.rater_work import Work, weeks_of, work_of

from .endings import money
from .rater_pages import unstored


@require_safe
def my_work(request: HttpRequest, page: str) -> HttpResponse:
    """Show what waits, what is done and what it pays, in all campaigns of the link."""
    invitations = list(links_of_page(page))
    works = work_of(invitations)
    context = {
        "rows": [
            {
                "work": work,
                "link": _personal_link(request, work),
                "pay": money(work.pay, work.definition.crowd.currency),
                "each": money(work.definition.crowd.pay_per_batch, work.definition.crowd.currency),
            }
            for work in works
        ],
        "totals": _totals(works),
        "weeks": weeks_of(invitations),
    }
    template = "participant/departure/my_work.html"
    response = unstored(render(request, template, context, status=200 if invitations else 404))
    # The address is the secret: it goes to no other page, also not to one of this site.
    response.headers["Referrer-Policy"] = "no-referrer"
    return response


def _personal_link(request: HttpRequest, work: Work) -> str:
    return invitation_link(entry_link(request, work.campaign), work.invitation.token)


def _totals(works: list[Work]) -> list[str]:
    """What the finished sittings pay, in each currency."""
    sums: dict[str, float] = defaultdict(float)
    for work in works:
        sums[work.definition.crowd.currency] += work.pay
    return [money(amount, currency) for currency, amount in sums.items() if amount]
