"""Both sides' books, and what an organiser decides about each person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from rankme.actions.panel import deciding, money, rejecting, sync, talking
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
from rankme.models import Campaign, PanelSubmission
from rankme.pages.campaign.campaign_page import (
    FORM,
    campaign_page,
    refusals_as_messages,
    render_campaign,
)
from rankme.permissions import Permission, user_of
from rankme.queries.panel_books import Entry, books_of, newest_study
from rankme.queries.panel_people import LISTS, facts_of, people_of
from rankme.untrusted.whole_numbers import number_in

from . import decisions
from .decisions import read_form, sees_people
from .drafts import TAB
from .study import panel_page

if TYPE_CHECKING:
    from django_stubs_ext import StrPromise

PEOPLE_ON_A_PAGE = 100


@campaign_page(FORM, needs=Permission.IDENTITIES, to_send=Permission.EDIT)
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
        "sees_people": sees_people(request, study),
    }
    return render_campaign(request, campaign, "organiser/panel/books.html", context, tab=TAB)


@campaign_page(FORM, needs=Permission.IDENTITIES, to_send=Permission.EDIT)
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
        "sees_people": sees_people(request, person.study),
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


SOON = gettext_lazy("This will be paid within a minute.")
# What the page's buttons decide: the form with its prefix, and what is said afterwards.
BUTTONS: dict[str, tuple[type[forms.Form], str | None, StrPromise]] = {
    "approve": (forms.Form, None, SOON),
    "message": (MessageForm, None, gettext_lazy("The message is sent.")),
    "return": (ReturnForm, None, gettext_lazy("The rater is asked to return the submission.")),
    "reject": (RejectForm, "reject", gettext_lazy("The submission is rejected.")),
}
LOST = {
    "was-paid": gettext_lazy("The payment is recorded as paid."),
    "was-not-paid": SOON,
}


def _decide(request: HttpRequest, person: PanelSubmission) -> None:
    name, by = request.POST.get("action", ""), user_of(request)
    with refusals_as_messages(request):
        if name in LOST:
            number = number_in(request.POST.get("payment", ""))
            payment = person.payments.filter(pk=number).first()
            if payment is None:
                raise RefusedAction(_("There is no such payment."))
            money.decide_lost(payment, was_paid=name == "was-paid", by=by)
            sync.let_a_worker_visit(person.study)
            messages.success(request, LOST[name])
        elif name in BUTTONS:
            form, prefix, done = BUTTONS[name]
            given = read_form(form(request.POST, prefix=prefix))
            given.pop("sure", None)
            deciding.decide(name, person, by=by, **given)
            messages.success(request, done)
        else:
            raise RefusedAction(_("Press one of the buttons."))
