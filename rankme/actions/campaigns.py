"""Making, changing, launching and ending campaigns."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.checks.drawing import CheckedBatch, CheckError
from rankme.crowd import PANELS
from rankme.designs.documents import Documents
from rankme.designs.plan import NO_SYSTEM, Coverage, DesignError, DrawnPlan, Indexes
from rankme.designs.registry import draw
from rankme.errors import ChangedMeanwhile, RefusedAction, RefusedTransition
from rankme.models import Campaign, CampaignVersion, Criterion, Membership, Plan
from rankme.protocols.definition import Definition
from rankme.protocols.dialogues import text_checks
from rankme.protocols.files import definition_to_document, stored_definition
from rankme.queries.check_plan import checked_batches
from rankme.queries.documents import documents_of

from . import check_pages
from .audit import note
from .bulk_insert import analyze, copy_rows, new_ids
from .judgements import canonical
from .materials import forget_material
from .media import problem_with_files
from .pictures import problem_with_pictures
from .shown_as import note_pictorial_items
from .versions import write_version

State = Campaign.State
ROWS_WORTH_MEASURING = 10_000
ROWS_PER_REPORT = 2_000


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


@dataclass(frozen=True)
class CampaignPlan:
    """A plan and the ids behind its indexes; `outputs` has them by (item, system)."""

    plan: DrawnPlan
    items: list[int]
    systems: list[int]
    outputs: dict[tuple[int, int], int]
    documents: Documents | None = None

    def count_documents(self) -> int:
        """How many documents its trials show, each as often as it is shown."""
        if self.documents is None:
            return 0
        firsts = [items[0] for items in self.documents.segments]
        return int(np.isin(self.plan.items, firsts).sum())

    def shown_in(self, trial: int) -> tuple[int, list[int]]:
        """The ids of a trial's item and of the outputs that it shows."""
        item = int(self.plan.items[trial])
        systems = self.plan.systems[trial]
        outputs = [self.outputs[item, int(system)] for system in systems if system != NO_SYSTEM]
        return self.items[item], outputs


def draw_plan(campaign: Campaign) -> CampaignPlan:
    """Draw the plan that a launch would store; the same campaign draws the same plan."""
    definition = definition_of(campaign)
    _refuse_missing_pictures(campaign, definition)
    _refuse_other_texts(campaign, definition)
    material = planned_material(campaign)
    if not material.items:
        raise RefusedAction(_("There is no material yet. Upload outputs first."))
    documents = documents_of(campaign, definition)
    try:
        plan = draw(
            definition.design.kind,
            len(material.items),
            len(material.systems),
            definition.design.options,
            definition.raters_per_trial,
            seed=campaign.seed,
            coverage=material.coverage,
            strata=strata_of(campaign, definition.design.stratify_by),
            documents=documents,
        )
    except DesignError as error:
        raise RefusedAction(str(error)) from error
    return CampaignPlan(plan, material.items, material.systems, material.outputs, documents)


@dataclass(frozen=True)
class PlannedMaterial:
    """The ids of items and systems in order, and of the outputs by (item, system)."""

    items: list[int]
    systems: list[int]
    outputs: dict[tuple[int, int], int]

    @property
    def coverage(self) -> Coverage:
        """Shape (items, systems), true where there is an output."""
        coverage = np.zeros((len(self.items), len(self.systems)), dtype=np.bool_)
        for item, system in self.outputs:
            coverage[item, system] = True
        return coverage


def planned_material(campaign: Campaign) -> PlannedMaterial:
    items = list(campaign.items.order_by("position").values_list("id", flat=True))
    systems = list(campaign.systems.order_by("position").values_list("id", flat=True))
    return PlannedMaterial(items, systems, _outputs_by_indexes(campaign, items, systems))


