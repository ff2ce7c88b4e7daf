"""Both sides' books, and what an organiser decides about each person."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
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
from rankme.models import Campaign, PanelPayment, PanelSubmission
from rankme.pages.campaign.campaign_page import act, refusals_as_messages, render_campaign
from rankme.permissions import user_of
from rankme.queries.panel_books import Entry, books_of, newest_study
from rankme.queries.panel_people import LISTS, facts_of, may_see_people, people_of

from . import decisions
from .decisions import read_form, whole_number
from .drafts import TAB
from .study import panel_page

Action = tuple[Callable[[], object], str]
PEOPLE_ON_A_PAGE = 100


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@panel_page
def show(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Compare the site's books with the panel's, with decisions about many people at once."""
    study = newest_study(campaign)
    if study is None or not study.is_published:
        return redirect("rankme:campaign-panel", campaign.code)
    if request.method == "POST":
        return decisions.decide(request, campaign, study)
    lists = people_of(study, books_of(study))
    chosen = request.GET.get("list", "")
    if chosen not in lists:
        chosen = "waiting" if lists["waiting"] else "all"
    people = Paginator(lists[chosen], PEOPLE_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "study": study,
        "lists": [
            (name, title, len(lists[name]))
            for name, (title, _choice) in LISTS.items()
            if lists[name] or name == chosen
        ],
        "chosen": chosen,
        "chosen_title": LISTS[chosen][0],
        "people": people,
        "ticked": request.GET.get("ticked") == str(people.number),
        "hourly": HourlyBonusForm(),
        "file": BonusFileForm(),
        # Other buttons of the same form need neither of them.
        "bonus": BonusForm(auto_id="many-%s", use_required_attribute=False),
        "share": ShareForm(auto_id="many-%s", use_required_attribute=False),
        "sees_people": may_see_people(study, user_of(request)),
    }
    return render_campaign(request, campaign, "organiser/panel/books.html", context, tab=TAB)


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
        "facts": facts_of(campaign, [entry.rater.pk])[entry.rater.pk] if entry.rater else None,
        "sees_people": may_see_people(person.study, user_of(request)),
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
    return render_campaign(request, campaign, "organiser/panel/person.html", context, tab=TAB)


def _decide(request: HttpRequest, person: PanelSubmission) -> None:
    decisions = _decisions(request, person)
    name = request.POST.get("action", "")
    if name not in decisions:
        messages.error(request, _("Press one of the buttons."))
    elif act(request, *decisions[name]):
        sync.let_a_worker_visit(person.study)


def _decisions(request: HttpRequest, person: PanelSubmission) -> dict[str, Action]:
    by = user_of(request)

    def message() -> None:
        talking.send_message(person, read_form(MessageForm(request.POST))["body"], by=by)

    def return_() -> None:
        talking.request_return(person, read_form(ReturnForm(request.POST))["reason"], by=by)

    def reject() -> None:
        sent = read_form(RejectForm(request.POST, prefix="reject"))
        rejecting.reject(person, sent["category"], sent["message"], by=by)

    def lost(was_paid: bool) -> None:
        payment = PanelPayment.objects.filter(
            submission=person, pk=whole_number(request.POST.get("payment", ""))
        ).first()
        if payment is None:
            raise RefusedAction(_("There is no such payment."))
        money.decide_lost(payment, was_paid=was_paid, by=by)

    soon = _("This will be paid within a minute.")
    return {
        "approve": (lambda: money.approve_by_hand(person, by=by), soon),
        "message": (message, _("The message is sent.")),
        "return": (return_, _("The rater is asked to return the submission.")),
        "reject": (reject, _("The submission is rejected.")),
        "was-paid": (lambda: lost(True), _("The payment is recorded as paid.")),
        "was-not-paid": (lambda: lost(False), soon),
    }
