"""Raters, their batches and their quality: read, exclude, readmit, release."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from rest_framework.request import Request
from rest_framework.response import Response

from rankme.actions.audit import note_identities
from rankme.actions.sitting import assignments, erasing, exclusions, participation
from rankme.api import rater_shapes as shapes
from rankme.api.view import PageQuery, View, action, operation
from rankme.models import Assignment, Campaign, Participant
from rankme.permissions import Permission, get_campaign, may, user_of
from rankme.queries.quality import quality_of
from rankme.queries.raters import comments_of, open_leases, rater_lines, sittings_of
from rankme.untrusted.clean_text import storable


class RatersView(View):
    @operation(
        "raters_list",
        "The raters of a campaign, the latest first",
        needs=Permission.WATCH,
        lists=shapes.RaterSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        _note_names(request, campaign)
        lines = partial(rater_lines, campaign)
        raters = campaign.participants.all()
        return self.paged(raters, shapes.RaterSerializer, newest_first=True, shown=lines)


class RaterView(View):
    @operation(
        "raters_read",
        "One rater with batches, comments and earlier exclusions",
        needs=Permission.WATCH,
        gives=shapes.RaterDetailSerializer,
    )
    def get(self, request: Request, code: str, label: str) -> object:
        return _detail(request, get_rater(request, code, label))


class RaterExclusionView(View):
    @operation(
        "raters_exclude",
        "Leave a rater out of future analyses; others can judge in their place",
        needs=Permission.EDIT,
        takes=shapes.NewExclusionSerializer,
        gives=shapes.RaterDetailSerializer,
    )
    def post(self, request: Request, code: str, label: str) -> object:
        rater = get_rater(request, code, label)
        exclusions.exclude_rater(rater, **self.given, by=user_of(request))
        return _detail_afterwards(request, rater)

    @operation(
        "raters_readmit",
        "Include an excluded rater in future analyses again",
        needs=Permission.EDIT,
        gives=shapes.RaterDetailSerializer,
    )
    def delete(self, request: Request, code: str, label: str) -> object:
        rater = get_rater(request, code, label)
        exclusions.readmit_rater(rater, by=user_of(request))
        return _detail_afterwards(request, rater)


class BatchesAtWorkView(View):
    @operation(
        "leases_list",
        "The batches that raters hold now; the one whose time ends first is first",
        needs=Permission.WATCH,
        gives=shapes.HeldBatchSerializer(many=True),
    )
    def get(self, request: Request, code: str) -> object:
        return open_leases(get_campaign(request, code))


class QualityView(View):
    @operation(
        "quality_list",
        "What speaks for and against each rater who took a batch, the latest first",
        needs=Permission.WATCH,
        lists=shapes.QualityLineSerializer,
        query=PageQuery,
    )
    def get(self, request: Request, code: str) -> Response:
        campaign = get_campaign(request, code)
        raters = campaign.participants.filter(assignments__isnull=False).distinct()
        lines = partial(quality_of, campaign)
        return self.paged(raters, shapes.QualityLineSerializer, newest_first=True, shown=lines)


def get_rater(request: Request, code: str, label: str) -> Participant:
    campaign = get_campaign(request, code)
    if not storable(label):
        raise Http404
    return get_object_or_404(campaign.participants.select_related("campaign"), label=label)


def get_held(request: Request, code: str, assignment: int) -> Assignment:
    found = get_campaign(request, code).assignments.select_related("participant")
    return get_object_or_404(found, pk=assignment)


def _note_names(request: Request, campaign: Campaign) -> None:
    """The history says who saw names of links next to raters."""
    if may(request, Permission.IDENTITIES) and campaign.invitations.exclude(name="").exists():
        note_identities(campaign, "API: names of raters", by=user_of(request))


def _detail(request: Request, rater: Participant) -> object:
    _note_names(request, rater.campaign)
    (line,) = rater_lines(rater.campaign, [rater])
    found: dict[str, Any] = {each: getattr(line, each) for each in line.__dataclass_fields__}
    found |= {
        "batches": sittings_of(rater),
        "comments": [
            {"item": written.trial.item.key, "text": text} for written, text in comments_of(rater)
        ],
        "past_exclusions": rater.exclusions.exclude(withdrawn_at=None),
    }
    return SimpleNamespace(**found)


def _detail_afterwards(request: Request, rater: Participant) -> object:
    """The rater as stored: actions change rows, not the object."""
    rater.refresh_from_db()
    return _detail(request, rater)


EndAccessView = action(
    "raters_end_access",
    "Sign a rater out of every browser",
    needs=Permission.EDIT,
    find=get_rater,
    do=participation.end_access,
    shown=_detail_afterwards,
    gives=shapes.RaterDetailSerializer,
)
EraseAnswersView = action(
    "raters_erase_answers",
    "Erase a rater's answers to your questions",
    needs=Permission.EDIT,
    find=get_rater,
    do=participation.erase_answers,
    shown=_detail_afterwards,
    gives=shapes.RaterDetailSerializer,
)
EraseView = action(
    "raters_erase",
    "Erase who a rater is, for good; the judgements stay",
    needs=Permission.OWN,
    find=get_rater,
    do=erasing.erase_rater,
    shown=_detail_afterwards,
    gives=shapes.RaterDetailSerializer,
)
ReleaseView = action(
    "leases_release",
    "Take a batch back from a rater who will not finish it",
    needs=Permission.ATTEND,
    find=get_held,
    do=assignments.free_lease,
)