def draw_checks(
    campaign: Campaign, drawn: CampaignPlan, *, first_number: int = 0
) -> Iterator[CheckedBatch]:
    """The checks of each batch, as a launch would store them; nothing where there are none.

    `first_number` is that of the first batch: each number has draws of its own.

    Raises
    ------
    RefusedAction : while it is gone through, if a batch cannot have its checks
    """
    batches = checked_batches(
        campaign,
        definition_of(campaign),
        drawn.plan,
        items=drawn.items,
        outputs=drawn.outputs,
        first_number=first_number,
    )
    try:
        yield from batches
    except CheckError as error:
        raise RefusedAction(str(error)) from error


def _outputs_by_indexes(
    campaign: Campaign, items: list[int], systems: list[int]
) -> dict[tuple[int, int], int]:
    item_index = {item: index for index, item in enumerate(items)}
    system_index = {system: index for index, system in enumerate(systems)}
    rows = campaign.items.filter(outputs__isnull=False)
    ids = rows.values_list("id", "outputs__system_id", "outputs__id")
    return {
        (item_index[item], system_index[system]): output
        for item, system, output in ids.iterator(chunk_size=20_000)
    }


def strata_of(campaign: Campaign, factor: str) -> Indexes | None:
    """The items' values of a factor as whole numbers."""
    if not factor:
        return None
    factors = campaign.items.order_by("position").values_list("factors", flat=True)
    values = [str(found.get(factor, "")) for found in factors]
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _refuse_missing_pictures(campaign: Campaign, definition: Definition) -> None:
    inputs = campaign.items.order_by("position").values_list("key", "input")
    problem = problem_with_pictures(definition, inputs.iterator(chunk_size=1_000))
    if problem := problem or problem_with_files(campaign, definition):
        raise RefusedAction(problem)


def _refuse_other_texts(campaign: Campaign, definition: Definition) -> None:
    """The definition may have changed since the upload was checked."""
    columns = {
        "input": campaign.items.order_by("position").values_list("key", "input"),
        "output": campaign.items.filter(outputs__isnull=False)
        .order_by("position")
        .values_list("key", "outputs__text"),
    }
    for column, check in text_checks(definition).items():
        for key, text in columns[column].iterator(chunk_size=1_000):
            if problem := check(text):
                raise RefusedAction(
                    _("Item “%(item)s”, %(column)s: %(problem)s")
                    % {"item": key[:60], "column": column, "problem": problem}
                )


def refuse_without_code(definition: Definition) -> None:
    """A platform pays by the study's own code, or by one that it computes as this site does; a code
    drawn here would pay nobody."""
    crowd = definition.crowd
    panel = PANELS[crowd.panel]
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


@transaction.atomic
def launch_campaign(
    campaign: Campaign, *, by: User | None, progress: Callable[[float], None] = lambda share: None
) -> Campaign:
    """Draw and store the plan, freeze what will be shown, and open the campaign to raters.

    `progress` is called with the share of the plan that is stored, from 0 to 1.
    """
    campaign = ready_to_launch(campaign)
    drawn = draw_plan(campaign)
    plan = drawn.plan
    Plan.objects.create(
        campaign=campaign,
        design=plan.design,
        options=dict(plan.options),
        seed=plan.seed,
        balance=asdict(plan.balance) | {"notes": list(plan.notes)},
    )
    note_pictorial_items(campaign, definition_of(campaign))
    store_plan(campaign, drawn, progress, checks=draw_checks(campaign, drawn))
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
def resume_campaign(campaign: Campaign, *, by: User) -> Campaign:
    return _move(campaign, State.PAUSED, to=State.RUNNING, verb=gettext_noop("resumed"), by=by)


@transaction.atomic
def close_campaign(campaign: Campaign, *, by: User) -> Campaign:
    """End the collection. Work that still arrives is kept and flagged."""
    campaign = _move(
        campaign, State.RUNNING, State.PAUSED, to=State.CLOSED, verb=gettext_noop("closed"), by=by
    )
    campaign.closed_at = timezone.now()
    campaign.save(update_fields=["closed_at"])
    return campaign


