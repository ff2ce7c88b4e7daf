"""Cache campaigns' definitions, one copy per process."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from rankme.models import Assignment, Campaign, CampaignVersion
from rankme.protocols.definition import Definition
from rankme.protocols.files import stored_definition


@dataclass(frozen=True)
class FrozenDefinition:
    """A campaign's definition as an object, and the ids of its criteria by name.

    `kept` has what pages make of the definition alone, so that they make it once.
    """

    definition: Definition
    criteria: dict[str, int]
    kept: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)


def frozen_definition(campaign: Campaign, version: int | None = None) -> FrozenDefinition:
    """The definition of a version, or of the newest one.

    Read once per process for launched campaigns: versions are never changed.
    """
    if campaign.launched_at is None:
        return _read(campaign, campaign.definition)
    number = campaign.version if version is None else version
    return _kept(campaign.pk, campaign.launched_at.isoformat(), number)


def definition_of_sitting(assignment: Assignment) -> FrozenDefinition:
    """The definition of which all screens of a sitting are, whatever has changed meanwhile."""
    return frozen_definition(assignment.campaign, assignment.version)


@lru_cache(maxsize=256)
def _kept(campaign_id: int, launched_at: str, version: int) -> FrozenDefinition:
    # The launch time is part of the key: an id alone could come back in a fresh database.
    found = CampaignVersion.objects.select_related("campaign")
    row = found.get(campaign_id=campaign_id, number=version)
    return _read(row.campaign, row.definition)


def _read(campaign: Campaign, document: Any) -> FrozenDefinition:
    return FrozenDefinition(
        stored_definition(document), dict(campaign.criteria.values_list("name", "id"))
    )
