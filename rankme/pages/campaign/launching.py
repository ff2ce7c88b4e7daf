"""The plan before the launch, the launch, and the links for raters."""

from __future__ import annotations

import csv
from dataclasses import asdict
from typing import Any

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.table_files import guarded
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.accounts.link_mails import ask_to_remind, forget_address, mail_link, to_remind
from rankme.actions.accounts.work_pages import make_work_page, revoke_work_page
from rankme.actions.audit import note_identities
from rankme.actions.campaign import campaigns, launches
from rankme.actions.campaign.invitation_mail import sends_mail
from rankme.actions.campaign.planned_work import fit_raters, planned_work
from rankme.designs.plan import DrawnPlan, Spread
from rankme.designs.registry import DESIGNS
from rankme.errors import RankmeError
from rankme.exporting.paper.preregistration import planned_raters, preregistration
from rankme.exporting.registered import document_sha256
from rankme.forms.organiser import HowManyRatersForm, InvitationForm, LinkMailForm
from rankme.links import entry_link, invitation_link, panel_link
from rankme.models import Campaign
from rankme.pages.rater.interface_language import language_warning
from rankme.pages.rater.terms import gate_of
from rankme.panel_links import PANELS
from rankme.permissions import Permission, may, user_of
from rankme.protocols.definition import GENERALITY
from rankme.protocols.looking import MODES
from rankme.queries.progress import size_of
from rankme.queries.reading import WORDS_PER_MINUTE
from rankme.queries.watching.looks import LEAST_RATERS_FOR
from rankme.queries.words import missing_texts

from .campaign_page import (
    FORM,
    POST,
    SAFE,
    act,
    campaign_page,
    refusals_as_messages,
    refusals_in,
    render_campaign,
    sent,
)
from .launch_checks import checks_context
from .planning import planner_context

INVITATIONS_ON_A_PAGE = 100


