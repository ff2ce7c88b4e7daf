"""Authenticate scripts by a key whose hash is in the database, and bound what they ask for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import (
    BaseAuthentication,
    TokenAuthentication,
    get_authorization_header,
)
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from rankme.actions import rate_limits
from rankme.actions.accounts.api_keys import stored_key
from rankme.actions.accounts.second_factors import lacks_second_factor
from rankme.actions.shared_task.teams import member_of
from rankme.errors import RefusedAction
from rankme.models import ApiKey, Role, TeamMember

# How keys of before 2.0 begin that may only read.
READS_ONLY = "read-"


class HashedTokenAuthentication(TokenAuthentication):
    """`Authorization: Token …`. The database holds only the hash of a key."""

    def authenticate_credentials(self, key: str) -> tuple[User, ApiKey]:
        found = ApiKey.objects.select_related("owner").filter(hash=stored_key(key)).first()
        if found is None or not found.owner.is_active:
            raise AuthenticationFailed("There is no such key. Make one on your page “Keys”.")
        if found.revoked_at is not None:
            raise AuthenticationFailed(
                f"This key was revoked on {found.revoked_at:%Y-%m-%d}. Make another one on your "
                "page “Keys”."
            )
        if found.ends_at <= timezone.now():
            raise AuthenticationFailed(
                f"This key ended on {found.ends_at:%Y-%m-%d}. Make another one on your page “Keys”."
            )
        if lacks_second_factor(found.owner):
            raise AuthenticationFailed("The account of this key needs a second factor: log in.")
        if key.startswith(READS_ONLY):
            found.role = Role.AUDITOR
        return found.owner, found


class HashedTokenScheme(OpenApiAuthenticationExtension):
    target_class = HashedTokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "apiKey",
            "in": "header",
            "name": "Authorization",
            "description": "`Token` and a key, from your page *Keys* or `POST /api/v1/token/`.",
        }


class TeamAuthentication(BaseAuthentication):
    """`Authorization: Bearer …` with the secret of a member's link, or the whole link."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, TeamMember] | None:
        words = get_authorization_header(request).decode("latin-1").split()
        if not words or words[0].casefold() != "bearer":
            return None
        secret = words[-1].rstrip("/").rpartition("/")[2]
        try:
            return AnonymousUser(), member_of(secret)
        except RefusedAction as refusal:
            raise AuthenticationFailed(str(refusal)) from refusal

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class TeamScheme(OpenApiAuthenticationExtension):
    target_class = TeamAuthentication
    name = "team"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "`Bearer` and the last part of your own link of a team.",
        }


class IsTeamMember(BasePermission):
    """Lets in members of teams, who send a secret and have no account."""

    def has_permission(self, request: Request, view: object) -> bool:
        return isinstance(request.auth, TeamMember)


class AccountThrottle(BaseThrottle):
    """Limits what one key, one account with all its keys, or one member of a team asks for."""

    seconds = 1.0

    def allow_request(self, request: Request, view: object) -> bool:
        account, key = request.user.pk, request.auth
        if isinstance(key, TeamMember):
            return rate_limits.take(rate_limits.CALLS, "member", key.pk)
        if isinstance(key, ApiKey):
            between = timedelta(minutes=1) / key.calls_per_minute
            limit = rate_limits.Limit("calls of a key", key.calls_per_minute, between)
            self.seconds = max(1.0, between.total_seconds())
            if not rate_limits.take(limit, key.pk):
                return False
        return account is None or rate_limits.take(rate_limits.CALLS, account)

    def wait(self) -> float:
        return self.seconds
