"""The form of a webhook: its address, and what it is told."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from rankme.models import WebhookEvent
from rankme.webhook_calls.addresses import LONGEST_ADDRESS


class WebhookForm(forms.Form):
    url = forms.CharField(
        label=_("Address"),
        help_text=_("A public address that begins with https://"),
        max_length=LONGEST_ADDRESS,
    )
    kinds = forms.MultipleChoiceField(
        label=_("Tell it about"),
        choices=WebhookEvent.Kind.choices,
        initial=list(WebhookEvent.Kind.values),
        widget=forms.CheckboxSelectMultiple,
    )
