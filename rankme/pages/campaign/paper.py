"""The page for the paper: files about a campaign, with what each still lacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from analysis.report.layout.latex import tabulars
from analysis.report.layout.table_model import as_csv
from rankme.actions.audit import note_seen
from rankme.actions.campaign.paper import confirm_answers
from rankme.actions.campaign.planned_work import preregistration_of
from rankme.actions.runs.report_files import require_files
from rankme.downloads import attachment
from rankme.errors import RefusedAction
from rankme.exporting.bundle import media_type_of
from rankme.exporting.files import CSV, ZIP, ExportedFile
from rankme.exporting.paper import data_set, earlier, heds, methods, preregistration
from rankme.exporting.paper.study import Study, study_of
from rankme.exporting.registered import registered_sha256
from rankme.forms.paper import AnswersForm, EarlierForm
from rankme.models import Campaign
from rankme.permissions import Permission, user_of

from .campaign_page import FORM, POST, SAFE, act, campaign_page, render_campaign, sent
from .reports import with_files

TEXTS: dict[str, tuple[str, Callable[[Study], str]]] = {
    "heds.json": ("application/json", heds.heds_json),
    "heds.tex": ("application/x-tex", heds.heds_latex),
    "methods.md": ("text/markdown; charset=utf-8", methods.as_markdown),
    "methods.tex": ("application/x-tex", methods.as_latex),
    "earlier.tex": ("application/x-tex", lambda study: tabulars(list(earlier.tables(study)))),
    "earlier.csv": (CSV, lambda study: "\n".join(map(as_csv, earlier.tables(study)))),
}


@campaign_page(FORM, needs=Permission.FILES, to_send=Permission.EDIT)
def show_paper(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The files with their states, and the questions that a person answers."""
    study = _seen_study(request, campaign)
    form = AnswersForm(**sent(request), asked=asked_of(study))
    if form.is_valid() and act(request, _("Saved."), confirm_answers, campaign, form.answers()):
        return redirect("rankme:campaign-paper", campaign.code)
    return _page(request, study, form, EarlierForm())


@campaign_page(POST, needs=Permission.EDIT)
def take_earlier(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Take the scores of an earlier study; reports of this one show both side by side."""
    study = _seen_study(request, campaign)
    form = EarlierForm(**sent(request))
    if form.is_valid():
        answers = {earlier.EARLIER: form.cleaned_data["file"]}
        if act(request, _("Saved."), confirm_answers, campaign, answers):
            return redirect("rankme:campaign-paper", campaign.code)
    return _page(request, study, AnswersForm(asked=asked_of(study)), form)


def _seen_study(request: HttpRequest, campaign: Campaign) -> Study:
    """The study, with a note that somebody reads what its analysis found."""
    study = study_of(campaign)
    if study.run is not None:
        note_seen(campaign, "texts for a paper", by=user_of(request))
    return study


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
    """A file; an open data set that cannot be made sends back to the page, which says why."""
    if name in preregistration.FILES:
        return _preregistration_file(request, campaign, name)
    study = _seen_study(request, campaign)
    if name == "data.zip":
        try:
            if study.run is not None:
                require_files(study.run)
            content, media_type = data_set.data_set(study), ZIP
        except RefusedAction as refusal:
            messages.error(request, str(refusal))
            return redirect("rankme:campaign-paper", campaign.code)
    elif name in TEXTS:
        media_type, write = TEXTS[name]
        content = write(study).encode()
    else:
        raise Http404
    return attachment(ExportedFile(f"{campaign.code}-{name}", media_type, content))


def _preregistration_file(request: HttpRequest, campaign: Campaign, name: str) -> HttpResponseBase:
    """The plan as the launch stores it; a draft without a plan sends back, and says why."""
    try:
        document = preregistration_of(campaign)
    except RefusedAction as refusal:
        messages.error(request, str(refusal))
        return redirect("rankme:campaign-launch", campaign.code)
    if document is None:
        raise Http404
    content = preregistration.FILES[name](document).encode()
    kind = media_type_of(name)
    return attachment(ExportedFile(f"{campaign.code}-{name}", kind, content))
