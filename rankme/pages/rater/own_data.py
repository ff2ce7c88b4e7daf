"""A rater's own page: what is stored about them, and how they withdraw. It needs no login."""

from __future__ import annotations

from functools import partial

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from rankme.actions.sitting.withdrawing import withdraw
from rankme.exporting.own_data import name_of, own_data, reports_with
from rankme.models import Participant, Submission
from rankme.queries.definitions import frozen_definition

from . import rater_identity
from .rater_pages import rater_page, step_of

own_page = partial(rater_page, days=rater_identity.ALWAYS_DAYS)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def my_data(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Show what is stored, and carry out what the rater decides about it."""
    campaign = rater.campaign
    if rater.consented_at is None:
        return redirect("rankme:enter", campaign.code)
    if request.method == "POST" and not rater.is_second_browser:
        decision = request.POST.get("decision")
        if decision in ("from-now", "answers"):
            withdraw(rater, with_answers=decision == "answers")
        return redirect("rankme:my-data", campaign.code)
    definition = frozen_definition(campaign).definition
    context = {"campaign": campaign, "definition": definition, "rater": rater}
    if not rater.is_second_browser:
        context |= _facts(request, rater) | {"continue": step_of(rater, definition)}
    return render(request, "participant/departure/my_data.html", context)


def _facts(request: HttpRequest, rater: Participant) -> dict[str, object]:
    code = rater.campaign.code
    withdrawal = rater.exclusions.filter(withdrawn_at=None, by_rater=True).first()
    link = reverse("rankme:my-data-resume", args=[code, rater_identity.resume_token(rater)])
    screens = Submission.objects.filter(assignment__participant=rater)
    return {
        "name": name_of(rater),
        "screens": screens.values("assignment", "trial", "screen").distinct().count(),
        "own_answers": len(rater.entry_answers) + len(rater.end_answers),
        "reported": rater.complaints.count(),
        "reports": [
            request.build_absolute_uri(reverse("rankme:report-public", args=[report.code]))
            for report in reports_with(rater)
        ],
        "answers_withdrawn_at": withdrawal.decided_at if withdrawal else None,
        "own_link": request.build_absolute_uri(link),
    }


@require_safe
@own_page
def download(request: HttpRequest, rater: Participant) -> HttpResponse:
    """All that is stored about the rater, as JSON."""
    if rater.consented_at is None or rater.is_second_browser:
        return redirect("rankme:my-data", rater.campaign.code)
    shape = {"ensure_ascii": False, "indent": 2}
    response = JsonResponse(own_data(rater), json_dumps_params=shape)
    response["Content-Disposition"] = 'attachment; filename="my-data.json"'
    return response
