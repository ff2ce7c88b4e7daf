"""Launching: a small plan is stored while the organiser waits, a large one by a worker."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import jobs
from rankme.actions.audit import note
from rankme.models import Campaign, CampaignLaunch, Output
from rankme.models.jobs import Job
from rankme.protocols.definition import Definition

from .campaigns import launch_campaign, ready_to_launch

# What a request draws and stores in a second or two.
MOST_OUTPUTS_IN_A_REQUEST = 20_000


def is_large(campaign: Campaign) -> bool:
    """Whether the plan is too large to draw and store in a request."""
    outputs = Output.objects.filter(item__campaign=campaign)[: MOST_OUTPUTS_IN_A_REQUEST + 1]
    most = max(outputs.count(), campaign.items.count())
    return most > MOST_OUTPUTS_IN_A_REQUEST


def has_suggestions(campaign: Campaign, definition: Definition) -> bool:
    """Whether outputs come with suggested marks that raters of this campaign can be shown."""
    if not any(criterion.tool.marks_outputs for criterion in definition.criteria):
        return False
    return Output.objects.filter(item__campaign=campaign, marks__isnull=False).exists()


def request_launch(campaign: Campaign, *, by: User) -> Campaign:
    """Launch the campaign, or let a worker launch it; then it stays a draft until that is done.

    Asking again while a worker is at it changes nothing. A launch that fails leaves a draft.
    """
    if not is_large(campaign):
        return launch_campaign(campaign, by=by)
    with transaction.atomic():
        campaign = ready_to_launch(campaign)
        if launch_under_way(campaign) is None:
            row = CampaignLaunch.objects.create(campaign=campaign, requested_by=by)
            note(campaign, by, gettext_noop("launch requested"))
            jobs.enqueue(row)
    return campaign


def launch_under_way(campaign: Campaign) -> CampaignLaunch | None:
    return campaign.launches.filter(state__in=[jobs.QUEUED, jobs.WORKING]).first()


def failed_launch(campaign: Campaign) -> CampaignLaunch | None:
    """The latest launch, if it failed."""
    latest = campaign.launches.first()
    return latest if latest is not None and latest.state == Job.State.FAILED else None


def execute(launch_id: int, worker: str) -> bool:
    """Do a launch that was asked for; False when another worker has it."""
    return jobs.perform(CampaignLaunch, launch_id, _launch, worker=worker)


def _launch(row: CampaignLaunch) -> None:
    def progress(share: float) -> None:
        jobs.heartbeat_while_copying(row, progress=share, step=_("Storing the plan"))

    jobs.heartbeat(row, step=_("Computing the plan"))
    with transaction.atomic():
        launch_campaign(row.campaign, by=row.requested_by, progress=progress)
        jobs.finish(row)
