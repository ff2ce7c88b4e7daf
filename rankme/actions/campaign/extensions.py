"""Extending the plan of a launched campaign: more raters, new items, new systems.

Only new batches and new slots are added, from the stored seed; what raters have is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.rows.bulk_insert import copy_rows
from rankme.actions.rows.versions import checked_reason, write_version
from rankme.designs.growth import MIXED_PERCENT, MOST_MIXED, Growth, joined
from rankme.designs.plan import (
    NO_SYSTEM,
    Balance,
    DesignError,
    DesignRequest,
    DrawnPlan,
    Indexes,
    Layout,
    measure_balance,
)
from rankme.designs.registry import checked_options, grow
from rankme.errors import ChangedMeanwhile, RefusedAction
from rankme.models import Campaign, CampaignVersion, Output, Slot, Trial, TrialOutput
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_to_document
from rankme.queries.documents import documents_of

from .campaigns import definition_of
from .changes import lock_for_version, note_version, refuse_unless_changeable
from .plans import (
    CampaignPlan,
    PlannedMaterial,
    draw_checks,
    planned_material,
    store_plan,
    strata_of,
)

# Outputs shown by the plan, and by what is added to it: what a request reads, draws and stores in
# a few seconds, and what a worker does within minutes and 600 MB.
MOST_IN_A_REQUEST = 50_000
MOST_SHOWN = 1_000_000
MOST_RATERS = 1_000


@dataclass(frozen=True)
class Extension:
    """The batches that an extension adds, and the plan's balance before and after it."""

    definition: Definition
    material: PlannedMaterial
    growth: Growth
    added: Layout
    raters_before: int
    raters_after: int

    @property
    def new_batches(self) -> int:
        return len(self.added.batch_sizes)

    @property
    def new_sittings(self) -> int:
        """Slots that raters can take, beyond those of the plan so far."""
        more = self.raters_after - self.raters_before
        return len(self.growth.batch_sizes) * more + self.new_batches * self.raters_after

    @cached_property
    def before(self) -> Balance:
        growth = self.growth
        request = replace(
            growth.request,
            n_items=growth.old_items,
            n_systems=growth.old_systems,
            coverage=growth.request.coverage[: growth.old_items, : growth.old_systems],
            raters_per_trial=self.raters_before,
        )
        return measure_balance(Layout(growth.items, growth.systems, growth.batch_sizes), request)

    @cached_property
    def after(self) -> Balance:
        return measure_balance(joined(self.growth, self.added), self.growth.request)

    def as_document(self) -> dict[str, Any]:
        return {
            "raters_per_trial": [self.raters_before, self.raters_after],
            "new_items": self.growth.new_items,
            "new_systems": self.growth.new_systems,
            "new_batches": self.new_batches,
            "new_sittings": self.new_sittings,
            "mixed_percent": self.growth.mixed_percent,
            "seed": self.growth.request.seed,
            "notes": list(self.added.notes),
            "balance_before": asdict(self.before),
            "balance_after": asdict(self.after),
        }


def draw_extension(
    campaign: Campaign, raters_per_trial: int, mixed_percent: int = MIXED_PERCENT
) -> Extension:
    """Draw what an extension would store; the same campaign draws the same extension.

    Parameters
    ----------
    mixed_percent : of the screens in batches of new systems show earlier ones, where screens
        show one output

    Raises
    ------
    RefusedAction : nothing would be added, or the design cannot be extended so
    """
    refuse_unless_changeable(campaign)
    definition = definition_of(campaign)
    before = definition.raters_per_trial
    if raters_per_trial < before:
        raise RefusedAction(
            _("%(raters)s raters per trial are planned: there can only be more.")
            % {"raters": before}
        )
    if raters_per_trial > MOST_RATERS:
        raise RefusedAction(_("A trial can have at most %(most)s raters.") % {"most": MOST_RATERS})
    if not 0 <= mixed_percent <= MOST_MIXED:
        raise RefusedAction(
            _("Outputs of earlier systems can be at most %(most)s %% of the new batches.")
            % {"most": MOST_MIXED}
        )
    if _is_larger(campaign, MOST_SHOWN):
        raise RefusedAction(_too_large())
    material = planned_material(campaign)
    growth = _growth(campaign, definition, material, raters_per_trial)
    growth = replace(growth, mixed_percent=mixed_percent)
    if raters_per_trial == before and not growth.new_items and not growth.new_systems:
        raise RefusedAction(
            _("There is nothing to add: upload new material, or ask for more raters per trial.")
        )
    try:
        added = grow(definition.design.kind, growth, documents_of(campaign, definition))
    except DesignError as error:
        raise RefusedAction(" ".join(_(problem) for problem in error.problems)) from error
    extension = Extension(definition, material, growth, added, before, raters_per_trial)
    if max(extension.new_sittings, added.systems.size) > MOST_SHOWN:
        raise RefusedAction(_too_large())
    return extension


