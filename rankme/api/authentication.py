"""Authenticate scripts by a key whose hash is in the database, and bound what they ask for."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import TokenAuthentication
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from rankme.actions import rate_limits
from rankme.actions.accounts.api_keys import READS_ONLY, stored_key


class HashedTokenAuthentication(TokenAuthentication):
    """`Authorization: Token …`. The database holds only the hash of a key."""

    def authenticate_credentials(self, key: str) -> Any:
        user, found = super().authenticate_credentials(stored_key(key))
        found.reads_only = key.startswith(READS_ONLY)
        return user, found


class WithinScope(BasePermission):
    """Refuses changes to a key that may only read."""

    message = "This key may only read. Get another without `reads_only`."

    def has_permission(self, request: Request, view: object) -> bool:
        return request.method in SAFE_METHODS or not getattr(request.auth, "reads_only", False)


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
