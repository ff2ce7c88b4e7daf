"""Webhooks of a campaign: only its owner sees and changes them."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.webhooks import hooks
from rankme.api import webhook_shapes as shapes
from rankme.api.view import PageQuery, View, action, operation
from rankme.models import Webhook, WebhookDelivery
from rankme.permissions import Permission, get_campaign, user_of


class WebhooksView(View):
    @operation(
        "webhooks_list",
        "The addresses that are told what happens to a campaign",
        needs=Permission.OWN,
        gives=shapes.WebhookSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        return get_campaign(request, code).webhooks.all()

    @operation(
        "webhooks_create",
        "Tell an address what happens from now on; the answer has the secret of its signatures",
        needs=Permission.OWN,
        takes=shapes.NewWebhookSerializer,
        gives=shapes.MadeWebhookSerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        made = hooks.add_webhook(campaign, **self.given, by=user_of(request))
        made.webhook.refresh_from_db()
        return made


class WebhookView(View):
    @operation("webhooks_read", "One webhook", needs=Permission.OWN, gives=shapes.WebhookSerializer)
    def get(self, request: Request, code: str, webhook: int) -> object:
        return get_webhook(request, code, webhook)

    @operation(
        "webhooks_change",
        "Change its address and what it is told, or switch it off",
        needs=Permission.OWN,
        takes=shapes.ChangedWebhookSerializer,
        gives=shapes.WebhookSerializer,
    )
    def put(self, request: Request, code: str, webhook: int) -> object:
        found = get_webhook(request, code, webhook)
        return hooks.change_webhook(found, **self.given, by=user_of(request))

    @operation("webhooks_delete", "Remove a webhook with its messages", needs=Permission.OWN)
    def delete(self, request: Request, code: str, webhook: int) -> None:
        hooks.remove_webhook(get_webhook(request, code, webhook), by=user_of(request))


class DeliveriesView(View):
    @operation(
        "webhooks_deliveries",
        "The messages to an address, the newest first",
        needs=Permission.OWN,
        lists=shapes.DeliverySerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str, webhook: int) -> Response:
        messages = get_webhook(request, code, webhook).deliveries.select_related("event")
        return self.paged(messages, shapes.DeliverySerializer, newest_first=True)


def get_webhook(request: Request, code: str, webhook: int) -> Webhook:
    return get_object_or_404(get_campaign(request, code).webhooks, pk=webhook)


def get_delivery(request: Request, code: str, webhook: int, delivery: int) -> WebhookDelivery:
    messages = get_webhook(request, code, webhook).deliveries
    return get_object_or_404(messages.select_related("event", "webhook"), pk=delivery)


SendAgainView = action(
    "webhooks_send_again",
    "Send a message once more; a receiver knows it by its event",
    needs=Permission.OWN,
    find=get_delivery,
    do=hooks.send_again,
    gives=shapes.DeliverySerializer,
)
