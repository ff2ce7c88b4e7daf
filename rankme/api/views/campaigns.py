"""Campaigns: create, read, launch, pause, resume and close them, and see their progress."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework.request import Request
from rest_framework.response import Response

from analysis.errors import OptionsError
from rankme.actions.campaign import campaigns, launches
from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.actions.campaign.planned_work import batches_of_each, fit_raters, planned_work
from rankme.actions.campaign.planner import planned_of, planner_defaults
from rankme.actions.campaign.request_keys import create_once
from rankme.actions.imports.judgement_imports import start_archive
from rankme.api import campaign_shapes as shapes
from rankme.api.parsers import CampaignFileParser, StrictJSONParser
from rankme.api.view import View, action, operation
from rankme.api.views.drafts import DEFINITION_SENT, given_definition, yaml_answer
from rankme.api.views.links import addresses_of
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.permissions import Permission, get_campaign, may, open_campaigns, user_of
from rankme.protocols.definition import Definition
from rankme.protocols.files import (
    definition_from_document,
    definition_from_yaml,
    definition_to_yaml,
    preset,
    preset_names,
)
from rankme.queries import coverage
from rankme.queries.progress import pace_of, progress_of

# The parts of a definition that can name systems: columns of tables, and what is compared.
NAMING = ("material", "analysis")
YAML = OpenApiResponse(OpenApiTypes.STR, description="The campaign file.")


class PresetsView(View):
    @operation(
        "presets_list",
        "The campaign files that come with the site",
        needs=Permission.SEE,
        gives=shapes.PresetSerializer(many=True),
    )
    def get(self, request: Request) -> Response:
        found = [(name, preset(name)) for name in preset_names()]
        return Response(
            [
                {"name": name, "title": file.title, "description": file.description}
                for name, file in found
            ]
        )


class PresetFileView(View):
    @operation(
        "presets_file",
        "A campaign file that comes with the site, in YAML",
        needs=Permission.SEE,
        responses={(200, "application/yaml"): YAML},
    )
    def get(self, request: Request, name: str) -> HttpResponse:
        if name not in preset_names():
            raise Http404
        return yaml_answer(definition_to_yaml(preset(name)))


class CampaignsView(View):
    parser_classes = [StrictJSONParser, CampaignFileParser]

    @operation(
        "campaigns_list",
        "The campaigns that you own or are a member of, newest first",
        needs=Permission.SEE,
        lists=shapes.CampaignSerializer,
        query=shapes.CampaignQuery,
    )
    def get(self, request: Request) -> Response:
        found = Campaign.objects.filter(pk__in=open_campaigns(request).values("pk")).select_related(
            "owner"
        )
        if "state" in self.query:
            found = found.filter(state=self.query["state"])
        if self.query["owned"]:
            found = found.filter(owner=user_of(request))
        return self.paged(found.defer("definition"), shapes.CampaignSerializer, newest_first=True)

    @operation(
        "campaigns_create",
        "Create a draft from a preset, a definition, another campaign or a file in YAML",
        needs=Permission.EDIT,
        request={
            "application/json": shapes.NewCampaignSerializer,
            "application/yaml": OpenApiTypes.STR,
        },
        gives=shapes.CampaignDetailSerializer,
        status=201,
        parameters=[
            OpenApiParameter(
                "Idempotency-Key",
                str,
                OpenApiParameter.HEADER,
                description="Chosen by you. The same request with the same key gives the campaign "
                "that the first one made.",
            )
        ],
    )
    def post(self, request: Request) -> object:
        key = request.headers.get("Idempotency-Key")
        if key is None:
            return self._made(request)
        make = partial(self._made, request)
        return create_once(user_of(request), key, request.data, make)

    def _made(self, request: Request) -> Campaign:
        if isinstance(request.data, str):
            return campaigns.create_campaign(user_of(request), definition_from_yaml(request.data))
        given = self.read(shapes.NewCampaignSerializer)
        if given.get("archive"):
            return start_archive(user_of(request), title=given["title"])
        if "copy_of" in given:
            return duplicate_campaign(
                get_campaign(request, given["copy_of"]),
                by=user_of(request),
                title=given.get("title", ""),
                with_material=given.get("material", False),
            )
        return campaigns.create_campaign(user_of(request), _definition(given))


def _definition(given: dict[str, Any]) -> Definition:
    if "definition" in given:
        return definition_from_document(given["definition"])
    file = preset(given["preset"], given.get("language", ""))
    return file.model_copy(update={"title": given["title"]}) if "title" in given else file


class CampaignView(View):
    parser_classes = [StrictJSONParser, CampaignFileParser]

    @operation(
        "campaigns_read",
        "One campaign with its definition",
        needs=Permission.SEE,
        gives=shapes.CampaignDetailSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        return _with_tag(request, get_campaign(request, code))

    @operation(
        "campaigns_change",
        "Replace the definition of a draft. With If-Match, only if it still has that ETag",
        needs=Permission.EDIT,
        request=DEFINITION_SENT,
        gives=shapes.CampaignDetailSerializer,
        parameters=[
            OpenApiParameter("If-Match", str, OpenApiParameter.HEADER, description="An ETag.")
        ],
    )
    def put(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        definition = given_definition(self)
        base = request.headers.get("If-Match", "").strip().strip('"') or None
        changed = campaigns.change_definition(campaign, definition, by=user_of(request), base=base)
        return _with_tag(request, changed)

    @operation("campaigns_delete", "Delete a draft (only its owner can)", needs=Permission.OWN)
    def delete(self, request: Request, code: str) -> None:
        campaign = get_campaign(request, code)
        campaigns.delete_draft(campaign, by=user_of(request))


def _with_tag(request: Request, campaign: Campaign) -> Response:
    """The campaign with the tag of its definition, which is another after every change."""
    shown = dict(shapes.CampaignDetailSerializer(campaign).data)
    if not may(request, Permission.SYSTEMS):
        hidden = {part: None for part in NAMING if part in shown["definition"]}
        shown["definition"] = shown["definition"] | hidden
    tag = f'"{campaigns.definition_version(campaign)}"'
    return Response(shown, headers={"ETag": tag})


class CampaignFileView(View):
    @operation(
        "campaigns_file",
        "The campaign file in YAML, which creates the same campaign again",
        needs=Permission.FILES,
        responses={(200, "application/yaml"): YAML},
    )
    def get(self, request: Request, code: str) -> HttpResponse:
        campaign = get_campaign(request, code)
        return yaml_answer(definition_to_yaml(campaigns.definition_of(campaign)))


class ProgressView(View):
    @operation(
        "campaigns_progress",
        "The progress of the judgements",
        needs=Permission.SEE,
        gives=shapes.ProgressSerializer,
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        if campaign.is_draft:
            raise RefusedAction("A draft has no progress yet: launch it first.")
        progress = progress_of(campaign)
        pace = pace_of(campaign, progress)
        return {
            "batches": progress.batches,
            "batches_done": progress.done,
            "batches_held": progress.held,
            "screens": progress.screens,
            "screens_done": progress.screens_done,
            "screens_per_hour": pace.screens_per_hour,
            "expected_end": pace.expected_end,
            "systems": coverage.judged_by_system(
                campaign, in_codes=not may(request, Permission.SYSTEMS)
            ),
        }


class PlanView(View):
    @operation(
        "plan_preview",
        "Draw the plan that a launch of this draft would store, and store nothing",
        needs=Permission.EDIT,
        gives=shapes.PlannedWorkSerializer,
        query=shapes.PlanQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        if not campaign.is_draft:
            raise RefusedAction("Only a draft has a plan that is not stored yet.")
        work = planned_work(campaign)
        found = dict(shapes.PlannedWorkSerializer(work).data)
        if "raters" in self.query:
            found["batches_per_rater"] = batches_of_each(self.query["raters"], work)
        return Response(found)

    @operation(
        "plan_fit",
        "Let each rater of this draft do as many batches as so few raters need",
        needs=Permission.EDIT,
        takes=shapes.RatersSerializer,
        gives=shapes.PlannedWorkSerializer,
    )
    def post(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        fit_raters(campaign, self.given["raters"], by=user_of(request))
        campaign.refresh_from_db()
        return planned_work(campaign)


class OutlookView(View):
    @operation(
        "plan_outlook",
        "Say what other numbers of raters, items and repeats would cost and find",
        needs=Permission.EDIT,
        gives=shapes.OutlookSerializer,
        query=shapes.OutlookQuery,
    )
    def get(self, request: Request, code: str) -> object:
        campaign = get_campaign(request, code)
        if not campaign.is_draft:
            raise RefusedAction("Only a draft has a plan that can still be another one.")
        work = None if launches.is_large(campaign) else planned_work(campaign)
        asked = planner_defaults(campaign, work) | dict(self.query)
        asked.setdefault("most_raters", asked["raters"])
        try:
            return planned_of(campaign, asked, by=user_of(request))
        except OptionsError as error:
            raise RefusedAction(str(error)) from error


class LaunchView(View):
    @operation(
        "campaigns_launch",
        "Draw the plan, freeze the material and open the campaign to raters. A large "
        "campaign stays a draft until a worker has stored its plan: request it again to see",
        needs=Permission.EDIT,
        gives=shapes.LaunchedSerializer,
    )
    def post(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        can_wait = campaign.is_draft and not launches.is_large(campaign)
        plan = planned_work(campaign) if can_wait else None
        launched = launches.request_launch(campaign, by=user_of(request))
        found = dict(shapes.CampaignSerializer(launched).data)
        found["plan"] = shapes.PlannedWorkSerializer(plan).data if plan else None
        return Response(found | addresses_of(request, launched))


def transition(name: str, do: Callable[..., Campaign], summary: str) -> type[View]:
    return action(
        f"campaigns_{name}",
        summary,
        needs=Permission.EDIT,
        find=get_campaign,
        do=do,
        gives=shapes.CampaignSerializer,
    )


PauseView = transition("pause", campaigns.pause_campaign, "Stop handing out batches")
ResumeView = transition("resume", campaigns.resume_campaign, "Hand out batches again")
CloseView = transition("close", campaigns.close_campaign, "End the collection")
