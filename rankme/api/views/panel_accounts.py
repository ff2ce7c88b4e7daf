"""Accounts at panels: add them, replace their tokens, ask what the panel offers."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.panel import accounts, filters, groups
from rankme.api.panel_shapes import (
    AccountSerializer,
    AccountTokenSerializer,
    CountSerializer,
    EarlierStudySerializer,
    EligibleSerializer,
    FilterSerializer,
    NewAccountSerializer,
)
from rankme.api.view import View
from rankme.models import PanelAccount
from rankme.permissions import user_of


def own_account(request: Request, account: int) -> PanelAccount:
    """An account of one's own; others have none of its addresses."""
    return get_object_or_404(PanelAccount.objects.real(), pk=account, owner=user_of(request))


class AccountsView(View):
    @extend_schema(
        operation_id="panel_accounts_list",
        summary="Your accounts at panels",
        responses=AccountSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        found = PanelAccount.objects.real().filter(owner=user_of(request))
        return Response(AccountSerializer(found, many=True).data)

    @extend_schema(
        operation_id="panel_accounts_create",
        summary="Add an account whose token the panel accepts",
        request=NewAccountSerializer,
        responses={201: AccountSerializer},
    )
    def post(self, request: Request) -> Response:
        given = self.read(NewAccountSerializer)
        account = accounts.add_account(owner=user_of(request), **given)
        return Response(AccountSerializer(account).data, status=201)


class AccountView(View):
    @extend_schema(
        operation_id="panel_accounts_read", summary="One account", responses=AccountSerializer
    )
    def get(self, request: Request, account: int) -> Response:
        return Response(AccountSerializer(own_account(request, account)).data)

    @extend_schema(
        operation_id="panel_accounts_token",
        summary="Replace the token of an account",
        request=AccountTokenSerializer,
        responses=AccountSerializer,
    )
    def put(self, request: Request, account: int) -> Response:
        mine = own_account(request, account)
        accounts.replace_token(mine, self.read(AccountTokenSerializer)["token"])
        return Response(AccountSerializer(mine).data)

    @extend_schema(
        operation_id="panel_accounts_delete",
        summary="Remove an account that has no studies",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, account: int) -> Response:
        mine = own_account(request, account)
        self.read_nothing()
        accounts.remove_account(mine)
        return Response(status=204)


class WebhooksView(View):
    @extend_schema(
        operation_id="panel_accounts_webhooks",
        summary="Have the panel call this site when something changes",
        request=None,
        responses=AccountSerializer,
    )
    def post(self, request: Request, account: int) -> Response:
        mine = own_account(request, account)
        self.read_nothing()
        accounts.connect_webhooks(mine)
        mine.refresh_from_db()
        return Response(AccountSerializer(mine).data)


class FiltersView(View):
    @extend_schema(
        operation_id="panel_accounts_filters",
        summary="The filters that the panel has; kept for an hour",
        responses=FilterSerializer(many=True),
    )
    def get(self, request: Request, account: int) -> Response:
        found = filters.available_filters(own_account(request, account))
        return Response(FilterSerializer(found, many=True).data)


class EligibleView(View):
    @extend_schema(
        operation_id="panel_accounts_eligible",
        summary="How many people of the panel pass these filters",
        request=EligibleSerializer,
        responses=CountSerializer,
    )
    def post(self, request: Request, account: int) -> Response:
        mine = own_account(request, account)
        wanted = self.read(EligibleSerializer)["filters"]
        return Response({"count": filters.count_eligible(mine, wanted)})


class EarlierStudiesView(View):
    @extend_schema(
        operation_id="panel_accounts_studies",
        summary="Studies whose raters can be kept out of another study, or let in alone",
        responses=EarlierStudySerializer(many=True),
    )
    def get(self, request: Request, account: int) -> Response:
        found = groups.earlier_studies(own_account(request, account))
        return Response(EarlierStudySerializer(found, many=True).data)
