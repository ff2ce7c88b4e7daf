"""A campaign's study at its panel: draft, cost, publish, and what it is doing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404
from rest_framework.request import Request
from rest_framework.serializers import ValidationError

from rankme.actions.panel import groups, studies, sync
from rankme.api import panel_shapes as shapes
from rankme.api.view import View, action, operation
from rankme.models import PanelAccount, PanelStudy
from rankme.permissions import Permission, get_campaign, user_of
from rankme.queries.panel_books import newest_study

from .panel_accounts import own_account


def get_study(request: Request, code: str) -> PanelStudy:
    """The campaign's newest study, which is the one at work if there is one."""
    study = newest_study(get_campaign(request, code))
    if study is None:
        raise Http404
    return study


class StudyView(View):
    @operation(
        "panel_study_read",
        "The newest study of a campaign, with its money and its submissions by state",
        needs=Permission.IDENTITIES,
        gives=shapes.StudySerializer,
    )
    def get(self, request: Request, code: str) -> object:
        return get_study(request, code)

    @operation(
        "panel_study_create",
        "Draft a study at the panel; it costs nothing before it is published",
        needs=Permission.EDIT,
        takes=shapes.NewStudySerializer,
        gives=shapes.StudySerializer,
        status=201,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        given = self.given
        try:
            account = own_account(request, given["account"])
        except Http404:
            raise ValidationError({"account": ["You have no such account."]}) from None
        plan = studies.StudyPlan.of(given, _filters(account, given))
        return _again(studies.draft_study(campaign, account, plan, by=user_of(request)))

    @operation(
        "panel_study_change",
        "Change a draft, at the panel and here (its ceiling: only the account's owner)",
        needs=Permission.EDIT,
        takes=shapes.ChangedStudySerializer,
        gives=shapes.StudySerializer,
    )
    def put(self, request: Request, code: str) -> object:
        study = get_study(request, code)
        given = self.given
        plan = studies.StudyPlan.of(given, _filters(study.account, given))
        return _again(studies.change_draft(study, plan, by=user_of(request)))

    @operation(
        "panel_study_delete",
        "Delete a study that is not published, at the panel and here",
        needs=Permission.EDIT,
    )
    def delete(self, request: Request, code: str) -> None:
        study = get_study(request, code)
        studies.delete_study(study, by=user_of(request))


def _again(study: PanelStudy) -> PanelStudy:
    study.refresh_from_db()
    return study


def _filters(account: PanelAccount, given: dict[str, Any]) -> list[dict[str, Any]]:
    """The panel's filters, and those of the groups that are kept out or let in."""
    wanted = [dict(chosen) for chosen in given["filters"]]
    known = {study.key: study for study in groups.earlier_studies(account)}
    for name, filter_id in (("keep_out", studies.BLOCKLIST), ("let_in", studies.ALLOWLIST)):
        if unknown := [key for key in given[name] if key not in known]:
            raise ValidationError({name: [f"There is no published study {unknown[0]}."]})
        wanted += groups.group_filter(filter_id, [known[key] for key in given[name]])
    return wanted


class CostView(View):
    @operation(
        "panel_study_cost",
        "What the study costs, what is in the wallet, and what an hour of work earns",
        needs=Permission.IDENTITIES,
        gives=shapes.CostSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        return studies.cost_of(get_study(request, code))


class TransitionView(View):
    @operation(
        "panel_study_transition",
        "Publish, pause, resume or stop the study; to publish it costs money",
        needs=Permission.EDIT,
        takes=shapes.TransitionSerializer,
        gives=shapes.StudySerializer,
    )
    def post(self, request: Request, code: str) -> object:
        study = get_study(request, code)
        turns: dict[str, Callable[..., PanelStudy]] = {
            "publish": studies.publish_study,
            "pause": studies.pause_study,
            "resume": studies.resume_study,
            "stop": studies.stop_study,
        }
        turn = turns[self.given["action"]]
        return _again(turn(study, by=user_of(request)))


PlacesView = action(
    "panel_study_places",
    "Offer more places; their number can only grow",
    needs=Permission.EDIT,
    find=get_study,
    do=studies.add_places,
    takes=shapes.PlacesSerializer,
    gives=shapes.StudySerializer,
)


class CeilingView(View):
    @operation(
        "panel_study_ceiling",
        "Change what the study may cost at most (only the account's owner can)",
        needs=Permission.EDIT,
        takes=shapes.CeilingSerializer,
        gives=shapes.StudySerializer,
    )
    def put(self, request: Request, code: str) -> object:
        study = get_study(request, code)
        studies.change_ceiling(study, **self.given, by=user_of(request))
        return _again(study)


class RefreshView(View):
    @operation(
        "panel_study_refresh",
        "Ask the panel at once; a worker then pays what the rules say",
        needs=Permission.EDIT,
        gives=shapes.StudySerializer,
    )
    def post(self, request: Request, code: str) -> object:
        study = get_study(request, code)
        sync.refresh(study)
        return _again(study)