@transaction.atomic
def delete_draft(campaign: Campaign, *, by: User) -> None:
    """Delete a campaign that was never launched."""
    _refuse_during_launch(campaign)
    campaign = locked(campaign, State.DRAFT)
    _refuse_during_launch(campaign)
    note(None, by, gettext_noop("draft deleted"), title=campaign.title)
    forget_material(campaign)
    campaign.delete()


@transaction.atomic
def add_member(campaign: Campaign, username: str, *, by: User) -> Membership:
    membership, created = Membership.objects.get_or_create(campaign=campaign, username=username)
    if created:
        note(campaign, by, gettext_noop("member invited"), user=username)
    return membership


@transaction.atomic
def remove_member(campaign: Campaign, username: str, *, by: User) -> None:
    if campaign.memberships.filter(username=username).delete()[0]:
        note(campaign, by, gettext_noop("member removed"), user=username)


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


def _move(campaign: Campaign, *allowed: str, to: str, verb: str, by: User) -> Campaign:
    campaign = locked(campaign, *allowed)
    campaign.state = to
    campaign.save(update_fields=["state"])
    note(campaign, by, verb)
    return campaign


def _write_criteria(campaign: Campaign, definition: Definition) -> None:
    Criterion.objects.bulk_create(
        Criterion(campaign=campaign, name=name, position=position)
        for position, name in enumerate(definition.kinds)
    )


def store_plan(
    campaign: Campaign,
    drawn: CampaignPlan,
    progress: Callable[[float], None],
    *,
    first_number: int = 0,
    checks: Iterable[CheckedBatch] = (),
) -> None:
    """Write batches, trials, their outputs and slots by COPY: a large plan has 10^6 rows."""
    plan, items, outputs = drawn.plan, drawn.items, drawn.outputs
    batches = new_ids("rankme_batch", len(plan.batch_sizes))
    trials = new_ids("rankme_trial", len(plan.items))
    batch_of_trial = np.repeat(np.arange(len(plan.batch_sizes)), plan.batch_sizes)
    starts = np.concatenate(([0], np.cumsum(plan.batch_sizes)[:-1]))
    positions = np.arange(len(plan.items)) - starts[batch_of_trial]
    copy_rows(
        "rankme_batch",
        ("id", "campaign_id", "number"),
        ((batch, campaign.pk, number) for number, batch in enumerate(batches, start=first_number)),
    )
    pages: list[check_pages.Page] = []
    for number, checked in enumerate(checks):
        start, size = int(starts[number]), int(plan.batch_sizes[number])
        positions[start : start + size] = check_pages.positions_of_trials(checked, size)
        hosts = trials[start : start + size]
        items_of_hosts = [items[item] for item in plan.items[start : start + size]]
        pages += check_pages.pages_of(checked, batches[number], hosts, items_of_hosts)
    copy_rows(
        "rankme_trial",
        ("id", "batch_id", "position", "item_id"),
        (
            (trials[index], batches[batch], int(positions[index]), items[plan.items[index]])
            for index, batch in counted(batch_of_trial, progress, upto=0.3)
        ),
    )
    check_pages.store(campaign, pages)
    copy_rows(
        "rankme_trialoutput",
        ("trial_id", "position", "output_id"),
        (
            (trials[index], position, outputs[int(plan.items[index]), int(system)])
            for index, systems in counted(plan.systems, progress, since=0.3, upto=0.9)
            for position, system in enumerate(systems[systems != NO_SYSTEM])
        ),
    )
    copy_rows(
        "rankme_slot",
        ("campaign_id", "batch_id", "copy", "state"),
        (
            (campaign.pk, batch, copy, "free")
            for copy in range(plan.raters_per_trial)
            for batch in batches
        ),
    )


def counted(
    rows: np.ndarray, progress: Callable[[float], None], *, since: float = 0.0, upto: float
) -> Iterator[tuple[int, Any]]:
    """Like `enumerate`, and reports its progress from time to time."""
    for index, row in enumerate(rows):
        if index % ROWS_PER_REPORT == 0:
            progress(since + (upto - since) * index / len(rows))
        yield index, row
