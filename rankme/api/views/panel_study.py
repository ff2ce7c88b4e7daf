"""A campaign's study at its panel: draft, cost, publish, and what it is doing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import ValidationError

from rankme.actions.panel import groups, studies, sync
from rankme.api.panel_shapes import (
    CeilingSerializer,
    ChangedStudySerializer,
    CostSerializer,
    NewStudySerializer,
    PlacesSerializer,
    StudySerializer,
    TransitionSerializer,
    plan_of,
)
from rankme.api.view import View
from rankme.models import PanelAccount, PanelStudy
from rankme.permissions import get_campaign, user_of
from rankme.queries.panel_books import newest_study

from .panel_accounts import own_account


def get_study(request: Request, code: str) -> PanelStudy:
    """The campaign's newest study, which is the one at work if there is one."""
    study = newest_study(get_campaign(request, code))
    if study is None:
        raise Http404
    return study


def shown(study: PanelStudy, *, status: int = 200) -> Response:
    study.refresh_from_db()
    return Response(StudySerializer(study).data, status=status)


class StudyView(View):
    @extend_schema(
        operation_id="panel_study_read",
        summary="The newest study of a campaign, with its money and its submissions by state",
        responses=StudySerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        return shown(get_study(request, code))

    @extend_schema(
        operation_id="panel_study_create",
        summary="Draft a study at the panel; it costs nothing before it is published",
        request=NewStudySerializer,
        responses={201: StudySerializer},
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        given = self.read(NewStudySerializer)
        try:
            account = own_account(request, given["account"])
        except Http404:
            raise ValidationError({"account": ["You have no such account."]}) from None
        plan = plan_of(given, _filters(account, given))
        study = studies.draft_study(campaign, account, plan, by=user_of(request))
        return shown(study, status=201)

    @extend_schema(
        operation_id="panel_study_change",
        summary="Change a draft, at the panel and here (its ceiling: only the account's owner)",
        request=ChangedStudySerializer,
        responses=StudySerializer,
    )
    def put(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        given = self.read(ChangedStudySerializer)
        plan = plan_of(given, _filters(study.account, given))
        return shown(studies.change_draft(study, plan, by=user_of(request)))

    @extend_schema(
        operation_id="panel_study_delete",
        summary="Delete a study that is not published, at the panel and here",
        request=None,
        responses={204: None},
    )
    def delete(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        self.read_nothing()
        studies.delete_study(study, by=user_of(request))
        return Response(status=204)


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
    @extend_schema(
        operation_id="panel_study_cost",
        summary="What the study costs, what is in the wallet, and what an hour of work earns",
        responses=CostSerializer,
    )
    def get(self, request: Request, code: str) -> Response:
        return Response(CostSerializer(studies.cost_of(get_study(request, code))).data)


class TransitionView(View):
    @extend_schema(
        operation_id="panel_study_transition",
        summary="Publish, pause, resume or stop the study; to publish it costs money",
        request=TransitionSerializer,
        responses=StudySerializer,
    )
    def post(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        turns: dict[str, Callable[..., PanelStudy]] = {
            "publish": studies.publish_study,
            "pause": studies.pause_study,
            "resume": studies.resume_study,
            "stop": studies.stop_study,
        }
        turn = turns[self.read(TransitionSerializer)["action"]]
        return shown(turn(study, by=user_of(request)))


class PlacesView(View):
    @extend_schema(
        operation_id="panel_study_places",
        summary="Offer more places; their number can only grow",
        request=PlacesSerializer,
        responses=StudySerializer,
    )
    def post(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        more = self.read(PlacesSerializer)["more"]
        return shown(studies.add_places(study, more, by=user_of(request)))


class CeilingView(View):
    @extend_schema(
        operation_id="panel_study_ceiling",
        summary="Change what the study may cost at most (only the account's owner can)",
        request=CeilingSerializer,
        responses=StudySerializer,
    )
    def put(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        ceiling = self.read(CeilingSerializer)["ceiling"]
        studies.change_ceiling(study, ceiling, by=user_of(request))
        return shown(study)


class RefreshView(View):
    @extend_schema(
        operation_id="panel_study_refresh",
        summary="Ask the panel at once; a worker then pays what the rules say",
        request=None,
        responses=StudySerializer,
    )
    def post(self, request: Request, code: str) -> Response:
        study = get_study(request, code)
        self.read_nothing()
        sync.refresh(study)
        return shown(study)
