"""How many raters each system has, where an own plan shows every rater one system.

A rater counts who holds a batch or has finished it; one who gave it back, whose time ran out or who
was excluded does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition
from rankme.queries.items.answers import system_names
from rankme.queries.sql import rows_of

# Tables for a statement: which systems each batch shows, and how many raters each such set has.
RATERS_OF_SYSTEMS = """
    shown AS (
        SELECT batch.id AS batch_id, array_agg(DISTINCT output.system_id) AS systems
        FROM rankme_batch batch
        JOIN rankme_trial trial ON trial.batch_id = batch.id
        JOIN rankme_trialoutput place ON place.trial_id = trial.id
        JOIN rankme_output output ON output.id = place.output_id
        WHERE batch.campaign_id = {campaign}
        GROUP BY batch.id
    ), taken AS (
        SELECT shown.systems, count(*) FILTER (WHERE slot.state <> 'free') AS raters,
            count(*) AS places
        FROM shown JOIN rankme_slot slot ON slot.batch_id = shown.batch_id
        GROUP BY shown.systems
    )
"""
COUNTS = f"""
    WITH {RATERS_OF_SYSTEMS.format(campaign="%(campaign)s")}
    SELECT systems, raters, places FROM taken
"""


@dataclass(frozen=True)
class RatersOfSystem:
    """A system's raters who hold a batch or have finished it, of those that the plan has."""

    system: str
    raters: int
    places: int


def shares_raters(definition: Definition) -> bool:
    """Whether raters are divided evenly among the systems that batches show."""
    return definition.design.kind == "own_plan" and definition.crowd.batches_per_rater == 1


def raters_of_systems(campaign: Campaign, *, in_codes: bool = False) -> list[RatersOfSystem]:
    """Count each system's raters; none where a batch shows several systems.

    `in_codes` gives systems neutral names.
    """
    if not shares_raters(frozen_definition(campaign).definition):
        return []
    rows = rows_of(COUNTS, {"campaign": campaign.pk})
    if not shows_one_system_each(systems for systems, _, _ in rows):
        return []
    names = system_names(campaign, in_codes=in_codes)
    found = {systems[0]: (raters, places) for systems, raters, places in rows}
    return [RatersOfSystem(name, *found[pk]) for pk, name in names.items() if pk in found]


def shows_one_system_each(groups: Iterable[list[int]]) -> bool:
    """Whether every batch shows a single system, and there are several, from their sets."""
    sets = list(groups)
    return len(sets) > 1 and all(len(systems) == 1 for systems in sets)
