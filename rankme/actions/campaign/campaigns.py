"""Making, changing, launching and ending campaigns."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.signature import VERSION
from rankme.actions import jobs
from rankme.actions.audit import note
from rankme.actions.material.material_rows import forget_material
from rankme.actions.rows.bulk_insert import ROWS_WORTH_MEASURING, analyze
from rankme.actions.rows.shown_as import note_pictorial_items
from rankme.actions.rows.versions import write_version
from rankme.errors import ChangedMeanwhile, RefusedAction, RefusedTransition
from rankme.exporting.paper.preregistration import preregistration
from rankme.exporting.registered import document_sha256
from rankme.models import Campaign, CampaignVersion, Criterion, PanelStudy, Plan, Track
from rankme.models.campaigns import PREREGISTERED
from rankme.panel_links import PANELS
from rankme.panel_links.outcomes import Outcome
from rankme.panel_links.prolific import PROLIFIC
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.payload_hashes import canonical
from rankme.protocols.files import definition_to_document, stored_definition

from . import plans

State = Campaign.State


@transaction.atomic
def create_campaign(owner: User, definition: Definition, *, is_archive: bool = False) -> Campaign:
    """Make a draft. A definition without a seed gets one, so that its plan can be drawn again."""
    seed = secrets.randbelow(2**31) if definition.seed is None else definition.seed
    definition = definition.model_copy(update={"seed": seed})
    campaign = Campaign.objects.create(
        owner=owner,
        title=definition.title,
        definition=definition_to_document(definition),
        seed=seed,
        is_archive=is_archive,
    )
    _write_criteria(campaign, definition)
    note(campaign, owner, gettext_noop("created"))
    return campaign


@transaction.atomic
def change_definition(
    campaign: Campaign, definition: Definition, *, by: User | None, base: str | None = None
) -> Campaign:
    """Replace a draft's definition; what raters may have seen can no longer be changed.

    Parameters
    ----------
    base : the `definition_version` that was edited; None replaces any version

    Raises
    ------
    ChangedMeanwhile : the campaign's definition is no longer the one that was edited
    """
    _refuse_during_launch(campaign)  # before the lock, because a launch holds it for long
    campaign = locked(campaign, State.DRAFT)
    _refuse_during_launch(campaign)
    if base is not None and base != definition_version(campaign):
        raise ChangedMeanwhile(_("The definition was saved by somebody else in the meantime."))
    seed = campaign.seed if definition.seed is None else definition.seed
    # The site notes automatically how uploads are read; a form that was opened before must keep it.
    material = definition.material or definition_of(campaign).material
    definition = definition.model_copy(update={"seed": seed, "material": material})
    campaign.title = definition.title
    campaign.definition = definition_to_document(definition)
    campaign.seed = seed
    campaign.save(update_fields=["title", "definition", "seed"])
    if list(definition.kinds) != [criterion.name for criterion in campaign.criteria.all()]:
        campaign.criteria.all().delete()
        _write_criteria(campaign, definition)
    note(campaign, by, gettext_noop("definition changed"))
    return campaign


def definition_version(campaign: Campaign) -> str:
    """A short name for the stored definition, which is another after every change."""
    edited = {name: part for name, part in campaign.definition.items() if name != "material"}
    return hashlib.sha256(canonical(edited)).hexdigest()[:32]


def definition_of(campaign: Campaign) -> Definition:
    """The campaign's file as a validated object."""
    return stored_definition(campaign.definition)


def refuse_without_code(definition: Definition) -> None:
    """A platform pays by the study's own code, or by one that it computes as this site does; a code
    drawn here would pay nobody. Nor does an address whose gap nobody fills."""
    crowd = definition.crowd
    panel = PANELS[crowd.panel]
    addresses = [crowd.return_url, *crowd.return_urls.model_dump().values()]
    if panel.unfilled and any(panel.unfilled in address for address in addresses):
        raise RefusedAction(
            _("In the return address, write {id} in the place of %(gap)s.")
            % {"gap": panel.unfilled}
        )
    shares_codes = panel.shared_code is not None and settings.CODE_SECRETS.get(crowd.panel)
    has_codes = bool(crowd.completion_codes.completed or shares_codes)
    if panel.is_platform and panel.needs_code and not has_codes:
        raise RefusedAction(
            _(
                "The panel “%(panel)s” pays raters by the completion code of its study. Enter that "
                "code under “Raters” in the definition, then launch."
            )
            % {"panel": crowd.panel}
        )
    outcome = Outcome.SCREENED_OUT
    has_way_back = crowd.completion_codes.of(outcome) or crowd.return_urls.of(outcome)
    if panel.is_platform and definition.practice_gate and not has_way_back:
        raise RefusedAction(
            _(
                "Raters who fail the practice cannot end their visit at the panel “%(panel)s”. "
                "Enter a code or an address for “Screened out” under “Raters” in the definition, "
                "then launch."
            )
            % {"panel": crowd.panel}
        )


