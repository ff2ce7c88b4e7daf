"""What every request of a running campaign needs to know, read once per process."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from rankme.models import Campaign
from rankme.protocols.definition import Definition
from rankme.protocols.files import stored_definition


@dataclass(frozen=True)
class FrozenDefinition:
    """A campaign's definition as an object, and the ids of its criteria by name."""

    definition: Definition
    criteria: dict[str, int]


def frozen_definition(campaign: Campaign) -> FrozenDefinition:
    """Read once per process for launched campaigns: a trigger has frozen their definitions."""
    if campaign.launched_at is None:
        return _read(campaign)
    return _kept(campaign.pk, campaign.launched_at.isoformat())


@lru_cache(maxsize=64)
def _kept(campaign_id: int, launched_at: str) -> FrozenDefinition:
    # The launch time is part of the key: an id alone could come back in a fresh database.
    return _read(Campaign.objects.get(pk=campaign_id))


def _read(campaign: Campaign) -> FrozenDefinition:
    return FrozenDefinition(
        stored_definition(campaign.definition),
        dict(campaign.criteria.values_list("name", "id")),
    )
