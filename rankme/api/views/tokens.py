"""Keys for scripts."""

from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.accounts.api_keys import obtain_key, revoke_key
from rankme.api.token_shapes import CredentialsSerializer, TokenSerializer
from rankme.api.view import View
from rankme.permissions import user_of


class TokenView(View):
    """The key with which a script comes in."""

    def get_authenticators(self) -> list[Any]:
        # A client that asks for a key has none: an old one in the header must not get in the way.
        asks = self.request is not None and self.request.method == "POST"
        return [] if asks else super().get_authenticators()

    def get_permissions(self) -> list[Any]:
        asks = self.request.method == "POST"
        return [AllowAny()] if asks else [*super().get_permissions()]

    @extend_schema(
        operation_id="token_obtain",
        summary="Get a key with a name and a password",
        request=CredentialsSerializer,
        responses=TokenSerializer,
        auth=[],
    )
    def post(self, request: Request) -> Response:
        given = self.read(CredentialsSerializer)
        address = request.META.get("REMOTE_ADDR", "")
        return Response({"token": obtain_key(**given, address=address)})

    @extend_schema(
        operation_id="token_revoke", summary="End my key", request=None, responses={204: None}
    )
    def delete(self, request: Request) -> Response:
        self.read_nothing()
        revoke_key(user_of(request))
        return Response(status=204)
