"""Authenticate scripts by a key whose hash is in the database."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import TokenAuthentication

from rankme.actions.accounts.api_keys import stored_key


class HashedTokenAuthentication(TokenAuthentication):
    """`Authorization: Token …`. The database holds only the hash of a key."""

    def authenticate_credentials(self, key: str) -> Any:
        return super().authenticate_credentials(stored_key(key))


class HashedTokenScheme(OpenApiAuthenticationExtension):
    target_class = HashedTokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token` and the key that `POST /api/v1/token/` gave.",
        }
