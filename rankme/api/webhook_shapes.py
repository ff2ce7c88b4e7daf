"""The shapes of webhooks and of the messages to them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.models import WebhookEvent
from rankme.webhook_calls.addresses import LONGEST_ADDRESS

from .view import Strict


class WebhookSerializer(serializers.Serializer[Any]):
    """An address that is told what happens to a campaign."""

    id = serializers.IntegerField()
    url = serializers.CharField()
    kinds = serializers.ListField(child=serializers.CharField(), help_text="What it is told.")
    is_active = serializers.BooleanField()
    created_at = serializers.DateTimeField()


class MadeWebhookSerializer(serializers.Serializer[Any]):
    webhook = WebhookSerializer()
    secret = serializers.CharField(
        help_text="Shown this once: `RankME-Signature` is `t=SECONDS,v1=HEX`, the HMAC-SHA-256 of "
        "`SECONDS.BODY` with it."
    )


class NewWebhookSerializer(Strict):
    url = serializers.CharField(max_length=LONGEST_ADDRESS)
    kinds = serializers.ListField(
        child=serializers.ChoiceField(WebhookEvent.Kind.choices),
        default=list,
        max_length=20,
        help_text="Without it, everything.",
    )


class ChangedWebhookSerializer(NewWebhookSerializer):
    is_active = serializers.BooleanField(default=True)


class DeliverySerializer(serializers.Serializer[Any]):
    """A message about an event, and what became of it."""

    id = serializers.IntegerField()
    event = serializers.UUIDField(source="event.uid", help_text="`id` in the message.")
    kind = serializers.CharField(source="event.kind")
    happened_at = serializers.DateTimeField(source="event.happened_at")
    state = serializers.CharField(help_text="`waiting`, `sent` or `failed` (given up).")
    attempts = serializers.IntegerField()
    tried_at = serializers.DateTimeField(allow_null=True)
    due_at = serializers.DateTimeField(help_text="Of the next try, while it waits.")
    status = serializers.IntegerField(help_text="Of the last answer; 0: there was none.")
    problem = serializers.CharField()
