"""The page for the paper: files about a campaign, with what each still lacks."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from rankme.actions.campaign import paper_files
from rankme.actions.campaign.paper import confirm_answers
from rankme.downloads import attachment
from rankme.errors import RefusedAction
from rankme.exporting.paper import data_set, earlier, heds, methods, preregistration
from rankme.exporting.paper.study import Study
from rankme.exporting.registered import registered_sha256
from rankme.forms.paper import AnswersForm, EarlierForm
from rankme.models import Campaign
from rankme.permissions import Permission, user_of

from .campaign_page import FORM, POST, SAFE, act, campaign_page, render_campaign, sent
from .reports import with_files


@campaign_page(FORM, needs=Permission.FILES, to_send=Permission.EDIT)
def show_paper(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The files with their states, and the questions that a person answers."""
    study = paper_files.seen_study(campaign, by=user_of(request))
    form = AnswersForm(**sent(request), asked=asked_of(study))
    if form.is_valid() and act(request, _("Saved."), confirm_answers, campaign, form.answers()):
        return redirect("rankme:campaign-paper", campaign.code)
    return _page(request, study, form, EarlierForm())


@campaign_page(POST, needs=Permission.EDIT)
def take_earlier(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Take the scores of an earlier study; reports of this one show both side by side."""
    study = paper_files.seen_study(campaign, by=user_of(request))
    form = EarlierForm(**sent(request))
    if form.is_valid():
        answers = {earlier.EARLIER: form.cleaned_data["file"]}
        if act(request, _("Saved."), confirm_answers, campaign, answers):
            return redirect("rankme:campaign-paper", campaign.code)
    return _page(request, study, AnswersForm(asked=asked_of(study)), form)


def _page(
    request: HttpRequest, study: Study, form: AnswersForm, upload: EarlierForm
) -> HttpResponse:
    context = _context(study, form) | {"upload": upload}
    status = 422 if form.is_bound or upload.is_bound else 200
    return render_campaign(
        request,
        study.campaign,
        "report/paper.html",
        context,
        tab="analysis-runs",
        status=status,
    )


def asked_of(study: Study) -> list[heds.Answer]:
    """The questions that the record does not answer, and those that HEDS does not ask."""
    own = [
        heds.Answer(question, "", study.confirmed.get(question.number, ""))
        for question in (*methods.OWN_QUESTIONS, *data_set.QUESTIONS)
    ]
    return [each for each in heds.answers(study) if not each.is_known] + own


def _context(study: Study, form: AnswersForm) -> dict[str, Any]:
    answers = heds.answers(study)
    return {
        "form": form,
        "study": study,
        "heds": heds.state(answers),
        "known": [each for each in answers if each.is_known],
        "open_items": methods.open_items(study),
        "undecided": data_set.missing(study),
        "compared": list(earlier.tables(study)),
        "preregistered": registered_sha256(study.campaign),
    }


@campaign_page(SAFE, needs=Permission.FILES)
@with_files
def paper_file(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponseBase:
    """A file; one that cannot be made sends back to its page, which says why."""
    try:
        return attachment(paper_files.paper_file(campaign, name, by=user_of(request)))
    except RefusedAction as refusal:
        messages.error(request, str(refusal))
        page = "campaign-launch" if name in preregistration.FILES else "campaign-paper"
        return redirect(f"rankme:{page}", campaign.code)
