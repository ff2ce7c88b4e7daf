"""Authenticate scripts by a key whose hash is in the database, and bound what they ask for."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import TokenAuthentication
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from rankme.actions import rate_limits
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


class AccountThrottle(BaseThrottle):
    """Limits what one account asks for; strangers get keys under limits of their own."""

    def allow_request(self, request: Request, view: object) -> bool:
        account = request.user.pk
        return account is None or rate_limits.take(rate_limits.CALLS, account)

    def wait(self) -> float:
        return 1.0
