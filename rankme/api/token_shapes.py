"""Request and response serializers of API keys."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from rankme.actions.accounts.passwords import LONGEST_PASSWORD

from .view import Strict


class CredentialsSerializer(Strict):
    username = serializers.CharField(max_length=150)
    password = serializers.CharField(max_length=LONGEST_PASSWORD, trim_whitespace=False)
    reads_only = serializers.BooleanField(
        default=False, help_text="A key that can look and download, and changes nothing."
    )


class TokenSerializer(serializers.Serializer[Any]):
    token = serializers.CharField(help_text="Shown only once. The previous key no longer works.")
