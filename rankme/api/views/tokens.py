"""Keys for scripts."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.accounts.api_keys import KeyPlan, obtain_key, revoke_key
from rankme.api.token_shapes import CredentialsSerializer, TokenSerializer
from rankme.api.view import View, operation
from rankme.networks import network_of
from rankme.permissions import Permission, key_of


class TokenView(View):
    """The key with which a script comes in."""

    def get_authenticators(self) -> list[Any]:
        # A client that asks for a key has none: an old one in the header must not get in the way.
        asks = self.request is not None and self.request.method == "POST"
        return [] if asks else super().get_authenticators()

    def get_permissions(self) -> list[Any]:
        asks = self.request.method == "POST"
        return [AllowAny()] if asks else [*super().get_permissions()]

    @operation(
        "token_obtain",
        "Get a key with a name and a password",
        needs=None,
        takes=CredentialsSerializer,
        gives=TokenSerializer,
        auth=[],
    )
    def post(self, request: Request) -> Response:
        given = dict(self.given)
        name, password = given.pop("username"), given.pop("password")
        plan, address = KeyPlan(**given), network_of(request)
        return Response({"token": obtain_key(name, password, address=address, plan=plan)})

    @operation("token_revoke", "Revoke the key of this request", needs=Permission.SEE)
    def delete(self, request: Request) -> None:
        if key := key_of(request):
            revoke_key(key)