@campaign_page(FORM, needs=Permission.EDIT)
def launch(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The plan as a launch would store it; launching asks for a tick first."""
    if not campaign.is_draft:
        return redirect("rankme:campaign", campaign.code)
    if "raters" in request.POST:
        return _fit_raters(request, campaign)
    is_post = request.method == "POST"
    if is_post and request.POST.get("sure") and _accepts_losses(request, campaign):
        is_large = launches.is_large(campaign)
        done = _("The campaign is launched. The links below are active.")
        if is_large:
            done = _("The launch has started.")
        launched = act(request, done, launches.request_launch, campaign)
        if launched and not is_large:
            has_api = PANELS[campaigns.definition_of(campaign).crowd.panel].has_api
            next_page = "campaign-panel" if has_api else "campaign-links"
            return redirect(f"rankme:{next_page}", campaign.code)
        return redirect("rankme:campaign-launch", campaign.code)
    if (under_way := launches.launch_under_way(campaign)) is not None:
        context: dict[str, Any] = {"launch": under_way, "percent": round(100 * under_way.progress)}
        return render_campaign(
            request, campaign, "organiser/setup/launching.html", context, tab="campaign-launch"
        )
    context = _plan_context(campaign)
    context["not_sure"] = is_post
    if "refusal" not in context:
        context |= planner_context(
            request, campaign, context.get("work"), lost=context.get("share_lost") or 0.0
        )
    context["failed"] = launches.failed_launch(campaign)
    status = 422 if is_post else 200
    return render_campaign(
        request,
        campaign,
        "organiser/setup/launch.html",
        context,
        tab="campaign-launch",
        status=status,
    )


def _fit_raters(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = HowManyRatersForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Enter how many raters you have, as a whole number."))
    else:
        raters = form.cleaned_data["raters"]
        with refusals_as_messages(request):
            batches = fit_raters(campaign, raters, by=user_of(request))
            messages.success(
                request,
                ngettext(
                    "Each rater may now do %(count)s batch, so %(raters)s raters are enough.",
                    "Each rater may now do %(count)s batches, so %(raters)s raters are enough.",
                    batches,
                )
                % {"count": batches, "raters": raters},
            )
    return redirect("rankme:campaign-launch", campaign.code)


def _accepts_losses(request: HttpRequest, campaign: Campaign) -> bool:
    """Whether the rules lose few careful raters, or the organiser has ticked that they may."""
    rules = campaigns.definition_of(campaign).rules
    if request.POST.get("losses") or not (rules.exclude_if or rules.gate_if):
        return True
    return not _plan_context(campaign).get("loses_many")


def _plan_context(campaign: Campaign) -> dict[str, Any]:
    definition = campaigns.definition_of(campaign)
    design = DESIGNS[definition.design.kind]
    context: dict[str, Any] = {
        "definition": definition,
        "language_warning": language_warning(definition),
        "missing_texts": missing_texts(definition),
        "size": size_of(campaign),
        "design": _(design.title),
        "panel_title": _(PANELS[definition.crowd.panel].title),
        "design_help": _(design.help),
        "gate": gate_of(definition),
        "claims_about": _(GENERALITY[definition.generality]),
        "looks_mode": _(MODES[definition.looks.mode]),
        "has_suggestions": launches.has_suggestions(campaign, definition),
        "unassisted": 100 * definition.design.unassisted_share,
    } | checks_context(definition, definition.design.options.get("trials_per_batch") or 0)
    try:
        if launches.is_large(campaign):
            campaigns.refuse_without_code(definition)
            return context | {"is_large": True}
        work = planned_work(campaign)
    except RankmeError as refusal:
        return context | {"refusal": str(refusal)}
    names = dict(campaign.systems.values_list("id", "name"))
    balance = work.plan.balance
    counts = zip(work.drawn.systems, balance.system_counts, strict=True)
    return (
        context
        | checks_context(
            definition,
            balance.trials_per_batch.mean,
            n_outputs=work.plan.systems.shape[1],
            cost=work.estimate,
        )
        | {
            "work": work,
            "plan": work.plan,
            "balance": balance,
            "estimate": work.estimate,
            "reading": work.reading,
            "spreads": _spreads(work.plan, has_one_screen=len(definition.screens) == 1),
            "words_per_minute": WORDS_PER_MINUTE,
            "systems": [(names[pk], count) for pk, count in counts],
            "raters_form": HowManyRatersForm(),
            "looks_raters": planned_raters(balance.batches, definition)[1],
            "looks_need": LEAST_RATERS_FOR[definition.looks.mode],
            "preregistered": document_sha256(preregistration(campaign, asdict(balance))),
        }
    )


def _spreads(plan: DrawnPlan, *, has_one_screen: bool) -> list[tuple[str, Spread]]:
    rows = [
        (
            _("Screens per batch") if has_one_screen else _("Trials per batch"),
            plan.balance.trials_per_batch,
        ),
        (_("Outputs per system"), plan.balance.per_system),
        (_("Outputs per item"), plan.balance.per_item),
        (_("Raters per output"), plan.balance.per_output),
        (_("Screens per pair of systems"), plan.balance.per_pair),
    ]
    return [(title, spread) for title, spread in rows if spread is not None]


# --- Links --------------------------------------------------------------------------------------


@campaign_page(FORM, needs=Permission.IDENTITIES, to_send=Permission.EDIT)
def links(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The open link, the panel's link, and personal invitations."""
    form = InvitationForm(**sent(request))
    if form.is_valid():
        names = form.all_names()
        done = ngettext("%(count)s link created.", "%(count)s links created.", len(names))
        on_pages = {"on_pages": form.cleaned_data["on_pages"]}
        act(request, done % {"count": len(names)}, invite_raters, campaign, names, **on_pages)
        return redirect("rankme:campaign-links", campaign.code)
    return _show_links(request, campaign, form)


def _show_links(
    request: HttpRequest, campaign: Campaign, form: InvitationForm, *, work_page: str = ""
) -> HttpResponse:
    """`work_page` is a link that was just made, and is shown only now."""
    definition = campaigns.definition_of(campaign)
    entry = entry_link(request, campaign)
    invitations = Paginator(campaign.invitations.order_by("-id"), INVITATIONS_ON_A_PAGE)
    page: Page[Any] = invitations.get_page(request.GET.get("page"))
    if any(invitation.name for invitation in page):
        note_identities(campaign, "names of links", by=user_of(request))
    page.object_list = [
        (invitation, invitation_link(entry, invitation.token)) for invitation in page
    ]
    context = {
        "definition": definition,
        "form": form,
        "open_link": entry if definition.crowd.open_link else "",
        "panel_link": panel_link(entry, definition),
        "panel_title": _(PANELS[definition.crowd.panel].title),
        "page": page,
        "work_page": work_page,
        "mails": sends_mail() and may(request, Permission.EDIT),
    }
    return render_campaign(
        request, campaign, "organiser/campaign/links.html", context, tab="campaign-links"
    )


@campaign_page(POST, needs=Permission.EDIT)
def make_page_of_work(request: HttpRequest, campaign: Campaign, link: int) -> HttpResponse:
    """Make the lasting link of the person with this personal link, and show it once."""
    found = get_object_or_404(campaign.invitations, pk=link)
    with refusals_as_messages(request):
        secret = make_work_page(found, by=user_of(request))
        page = request.build_absolute_uri(reverse("rankme:my-work", args=[secret]))
        response = _show_links(request, campaign, InvitationForm(), work_page=page)
        response["Cache-Control"] = "no-store"
        return response
    return redirect("rankme:campaign-links", campaign.code)


@campaign_page(POST, needs=Permission.EDIT)
def revoke_page_of_work(request: HttpRequest, campaign: Campaign, link: int) -> HttpResponse:
    found = get_object_or_404(campaign.invitations, pk=link)
    act(request, _("The page no longer opens. The personal links go on."), revoke_work_page, found)
    return redirect("rankme:campaign-links", campaign.code)


@campaign_page(FORM, needs=Permission.EDIT)
def send_link(request: HttpRequest, campaign: Campaign, link: int) -> HttpResponse:
    """Send a personal link to an address, which no page shows again."""
    found = get_object_or_404(campaign.invitations.select_related("campaign"), pk=link)
    # Who corrects an address means to keep it, as before.
    form = LinkMailForm(**sent(request), initial={"keep": bool(found.mail)})
    if form.is_valid():
        address, keep = form.cleaned_data["mail"], form.cleaned_data["keep"]
        with refusals_in(form):
            mail_link(found, address, keep=keep, by=user_of(request))
            messages.success(request, _("The link was sent to %(mail)s.") % {"mail": address})
            return redirect("rankme:campaign-links", campaign.code)
    context = {"form": form, "link": found}
    page = "organiser/links/send.html"
    return render_campaign(request, campaign, page, context, tab="campaign-links")


@campaign_page(POST, needs=Permission.EDIT)
def forget_mail(request: HttpRequest, campaign: Campaign, link: int) -> HttpResponse:
    found = get_object_or_404(campaign.invitations.select_related("campaign"), pk=link)
    done = _("The address is forgotten. The link goes on, without reminders.")
    act(request, done, forget_address, found)
    return redirect("rankme:campaign-links", campaign.code)


@campaign_page(FORM, needs=Permission.EDIT)
def remind(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """Say how many people get a mail before it is sent."""
    if request.method == "POST":
        with refusals_as_messages(request):
            number = ask_to_remind(campaign, by=user_of(request))
            done = ngettext(
                "%(count)s reminder is being sent.", "%(count)s reminders are being sent.", number
            )
            messages.success(request, done % {"count": number})
        return redirect("rankme:campaign-links", campaign.code)
    context = {"number": len(to_remind(campaign)) if sends_mail() else 0}
    page = "organiser/links/remind.html"
    return render_campaign(request, campaign, page, context, tab="campaign-links")


@campaign_page(SAFE, needs=Permission.IDENTITIES)
def download_invitations(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    note_identities(campaign, "file of links", by=user_of(request))
    entry = entry_link(request, campaign)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="links-{campaign.code}.csv"'
    rows = csv.writer(response)
    rows.writerow(["name", "link"])
    for invitation in campaign.invitations.order_by("id"):
        rows.writerow([guarded(invitation.name), invitation_link(entry, invitation.token)])
    return response
