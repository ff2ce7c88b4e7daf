"""What an organiser should do next with a campaign: one thing at a time."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from rankme.models import Campaign, MaterialImport, Slot

from .campaign_page import address_of

State = Campaign.State


@dataclass(frozen=True)
class NextStep:
    title: str
    text: str
    address: str
    button: str


def next_step(campaign: Campaign) -> NextStep:
    if campaign.is_archive:
        return _of_archive(campaign)
    steps = {
        State.DRAFT: _of_draft,
        State.RUNNING: _of_running,
        State.PAUSED: _of_paused,
    }
    return steps.get(campaign.state, _of_closed)(campaign)


def _of_draft(campaign: Campaign) -> NextStep:
    if _has_undecided_import(campaign):
        return NextStep(
            _("Look at the uploaded material"),
            _("A file is being checked, or waits for your decision."),
            address_of("campaign-material", campaign),
            _("See the upload"),
        )
    if not campaign.items.exists():
        return NextStep(
            _("Add the material"),
            _("Upload the systems' outputs, with the items they were made for."),
            address_of("campaign-material", campaign),
            _("Upload outputs"),
        )
    return NextStep(
        _("Check the plan, then launch"),
        _("See the screens as a rater does, and how the work would be shared out."),
        address_of("campaign-launch", campaign),
        _("Look at the plan"),
    )


def _of_running(campaign: Campaign) -> NextStep:
    if not campaign.participants.exists():
        return NextStep(
            _("Hand out the link"),
            _("The campaign is open, and nobody has come yet."),
            address_of("campaign-links", campaign),
            _("See the links"),
        )
    if not campaign.slots.exclude(state=Slot.State.DONE).exists():
        return NextStep(
            _("Everything is judged: close and analyse"),
            _("Every batch was finished. Closing takes the links out of service."),
            address_of("campaign-monitor", campaign),
            _("Look at the work, and close"),
        )
    return NextStep(
        _("Raters are at work"),
        _("Follow who has done how much, and when the work will be finished."),
        address_of("campaign-monitor", campaign),
        _("Open the monitor"),
    )


def _of_paused(campaign: Campaign) -> NextStep:
    return NextStep(
        _("The campaign is paused"),
        _("No new batches are handed out; who holds one may finish it. Resume it, or close it."),
        address_of("campaign-monitor", campaign),
        _("Open the monitor"),
    )


def _of_closed(campaign: Campaign) -> NextStep:
    return NextStep(
        _("Analyse the judgements"),
        _("Compute the ranking with its clusters, and publish the report."),
        address_of("analysis-runs", campaign),
        _("Go to the analysis"),
    )


def _of_archive(campaign: Campaign) -> NextStep:
    if campaign.is_draft:
        return NextStep(
            _("Import the judgements"),
            _("Upload the file of judgements that were collected elsewhere."),
            address_of("campaign-material", campaign),
            _("Upload judgements"),
        )
    return _of_closed(campaign)


def _has_undecided_import(campaign: Campaign) -> bool:
    undecided = [
        MaterialImport.Phase.CHECK,
        MaterialImport.Phase.PREVIEWED,
        MaterialImport.Phase.TAKE,
    ]
    return (
        campaign.material_imports.filter(phase__in=undecided)
        .exclude(state__in=["failed", "cancelled"])
        .exists()
    )