@transaction.atomic
def launch_campaign(
    campaign: Campaign, *, by: User | None, progress: Callable[[float], None] = lambda share: None
) -> Campaign:
    """Draw and store the plan, freeze what will be shown, and open the campaign to raters.

    `progress` is called with the share of the plan that is stored, from 0 to 1.
    """
    campaign = ready_to_launch(campaign)
    drawn = plans.draw_plan(campaign)
    plan = drawn.plan
    Plan.objects.create(
        campaign=campaign,
        design=plan.design,
        options=dict(plan.options),
        seed=plan.seed,
        balance=asdict(plan.balance) | {"notes": list(plan.notes)},
    )
    note_pictorial_items(campaign, definition_of(campaign))
    plans.store_plan(campaign, drawn, progress, checks=plans.draw_checks(campaign, drawn))
    if len(plan.items) >= ROWS_WORTH_MEASURING:
        analyze("rankme_batch", "rankme_trial", "rankme_trialoutput", "rankme_slot")
    version = write_version(campaign, change=CampaignVersion.Change.LAUNCH, by=by)
    campaign.state = State.RUNNING
    campaign.launched_at = timezone.now()
    campaign.save(update_fields=["state", "launched_at"])
    note(
        campaign,
        by,
        gettext_noop("launched"),
        batches=len(plan.batch_sizes),
        trials=len(plan.items),
        version=version.number,
        definition_sha256=version.definition_sha256,
    )
    document = preregistration(campaign, asdict(plan.balance))
    sha256 = document_sha256(document)
    note(campaign, by, PREREGISTERED, sha256=sha256, program=VERSION, document=document)
    return campaign


def ready_to_launch(campaign: Campaign) -> Campaign:
    """The draft, locked for a launch, while none of its material is being imported."""
    _refuse_during_import(campaign)  # before the lock, because an import holds it for long
    campaign = locked(campaign, State.DRAFT)
    _refuse_during_import(campaign)
    refuse_without_code(definition_of(campaign))
    return campaign


@transaction.atomic
def pause_campaign(campaign: Campaign, *, by: User) -> Campaign:
    """Stop handing out batches; raters who hold one can finish it."""
    return _move(campaign, State.RUNNING, to=State.PAUSED, verb=gettext_noop("paused"), by=by)


@transaction.atomic
def pause_at_limit(campaign: Campaign, *, verb: str, limit: float | None) -> Campaign:
    """Pause as `pause_campaign` does, at a limit that the organiser set before."""
    return _move(campaign, State.RUNNING, to=State.PAUSED, verb=verb, by=None, limit=limit)


@transaction.atomic
def resume_campaign(campaign: Campaign, *, by: User) -> Campaign:
    return _move(campaign, State.PAUSED, to=State.RUNNING, verb=gettext_noop("resumed"), by=by)


@transaction.atomic
def close_campaign(campaign: Campaign, *, by: User) -> Campaign:
    """End the collection. Work that still arrives is kept and flagged."""
    campaign = _move(
        campaign, State.RUNNING, State.PAUSED, to=State.CLOSED, verb=gettext_noop("closed"), by=by
    )
    campaign.closed_at = timezone.now()
    days = stored_definition(campaign.definition).crowd.keep_identities_days
    campaign.identities_until = campaign.closed_at + timedelta(days=days)
    campaign.save(update_fields=["closed_at", "identities_until"])
    return campaign


@transaction.atomic
def delete_draft(campaign: Campaign, *, by: User) -> None:
    """Delete a campaign that was never launched."""
    _refuse_during_launch(campaign)
    campaign = locked(campaign, State.DRAFT)
    _refuse_during_launch(campaign)
    if Track.objects.filter(campaign=campaign).exists():
        raise RefusedAction(
            _("This is a track of a shared task. Remove it on the task’s page first.")
        )
    note(None, by, gettext_noop("draft deleted"), title=campaign.title)
    forget_material(campaign)
    campaign.delete()


def locked(campaign: Campaign, *allowed: str, no_key: bool = False) -> Campaign:
    locked = Campaign.objects.select_for_update(no_key=no_key).get(pk=campaign.pk)
    if locked.state not in allowed:
        raise RefusedTransition(
            _("This is not possible while the campaign is in the state “%(state)s”.")
            % {"state": locked.get_state_display()}
        )
    return locked


def _refuse_during_import(campaign: Campaign) -> None:
    if campaign.material_imports.filter(state__in=["queued", "working"]).exists():
        raise RefusedAction(
            _("Material is still being imported. Launch the campaign when the import is complete.")
        )


def _refuse_during_launch(campaign: Campaign) -> None:
    if campaign.launches.filter(state__in=["queued", "working"]).exists():
        raise RefusedAction(_("This campaign is being launched: it can no longer be changed."))


def _move(
    campaign: Campaign, *allowed: str, to: str, verb: str, by: User | None, **detail: object
) -> Campaign:
    campaign = locked(campaign, *allowed)
    campaign.state = to
    campaign.save(update_fields=["state"])
    note(campaign, by, verb, **detail)
    _have_studies_follow(campaign)
    return campaign


def _have_studies_follow(campaign: Campaign) -> None:
    """Have a worker pause, resume or stop the campaign's study at its panel, at once."""
    studies = campaign.panel_studies.filter(account__panel=PROLIFIC.name)
    running = studies.exclude(external_id="").exclude(state=PanelStudy.State.COMPLETED)
    messages = [("rankme.tasks.follow_campaign", pk) for pk in running.values_list("pk", flat=True)]
    if messages:
        transaction.on_commit(partial(jobs.send, messages))


def _write_criteria(campaign: Campaign, definition: Definition) -> None:
    Criterion.objects.bulk_create(
        Criterion(campaign=campaign, name=name, position=position)
        for position, name in enumerate(definition.kinds)
    )
