"""The form of a key for scripts."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from rankme.actions.accounts.api_keys import MOST_CALLS, MOST_DAYS, KeyPlan
from rankme.models import Campaign, Role


class KeyForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        help_text=_("What the key is for, such as “notebook of the pilot”."),
        max_length=100,
    )
    role = forms.ChoiceField(
        label=_("Role"),
        choices=Role.choices,
        initial=Role.AUDITOR,
        help_text=_(
            "What a script with the key may do. In each campaign, it may never do more than you. "
            "Auditors read everything and change nothing; owners also make new campaigns."
        ),
    )
    campaigns = forms.ModelMultipleChoiceField(
        Campaign.objects.none(),
        label=_("Campaigns"),
        help_text=_("Tick none for all campaigns, also those to come."),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(
        label=_("Days until it ends"),
        initial=90,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_DAYS)],
    )
    calls_per_minute = forms.IntegerField(
        label=_("Calls per minute"),
        help_text=_("More are refused with status 429."),
        initial=600,
        validators=[MinValueValidator(1), MaxValueValidator(MOST_CALLS)],
    )

    def __init__(self, *args: Any, campaigns: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["campaigns"]
        assert isinstance(field, forms.ModelMultipleChoiceField)
        field.queryset = campaigns
        if not campaigns.exists():
            del self.fields["campaigns"]

    def plan(self) -> KeyPlan:
        given = self.cleaned_data
        return KeyPlan(
            name=given["name"],
            role=given["role"],
            campaigns=tuple(given.get("campaigns") or ()),
            days=given["days"],
            calls_per_minute=given["calls_per_minute"],
        )
