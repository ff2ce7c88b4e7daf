"""The plan of a campaign: drawn with its design and checks, and stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.utils.translation import gettext as _

from analysis.inference import is_between_raters
from rankme.actions.material.media import problem_with_files
from rankme.actions.rows import check_pages
from rankme.actions.rows.bulk_insert import copy_rows, new_ids
from rankme.actions.rows.pictures import problem_with_pictures
from rankme.checks.drawing import CheckedBatch, CheckError
from rankme.designs.document_order import Documents
from rankme.designs.plan import NO_SYSTEM, Coverage, DesignError, DrawnPlan, Indexes
from rankme.designs.registry import draw
from rankme.errors import RefusedAction
from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.dialogues import text_checks
from rankme.protocols.files import stored_definition
from rankme.queries.check_plan import checked_batches
from rankme.queries.coverage import store_coverage
from rankme.queries.documents import documents_of

ROWS_PER_REPORT = 2_000


@dataclass(frozen=True)
class CampaignPlan:
    """A plan and the ids behind its indexes; `outputs` as `PlannedMaterial` has them."""

    plan: DrawnPlan
    items: list[int]
    systems: list[int]
    outputs: Indexes
    documents: Documents | None = None

    def count_documents(self) -> int:
        """Count the documents that its trials show, with repetitions."""
        if self.documents is None:
            return 0
        firsts = [items[0] for items in self.documents.segments]
        return int(np.isin(self.plan.items, firsts).sum())

    def shown_in(self, trial: int) -> tuple[int, list[int]]:
        """The ids of a trial's item and of the outputs that it shows."""
        item = int(self.plan.items[trial])
        systems = self.plan.systems[trial]
        outputs = self.outputs[item, systems[systems != NO_SYSTEM]].tolist()
        return self.items[item], outputs


def draw_plan(campaign: Campaign) -> CampaignPlan:
    """Draw the plan that a launch would store; the same campaign draws the same plan."""
    definition = stored_definition(campaign.definition)
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
            names=_names_of(campaign, definition),
        )
    except DesignError as error:
        raise RefusedAction(str(error)) from error
    if not definition.looks.is_fixed and not _compares_on_items(plan):
        raise RefusedAction(
            _(
                "Looks while raters work compare systems that a rater judges on the same item, but "
                "no batch of this plan shows two systems of an item."
            )
        )
    return CampaignPlan(plan, material.items, material.systems, material.outputs, documents)


def shows_one_system_each(plan: DrawnPlan) -> bool:
    """Whether no batch of a plan shows two systems, although there are several."""
    batch = np.repeat(np.arange(len(plan.batch_sizes)), plan.batch_sizes)
    trial, place = np.nonzero(plan.systems != NO_SYSTEM)
    return is_between_raters(batch[trial], plan.systems[trial, place])


def _compares_on_items(plan: DrawnPlan) -> bool:
    """Whether some batch shows two systems of one item; also where there is only one system."""
    batch = np.repeat(np.arange(len(plan.batch_sizes)), plan.batch_sizes)
    trial, place = np.nonzero(plan.systems != NO_SYSTEM)
    shown = np.column_stack([batch[trial], plan.items[trial], plan.systems[trial, place]])
    met = np.unique(shown, axis=0)
    return len(np.unique(met[:, 2])) < 2 or len(np.unique(met[:, :2], axis=0)) < len(met)


@dataclass(frozen=True)
class PlannedMaterial:
    """The ids of items and systems in order, and of the outputs: shape (items, systems), 0 where
    there is none. A dictionary of three million outputs would need half a gigabyte.
    """

    items: list[int]
    systems: list[int]
    outputs: Indexes

    @property
    def coverage(self) -> Coverage:
        """Shape (items, systems), true where there is an output."""
        return self.outputs > 0


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
        stored_definition(campaign.definition),
        drawn.plan,
        items=drawn.items,
        outputs=drawn.outputs,
        first_number=first_number,
    )
    try:
        yield from batches
    except CheckError as error:
        raise RefusedAction(str(error)) from error


