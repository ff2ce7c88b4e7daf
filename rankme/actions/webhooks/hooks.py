"""The addresses that a campaign tells: added, changed and removed by its owner."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import Campaign, Webhook, WebhookDelivery, WebhookEvent
from rankme.panel_calls.sealed import seal
from rankme.webhook_calls.addresses import check_address

from .events import record_events

MOST_WEBHOOKS = 10  # of a campaign


@dataclass(frozen=True)
class NewWebhook:
    """A webhook with its secret, which is shown this once."""

    webhook: Webhook
    secret: str


@transaction.atomic
def add_webhook(campaign: Campaign, url: str, kinds: Sequence[str] = (), *, by: User) -> NewWebhook:
    """Tell this address what happens from now on; without `kinds`, all of it.

    Raises
    ------
    RefusedAction : an address that is never called, an unknown kind, or too many webhooks
    """
    check_address(url)
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if campaign.webhooks.count() >= MOST_WEBHOOKS:
        raise RefusedAction(
            _("A campaign has at most %(most)s webhooks.") % {"most": MOST_WEBHOOKS}
        )
    # What has happened already is noted before anybody is told.
    record_events(campaign)
    secret = secrets.token_urlsafe(32)
    webhook = Webhook.objects.create(
        campaign=campaign, url=url, kinds=checked_kinds(kinds), sealed_secret=seal(secret)
    )
    note(campaign, by, gettext_noop("webhook added"), webhook=webhook.pk)
    return NewWebhook(webhook, secret)


@transaction.atomic
def change_webhook(
    webhook: Webhook, *, url: str, kinds: Sequence[str], is_active: bool, by: User
) -> Webhook:
    """Change where and what is told. A webhook that rests misses what happens meanwhile."""
    check_address(url)
    webhook.url, webhook.kinds, webhook.is_active = url, checked_kinds(kinds), is_active
    webhook.save(update_fields=["url", "kinds", "is_active"])
    note(webhook.campaign, by, gettext_noop("webhook changed"), webhook=webhook.pk)
    return webhook


@transaction.atomic
def remove_webhook(webhook: Webhook, *, by: User) -> None:
    note(webhook.campaign, by, gettext_noop("webhook removed"), webhook=webhook.pk)
    webhook.delete()


def send_again(delivery: WebhookDelivery, *, by: User) -> None:
    """Send a message once more, with a full number of tries; one that waits is sent now."""
    if not delivery.webhook.is_active:
        raise RefusedAction(_("This webhook is switched off."))
    delivery.state, delivery.attempts, delivery.problem = WebhookDelivery.State.WAITING, 0, ""
    delivery.due_at = Now()
    delivery.save(update_fields=["state", "attempts", "problem", "due_at"])


def checked_kinds(kinds: Sequence[str]) -> list[str]:
    known = list(WebhookEvent.Kind.values)
    if unknown := [kind for kind in kinds if kind not in known]:
        raise RefusedAction(_("There is no event “%(kind)s”.") % {"kind": unknown[0][:40]})
    return [kind for kind in known if not kinds or kind in kinds]
