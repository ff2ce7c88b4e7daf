"""Both sides' books, and what an organiser decides about each person."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from rankme.actions.panel import money, rejecting, sync, talking
from rankme.errors import RefusedAction
from rankme.forms.panel import (
    BonusFileForm,
    BonusForm,
    HourlyBonusForm,
    MessageForm,
    RejectForm,
    ReturnForm,
    ShareForm,
)
from rankme.models import Campaign, PanelPayment, PanelStudy, PanelSubmission
from rankme.permissions import user_of
from rankme.queries.panel_books import Entry, books_of, money_of, newest_study

from .campaign_page import act, refusals_as_messages, render_campaign
from .panel_draft import TAB
from .panel_study import panel_page

Action = tuple[Callable[[], object], str]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@panel_page
def show(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Who is done here, there, or on both sides; bonuses for many at once."""
    study = newest_study(campaign)
    if study is None or not study.is_published:
        return redirect("rankme:campaign-panel", campaign.code)
    hourly, file = HourlyBonusForm(), BonusFileForm()
    if request.method == "POST":
        done = _bonuses_for_many(request, study)
        if done:
            return redirect("rankme:campaign-panel-books", campaign.code)
    context = {
        "study": study,
        "books": books_of(study),
        "money": money_of(study),
        "hourly": hourly,
        "file": file,
    }
    status = 422 if request.method == "POST" else 200
    return render_campaign(
        request, campaign, "organiser/panel_books.html", context, tab=TAB, status=status
    )


def _bonuses_for_many(request: HttpRequest, study: PanelStudy) -> bool:
    by = user_of(request)

    def per_hour() -> None:
        sent = _read(HourlyBonusForm(request.POST))
        money.pay_bonus_per_hour(study, sent["per_hour"], reason=sent["reason"], by=by)

    def of_file() -> None:
        form = BonusFileForm(request.POST)
        sent = _read(form)
        money.pay_bonuses_of_lines(study, form.rows(), reason=sent["reason"], by=by)

    actions = {"hourly": per_hour, "file": of_file}
    name = request.POST.get("action", "")
    if name not in actions:
        messages.error(request, _("Press one of the buttons."))
        return False
    before = study.payments.count()
    if not act(request, actions[name], _("The bonuses are recorded.")):
        return False
    sync.let_a_worker_visit(study)
    count = study.payments.count() - before
    words = ngettext("%(count)s bonus will be paid.", "%(count)s bonuses will be paid.", count)
    return act(request, lambda: None, words % {"count": count})


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@panel_page
def show_person(request: HttpRequest, campaign: Campaign, person: PanelSubmission) -> HttpResponse:
    """One person in both books, with everything that can be decided about them."""
    if request.method == "POST":
        _decide(request, person)
        return redirect("rankme:campaign-panel-person", campaign.code, person.pk)
    entry = Entry(person.participant, person, tuple(person.payments.order_by("id")))
    context = {
        "study": person.study,
        "entry": entry,
        "bonus": BonusForm(),
        "share": ShareForm(),
        "message": MessageForm(),
        "return_form": ReturnForm(),
    }
    if "messages" in request.GET:
        with refusals_as_messages(request):
            context["letters"] = talking.messages_about(person)
    if entry.can_be_approved:
        draft = rejecting.draft_rejection(person)
        initial = {"category": draft.category, "message": draft.message}
        context |= {"draft": draft, "reject": RejectForm(initial=initial, prefix="reject")}
    return render_campaign(request, campaign, "organiser/panel_person.html", context, tab=TAB)


def _decide(request: HttpRequest, person: PanelSubmission) -> None:
    decisions = _decisions(request, person)
    name = request.POST.get("action", "")
    if name not in decisions:
        messages.error(request, _("Press one of the buttons."))
    elif act(request, *decisions[name]):
        sync.let_a_worker_visit(person.study)


def _decisions(request: HttpRequest, person: PanelSubmission) -> dict[str, Action]:
    by = user_of(request)

    def bonus() -> None:
        sent = _read(BonusForm(request.POST))
        money.pay_bonus(person, sent["amount"], reason=sent["reason"], by=by)

    def share() -> None:
        sent = _read(ShareForm(request.POST))
        money.pay_share(person, sent["percent"], reason=sent["reason"], by=by)

    def message() -> None:
        talking.send_message(person, _read(MessageForm(request.POST))["body"], by=by)

    def return_() -> None:
        talking.request_return(person, _read(ReturnForm(request.POST))["reason"], by=by)

    def reject() -> None:
        sent = _read(RejectForm(request.POST, prefix="reject"))
        rejecting.reject(person, sent["category"], sent["message"], by=by)

    def lost(was_paid: bool) -> None:
        payment = PanelPayment.objects.filter(
            submission=person, pk=_whole_number(request.POST.get("payment", ""))
        ).first()
        if payment is None:
            raise RefusedAction(_("There is no such payment."))
        money.decide_lost(payment, was_paid=was_paid, by=by)

    soon = _("This will be paid within a minute.")
    return {
        "approve": (lambda: money.approve_by_hand(person, by=by), soon),
        "bonus": (bonus, soon),
        "share": (share, soon),
        "message": (message, _("The message is sent.")),
        "return": (return_, _("The rater is asked to return the submission.")),
        "reject": (reject, _("The submission is rejected.")),
        "was-paid": (lambda: lost(True), _("The payment is recorded as paid.")),
        "was-not-paid": (lambda: lost(False), soon),
    }


def _whole_number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 15 else 0


def _read(form: forms.Form) -> dict[str, Any]:
    """What was sent; a refusal names what is wrong with it."""
    if form.is_valid():
        return form.cleaned_data
    problems = [
        f"{form.fields[name].label}: {' '.join(str(error) for error in errors)}"
        for name, errors in form.errors.items()
        if name in form.fields
    ]
    raise RefusedAction(" ".join(problems))
