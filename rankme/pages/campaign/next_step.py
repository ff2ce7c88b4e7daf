"""The organiser's next step in a campaign, one at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from rankme.models import Campaign, MaterialImport, Slot
from rankme.queries.shared_task.system_names import track_of
from rankme.queries.versions import has_unplanned_material

from .phases import address_of

State = Campaign.State
# Define, upload, review the upload, launch.
DRAFT_STEPS = 4


@dataclass(frozen=True)
class NextStep:
    title: str
    text: str
    address: str
    button: str
    number: int = 0  # of a draft's steps; 0 after the launch

    @property
    def place(self) -> str:
        """The place among the steps of a draft, such as “Step 2 of 4”."""
        if not self.number:
            return ""
        return _("Step %(number)s of %(last)s") % {"number": self.number, "last": DRAFT_STEPS}


def next_step(campaign: Campaign) -> NextStep:
    if campaign.is_archive:
        return _of_archive(campaign)
    steps: dict[str, Callable[[Campaign], NextStep]] = {
        State.DRAFT: _of_draft,
        State.RUNNING: _of_running,
        State.PAUSED: _of_paused,
    }
    return steps.get(campaign.state, _of_closed)(campaign)


def _of_draft(campaign: Campaign) -> NextStep:
    if _has_undecided_import(campaign):
        return NextStep(
            _("Review the upload"),
            _("An upload is being checked or is waiting for your decision."),
            address_of("campaign-material", campaign),
            _("View the upload"),
            number=3,
        )
    track = track_of(campaign)
    if track is not None and track.task.sealed_at is None:
        return _of_track(campaign)
    if not campaign.items.exists():
        return NextStep(
            _("Upload the material"),
            _("Upload the outputs of your systems, with the items they belong to."),
            address_of("campaign-material", campaign),
            _("Upload outputs"),
            number=2,
        )
    return NextStep(
        _("Check the plan, then launch"),
        _("See how the work will be assigned, and preview the screens as a rater sees them."),
        address_of("campaign-launch", campaign),
        _("View the plan"),
        number=4,
    )


def _of_track(campaign: Campaign) -> NextStep:
    """Until the seal, a track of a shared task has sources alone."""
    if not campaign.items.exists():
        return NextStep(
            _("Upload the sources"),
            _(
                "Upload the items with their inputs and references, without outputs: those of the "
                "teams come in when the task is sealed."
            ),
            address_of("campaign-material", campaign),
            _("Upload sources"),
            number=2,
        )
    return NextStep(
        _("The outputs come with the seal"),
        _(
            "Teams download the inputs. After the close of the shared task, its hosts seal it, and "
            "the outputs come in under codes. Then check the plan, and launch."
        ),
        address_of("campaign-material", campaign),
        _("View material"),
        number=3,
    )


def _of_running(campaign: Campaign) -> NextStep:
    if has_unplanned_material(campaign):
        return NextStep(
            _("Extend the plan"),
            _("There are new items or systems that raters do not see yet."),
            address_of("campaign-extend", campaign),
            _("View the extension"),
        )
    if not campaign.participants.exists():
        return NextStep(
            _("Share the link"),
            _("The campaign is running, but no rater has opened a link yet."),
            address_of("campaign-links", campaign),
            _("View links"),
        )
    if not campaign.slots.exclude(state=Slot.State.DONE).exists():
        return NextStep(
            _("All batches are done: close and analyse"),
            _("Closing the campaign deactivates its links."),
            address_of("campaign-monitor", campaign),
            _("Review and close"),
        )
    return NextStep(
        _("Raters are working"),
        _("See how much is done and when the work is likely to finish."),
        address_of("campaign-monitor", campaign),
        _("Open the monitor"),
    )


def _of_paused(campaign: Campaign) -> NextStep:
    return NextStep(
        _("The campaign is paused"),
        _(
            "No new batches are handed out. Raters who already have one "
            "can finish it. Resume or close the campaign."
        ),
        address_of("campaign-monitor", campaign),
        _("Open the monitor"),
    )


def _of_closed(campaign: Campaign) -> NextStep:
    return NextStep(
        _("Analyse the judgements"),
        _("Compute the ranking and publish the report."),
        address_of("analysis-runs", campaign),
        _("Go to the analysis"),
    )


def _of_archive(campaign: Campaign) -> NextStep:
    if campaign.is_draft:
        return NextStep(
            _("Import the judgements"),
            _("Upload a file of judgements collected elsewhere."),
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
