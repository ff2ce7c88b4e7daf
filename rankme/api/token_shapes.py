"""Request and response serializers of API keys."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.actions.accounts.api_keys import MOST_CALLS, MOST_DAYS
from rankme.actions.accounts.passwords import LONGEST_PASSWORD
from rankme.models import Role

from .view import Strict


class CredentialsSerializer(Strict):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=LONGEST_PASSWORD, trim_whitespace=False)
    role = serializers.ChoiceField(
        Role.values,
        default=Role.OWNER.value,
        help_text="What the key may do at most; `auditor` reads everything and changes nothing.",
    )
    days = serializers.IntegerField(
        min_value=1, max_value=MOST_DAYS, default=MOST_DAYS, help_text="After which it ends."
    )
    calls_per_minute = serializers.IntegerField(min_value=1, max_value=MOST_CALLS, default=600)


class TokenSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(
        help_text="Shown only once. The previous key that a password gave no longer works."
    )
