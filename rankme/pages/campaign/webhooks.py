"""The page of a campaign's webhooks, for its owner."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _

from rankme.actions.webhooks import hooks
from rankme.forms.webhooks import WebhookForm
from rankme.models import Campaign, Webhook, WebhookDelivery
from rankme.permissions import Permission, user_of

from .campaign_page import FORM, POST, act, campaign_page, refusals_in, render_campaign, sent

MESSAGES_SHOWN = 20


@campaign_page(FORM, needs=Permission.OWN)
def list_webhooks(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    """The addresses with their last messages, and the form for another one."""
    form = WebhookForm(**sent(request))
    secret = ""
    if form.is_valid():
        given = form.cleaned_data
        with refusals_in(form):
            made = hooks.add_webhook(campaign, given["url"], given["kinds"], by=user_of(request))
            # Shown once, so there is no redirect.
            secret, form = made.secret, WebhookForm()
            messages.success(request, _("The webhook is added."))
    context = {
        "form": form,
        "secret": secret,
        "webhooks": [(hook, last_messages(hook)) for hook in campaign.webhooks.all()],
    }
    page = "organiser/campaign/webhooks.html"
    return render_campaign(request, campaign, page, context, tab="campaign-members")


def last_messages(webhook: Webhook) -> list[WebhookDelivery]:
    return list(webhook.deliveries.select_related("event")[:MESSAGES_SHOWN])


@campaign_page(FORM, needs=Permission.OWN)
def change_webhook(request: HttpRequest, campaign: Campaign, webhook: int) -> HttpResponse:
    """Another address, other events, or off; the button that was pressed says what."""
    hook = get_object_or_404(campaign.webhooks, pk=webhook)
    given = {"url": hook.url, "kinds": hook.kinds}
    form = WebhookForm(
        **(sent(request) if request.POST.get("do") == "save" else {"initial": given})
    )
    if request.method == "POST" and _done(request, hook, form):
        return redirect("rankme:campaign-webhooks", campaign.code)
    page = "organiser/campaign/webhook.html"
    context = {"form": form, "webhook": hook}
    return render_campaign(request, campaign, page, context, tab="campaign-members")


def _done(request: HttpRequest, hook: Webhook, form: WebhookForm) -> bool:
    do, told = request.POST.get("do"), {"url": hook.url, "kinds": hook.kinds}
    if do == "remove":
        return act(request, _("The webhook is removed."), hooks.remove_webhook, hook)
    if do == "switch":
        done = _("The webhook is switched off.") if hook.is_active else _("The webhook is on.")
        is_active = not hook.is_active
        return act(request, done, hooks.change_webhook, hook, **told, is_active=is_active)
    if form.is_bound and form.is_valid():
        with refusals_in(form):
            hooks.change_webhook(
                hook, **form.cleaned_data, is_active=hook.is_active, by=user_of(request)
            )
            messages.success(request, _("The webhook is changed."))
            return True
    return False


@campaign_page(POST, needs=Permission.OWN)
def send_again(
    request: HttpRequest, campaign: Campaign, webhook: int, delivery: int
) -> HttpResponse:
    found = get_object_or_404(
        WebhookDelivery.objects.select_related("webhook"),
        pk=delivery,
        webhook=webhook,
        webhook__campaign=campaign,
    )
    act(request, _("The message will be sent again within seconds."), hooks.send_again, found)
    return redirect("rankme:campaign-webhooks", campaign.code)
