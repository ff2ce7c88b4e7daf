"""Who the raters are: how long that is known, who has copies, and erasing it before its time."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from rankme.actions.sitting import erasing
from rankme.models import Campaign, PanelSubmission, Report, WordsEpoch
from rankme.permissions import Permission
from rankme.queries.definitions import frozen_definition

from .campaign_page import FORM, act, campaign_page, render_campaign


@campaign_page(FORM, needs=Permission.IDENTITIES, to_send=Permission.OWN)
def identities(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Say how long identities are kept, and erase them after a confirmation."""
    if campaign.is_draft or campaign.is_archive:
        return redirect("rankme:campaign", campaign.code)
    if request.method == "POST":
        said = _("The identities of the raters are erased.")
        act(request, said, erasing.erase_campaign, campaign)
        return redirect("rankme:campaign-identities", campaign.code)
    raters = campaign.participants.filter(erased_at=None)
    submissions = PanelSubmission.objects.filter(study__campaign=campaign)
    definition = frozen_definition(campaign).definition
    context = {
        "crowd": definition.crowd,
        "definition": definition,
        "words_are_apart": WordsEpoch.objects.filter(
            campaign=campaign, finished_at__isnull=False
        ).exists(),
        "known": raters.count(),
        "erased": campaign.participants.exclude(erased_at=None).count(),
        "named": campaign.invitations.exclude(name="").count(),
        "waits_for": erasing.why_not_yet(raters, submissions),
        "reports": Report.objects.filter(run__campaign=campaign).order_by("published_at"),
    }
    return render_campaign(
        request, campaign, "organiser/campaign/identities.html", context, tab="campaign-raters"
    )
