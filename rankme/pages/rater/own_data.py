"""A rater's own page: what is stored about them, and how they withdraw. It needs no login."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from rankme.actions.sitting.erasing import erase_rater
from rankme.actions.sitting.withdrawing import withdraw
from rankme.errors import RefusedAction
from rankme.exporting.own_data import name_of, own_data, reports_with
from rankme.models import Campaign, Participant, Submission
from rankme.queries.definitions import frozen_definition
from rankme.queries.watching.own_words import WORDS_INSIDE

from . import rater_identity
from .rater_pages import in_the_campaigns_language, rater_page, step_of, unstored


def own_page(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """A page for the rater alone; where identities are erased, nobody can be told from others."""
    for_rater = rater_page(view, days=rater_identity.ALWAYS_DAYS)

    @wraps(view)
    def page(request: HttpRequest, code: str) -> HttpResponse:
        if rater_identity.rater_of(request, code, days=rater_identity.ALWAYS_DAYS) is None:
            campaign = rater_identity.campaign_at(code)
            if campaign.identities_erased_at is not None:
                with in_the_campaigns_language(request, campaign):
                    return unstored(_nobody_known(request, campaign))
        return for_rater(request, code)

    return page


def _nobody_known(
    request: HttpRequest, campaign: Campaign, rater: Participant | None = None
) -> HttpResponse:
    """Say that nothing can be shown or withdrawn any more, and why."""
    context = {
        "campaign": campaign,
        "definition": frozen_definition(campaign).definition,
        "label": rater.label if rater else "",
    }
    return render(request, "participant/departure/my_data_erased.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def my_data(request: HttpRequest, rater: Participant) -> HttpResponse:
    """Show what is stored, and carry out what the rater decides about it."""
    campaign = rater.campaign
    if rater.consented_at is None:
        return redirect("rankme:enter", campaign.code)
    refusal = ""
    if request.method == "POST" and not rater.is_second_browser:
        try:
            return _decide(request, rater)
        except RefusedAction as refused:
            refusal = str(refused)
    definition = frozen_definition(campaign).definition
    context = {
        "campaign": campaign,
        "definition": definition,
        "rater": rater,
        "refusal": refusal,
    }
    if not rater.is_second_browser:
        context |= _facts(request, rater) | {"continue": step_of(rater, definition)}
    status = 422 if refusal else 200
    return render(request, "participant/departure/my_data.html", context, status=status)


def _decide(request: HttpRequest, rater: Participant) -> HttpResponse:
    decision = request.POST.get("decision")
    if decision == "erase":
        erase_rater(rater, by=None)
        return _nobody_known(request, rater.campaign, rater)
    if decision in ("from-now", "answers"):
        withdraw(rater, with_answers=decision == "answers")
    return redirect("rankme:my-data", rater.campaign.code)


def _facts(request: HttpRequest, rater: Participant) -> dict[str, object]:
    code = rater.campaign.code
    withdrawal = rater.exclusions.filter(withdrawn_at=None, by_rater=True).first()
    link = reverse("rankme:my-data-resume", args=[code, rater_identity.resume_token(rater)])
    screens = Submission.objects.filter(assignment__participant=rater)
    return {
        "name": name_of(rater),
        "has_words_inside": screens.extra(where=[WORDS_INSIDE]).exists(),
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