def _outputs_by_indexes(campaign: Campaign, items: list[int], systems: list[int]) -> Indexes:
    item_index = {item: index for index, item in enumerate(items)}
    system_index = {system: index for index, system in enumerate(systems)}
    # An import that commits just now may have brought outputs of items that were not read.
    rows = campaign.items.filter(outputs__isnull=False).order_by()
    ids = rows.values_list("id", "outputs__system_id", "outputs__id")
    outputs = np.zeros((len(items), len(systems)), dtype=np.int64)
    for item, system, output in ids.iterator(chunk_size=20_000):
        if item in item_index and system in system_index:
            outputs[item_index[item], system_index[system]] = output
    return outputs


def _names_of(campaign: Campaign, definition: Definition) -> tuple[list[str], list[str]]:
    """The names of items and systems, in order, for a plan that names them."""
    if definition.design.kind != "own_plan":
        return [], []
    return (
        list(campaign.items.order_by("position").values_list("key", flat=True)),
        list(campaign.systems.order_by("position").values_list("name", flat=True)),
    )


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


def store_plan(
    campaign: Campaign,
    drawn: CampaignPlan,
    progress: Callable[[float], None],
    *,
    first_number: int = 0,
    checks: Iterable[CheckedBatch] = (),
) -> None:
    """Write batches, trials, their outputs and slots by COPY: a large plan has 10^6 rows.

    Each COPY ends with the check of its references, which would otherwise all wait for the commit.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    plan, items = drawn.plan, drawn.items
    batches = new_ids("rankme_batch", len(plan.batch_sizes))
    trials = new_ids("rankme_trial", len(plan.items))
    batch_of_trial = np.repeat(np.arange(len(plan.batch_sizes)), plan.batch_sizes)
    starts = np.concatenate(([0], np.cumsum(plan.batch_sizes)[:-1]))
    positions = np.arange(len(plan.items)) - starts[batch_of_trial]
    copy_rows(
        "rankme_batch",
        (
            {"id": batch, "campaign_id": campaign.pk, "number": number}
            for number, batch in enumerate(batches, start=first_number)
        ),
    )
    pages: list[check_pages.Page] = []
    for number, checked in enumerate(checks):
        start, size = int(starts[number]), int(plan.batch_sizes[number])
        positions[start : start + size] = check_pages.positions_of_trials(checked, size)
        pages += check_pages.pages_of(checked, batches[number], trials[start : start + size])
    copy_rows(
        "rankme_trial",
        (
            {
                "id": trials[index],
                "batch_id": batches[batch],
                "position": int(positions[index]),
                "item_id": items[plan.items[index]],
            }
            for index, batch in counted(batch_of_trial, progress, upto=0.3)
        ),
    )
    check_pages.store(campaign, pages)
    _store_outputs(drawn, trials, progress)
    copy_rows(
        "rankme_slot",
        (
            {"campaign_id": campaign.pk, "batch_id": batch, "copy": copy, "state": "free"}
            for copy in range(plan.raters_per_trial)
            for batch in batches
        ),
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
    store_coverage(campaign)


def _store_outputs(
    drawn: CampaignPlan, trials: Sequence[int], progress: Callable[[float], None]
) -> None:
    """Store which outputs each trial shows, in the order of the plan."""
    plan = drawn.plan
    copy_rows(
        "rankme_trialoutput",
        (
            {"trial_id": trials[index], "position": position, "output_id": output}
            for index, systems in counted(plan.systems, progress, since=0.3, upto=0.9)
            for position, output in enumerate(
                drawn.outputs[plan.items[index], systems[systems != NO_SYSTEM]].tolist()
            )
        ),
    )


def counted(
    rows: np.ndarray, progress: Callable[[float], None], *, since: float = 0.0, upto: float
) -> Iterator[tuple[int, np.ndarray]]:
    """Like `enumerate`, and reports its progress from time to time."""
    for index, row in enumerate(rows):
        if index % ROWS_PER_REPORT == 0:
            progress(since + (upto - since) * index / len(rows))
        yield index, row