@transaction.atomic
def extend_campaign(
    campaign: Campaign,
    *,
    raters_per_trial: int,
    reason: str,
    by: User,
    base: int,
    mixed_percent: int = MIXED_PERCENT,
    items: int | None = None,
    systems: int | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> CampaignVersion:
    """Add batches for new material and slots for more raters; this is a version of the campaign.

    Parameters
    ----------
    base : the number of the version on which the extension was drawn
    items, systems : how much material it was drawn for, if somebody has looked at it
    progress : called with the share of the extension that is stored, from 0 to 1

    Raises
    ------
    ChangedMeanwhile : there is a newer version, or more material
    RefusedAction : see `draw_extension`
    """
    reason = checked_reason(reason)
    campaign = lock_for_version(campaign, base, let_raters_work=True)
    extension = draw_extension(campaign, raters_per_trial, mixed_percent)
    found = (len(extension.material.items), len(extension.material.systems))
    if (found[0] if items is None else items, found[1] if systems is None else systems) != found:
        raise ChangedMeanwhile(_("Somebody has added material in the meantime. Look again."))
    _store(campaign, extension, progress)
    definition = extension.definition.model_copy(update={"raters_per_trial": raters_per_trial})
    campaign.definition = definition_to_document(definition)
    version = write_version(
        campaign,
        change=CampaignVersion.Change.EXTENSION,
        by=by,
        reason=reason,
        extension=extension.as_document(),
    )
    note_version(version, gettext_noop("plan extended"))
    return version


def is_large(campaign: Campaign) -> bool:
    """Whether the plan is too large to be extended in a request."""
    return _is_larger(campaign, MOST_IN_A_REQUEST)


def _is_larger(campaign: Campaign, most: int) -> bool:
    shown = TrialOutput.objects.filter(trial__batch__campaign=campaign)[: most + 1]
    outputs = Output.objects.filter(item__campaign=campaign)[: most + 1]
    return max(shown.count(), outputs.count(), campaign.items.count()) > most


def _too_large() -> str:
    return _(
        "A plan that shows more than %(most)s outputs is not extended: create a new campaign for "
        "the rest."
    ) % {"most": f"{MOST_SHOWN:,}"}


def _growth(
    campaign: Campaign, definition: Definition, material: PlannedMaterial, raters: int
) -> Growth:
    covered = campaign.versions.get(number=campaign.version)
    strata = strata_of(campaign, definition.design.stratify_by)
    request = DesignRequest(
        len(material.items),
        len(material.systems),
        checked_options(definition.design.kind, definition.design.options),
        raters,
        _seed(campaign),
        material.coverage,
        np.zeros(len(material.items), dtype=np.int64) if strata is None else strata,
    )
    items, systems, sizes = _plan_so_far(campaign, material)
    return Growth(request, items, systems, sizes, covered.items, covered.systems)


def _seed(campaign: Campaign) -> int:
    """From the campaign's seed and the number of the coming version: each extension has its own."""
    sequence = np.random.SeedSequence([campaign.seed, campaign.version + 1])
    return int(sequence.generate_state(1, dtype=np.uint32)[0])


def _plan_so_far(campaign: Campaign, material: PlannedMaterial) -> tuple[Indexes, Indexes, Indexes]:
    """The stored trials in the order of their batches: items, systems and sizes of batches."""
    item_of = {pk: index for index, pk in enumerate(material.items)}
    system_of = {pk: index for index, pk in enumerate(material.systems)}
    trials = (
        Trial.objects.filter(batch__campaign=campaign, as_check=None)
        .order_by("batch__number", "position")
        .values_list("batch__number", "id", "item_id")
    )
    shown: dict[int, list[int]] = {}
    places = TrialOutput.objects.filter(trial__batch__campaign=campaign).order_by("position")
    pairs = places.values_list("trial_id", "output__system_id")
    for trial, system in pairs.iterator(chunk_size=20_000):
        shown.setdefault(trial, []).append(system_of[system])
    rows = list(trials)
    width = max((len(systems) for systems in shown.values()), default=1)
    systems = np.full((len(rows), width), NO_SYSTEM, dtype=np.int64)
    for index, (_number, trial, _item) in enumerate(rows):
        systems[index, : len(shown.get(trial, ()))] = shown.get(trial, ())
    items = np.array([item_of[item] for _number, _trial, item in rows], dtype=np.int64)
    sizes = np.unique([number for number, _trial, _item in rows], return_counts=True)[1]
    return items, systems, sizes


def _store(campaign: Campaign, extension: Extension, progress: Callable[[float], None]) -> None:
    old = list(campaign.batches.order_by("number").values_list("id", flat=True))
    copy_rows(
        "rankme_slot",
        (
            {"campaign_id": campaign.pk, "batch_id": batch, "copy": copy, "state": Slot.State.FREE}
            for copy in range(extension.raters_before, extension.raters_after)
            for batch in old
        ),
    )
    if not extension.new_batches:
        return
    added, growth, material = extension.added, extension.growth, extension.material
    plan = DrawnPlan(
        design=extension.definition.design.kind,
        options=growth.request.options,
        seed=growth.request.seed,
        raters_per_trial=extension.raters_after,
        items=added.items,
        systems=added.systems,
        batch_sizes=added.batch_sizes,
        balance=extension.after,
        notes=added.notes,
    )
    drawn = CampaignPlan(plan, material.items, material.systems, material.outputs)
    checks = draw_checks(campaign, drawn, first_number=len(old))
    store_plan(campaign, drawn, progress, first_number=len(old), checks=checks)
