"""Accounts at panels: add them, replace their tokens, ask what the panel offers."""

from __future__ import annotations

from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from rankme.actions.panel import accounts, filters, groups
from rankme.api import panel_shapes as shapes
from rankme.api.view import View, operation
from rankme.models import PanelAccount
from rankme.permissions import Permission, user_of


def own_account(request: Request, account: int) -> PanelAccount:
    """An account of one's own; others have none of its addresses."""
    return get_object_or_404(PanelAccount.objects.real(), pk=account, owner=user_of(request))


class AccountsView(View):
    @operation(
        "panel_accounts_list",
        "Your accounts at panels",
        needs=Permission.OWN,
        gives=shapes.AccountSerializer(many=True),
    )
    def get(self, request: Request) -> object:
        return PanelAccount.objects.real().filter(owner=user_of(request))

    @operation(
        "panel_accounts_create",
        "Add an account whose token the panel accepts",
        needs=Permission.OWN,
        takes=shapes.NewAccountSerializer,
        gives=shapes.AccountSerializer,
        status=201,
    )
    def post(self, request: Request) -> object:
        given = self.given
        return accounts.add_account(owner=user_of(request), **given)


class AccountView(View):
    @operation(
        "panel_accounts_read", "One account", needs=Permission.OWN, gives=shapes.AccountSerializer
    )
    def get(self, request: Request, account: int) -> object:
        return own_account(request, account)

    @operation(
        "panel_accounts_token",
        "Replace the token of an account",
        needs=Permission.OWN,
        takes=shapes.AccountTokenSerializer,
        gives=shapes.AccountSerializer,
    )
    def put(self, request: Request, account: int) -> object:
        mine = own_account(request, account)
        accounts.replace_token(mine, self.given["token"])
        return mine

    @operation(
        "panel_accounts_delete", "Remove an account that has no studies", needs=Permission.OWN
    )
    def delete(self, request: Request, account: int) -> None:
        mine = own_account(request, account)
        accounts.remove_account(mine)


class WebhooksView(View):
    @operation(
        "panel_accounts_webhooks",
        "Have the panel call this site when something changes",
        needs=Permission.OWN,
        gives=shapes.AccountSerializer,
    )
    def post(self, request: Request, account: int) -> object:
        mine = own_account(request, account)
        accounts.connect_webhooks(mine)
        mine.refresh_from_db()
        return mine


class FiltersView(View):
    @operation(
        "panel_accounts_filters",
        "The filters that the panel has; kept for an hour",
        needs=Permission.OWN,
        gives=shapes.FilterSerializer(many=True),
    )
    def get(self, request: Request, account: int) -> object:
        return filters.available_filters(own_account(request, account))


class EligibleView(View):
    @operation(
        "panel_accounts_eligible",
        "How many people of the panel pass these filters",
        needs=Permission.OWN,
        takes=shapes.EligibleSerializer,
        gives=shapes.CountSerializer,
    )
    def post(self, request: Request, account: int) -> object:
        mine = own_account(request, account)
        wanted = self.given["filters"]
        return {"count": filters.count_eligible(mine, wanted)}


class EarlierStudiesView(View):
    @operation(
        "panel_accounts_studies",
        "Studies whose raters can be kept out of another study, or let in alone",
        needs=Permission.OWN,
        gives=shapes.EarlierStudySerializer(many=True),
    )
    def get(self, request: Request, account: int) -> object:
        return groups.earlier_studies(own_account(request, account))
