"""Count the judgements of each system and of each pair of systems.

What a batch shows is fixed by the launch and takes seconds to count in a large plan, so it is
stored with the plan (`PlanCoverage`). What changes is counted each time: how often each batch was
finished, and the trials that are answered in sittings under way.
"""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from django.db.models import Count, Q

from rankme.models import Campaign, PlanCoverage, Slot

from .counting import ANALYSED_SCREENS
from .definitions import frozen_definition
from .items.answers import system_names
from .sql import rows_of

Key = tuple[int, ...]  # (system,) or (system, other system)

_SHOWN = """
    SELECT trial.batch_id, place.trial_id, output.system_id
    FROM rankme_batch batch
    JOIN rankme_trial trial ON trial.batch_id = batch.id
    JOIN rankme_trialoutput place ON place.trial_id = trial.id
    JOIN rankme_output output ON output.id = place.output_id
    WHERE batch.campaign_id = %(campaign)s
"""
_PAIRED = """
    FROM shown one JOIN shown other
    ON other.trial_id = one.trial_id AND other.system_id > one.system_id
"""
_SYSTEMS_OF_BATCHES = f"""
    WITH shown AS ({_SHOWN})
    SELECT batch_id, count(*), system_id FROM shown GROUP BY batch_id, system_id
"""
_PAIRS_OF_BATCHES = f"""
    WITH shown AS ({_SHOWN})
    SELECT one.batch_id, count(*), one.system_id, other.system_id {_PAIRED}
    GROUP BY one.batch_id, one.system_id, other.system_id
"""
# In a finished sitting everything is answered, so only the others' answers are counted singly.
_BEGUN = f"""
    SELECT s.trial_id, count(*) AS answered
    FROM rankme_assignment a
    JOIN rankme_submission s ON s.assignment_id = a.id
    WHERE a.campaign_id = %(campaign)s AND a.state <> 'completed'
      AND {ANALYSED_SCREENS} AND s.screen = %(screen)s
    GROUP BY s.trial_id
"""
_SHOWN_OF_BEGUN = """
    SELECT begun.trial_id, begun.answered, output.system_id
    FROM begun
    JOIN rankme_trialoutput place ON place.trial_id = begun.trial_id
    JOIN rankme_output output ON output.id = place.output_id
"""
_SYSTEMS_OF_BEGUN = f"""
    WITH begun AS ({_BEGUN}), shown AS ({_SHOWN_OF_BEGUN})
    SELECT sum(answered)::int, system_id FROM shown GROUP BY system_id
"""
_PAIRS_OF_BEGUN = f"""
    WITH begun AS ({_BEGUN}), shown AS ({_SHOWN_OF_BEGUN})
    SELECT sum(one.answered)::int, one.system_id, other.system_id {_PAIRED}
    GROUP BY one.system_id, other.system_id
"""


@dataclass(frozen=True)
class SystemCount:
    name: str
    judged: int
    planned: int


@dataclass(frozen=True)
class PairTable:
    """Counts of screens that show both systems; symmetric, the diagonal is empty."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[int | None, ...]], ...]
    least: int
    most: int


@dataclass(frozen=True)
class Composition:
    """The composition of a launched campaign's batches: counts of each key in each batch.

    Attributes
    ----------
    keys : the systems or pairs that are shown at all; shape (keys, 1 or 2)
    batch_ids : shape (rows,)
    key_numbers : shape (rows,), places in `keys`
    times : shape (rows,)
    """

    keys: np.ndarray
    batch_ids: np.ndarray
    key_numbers: np.ndarray
    times: np.ndarray

    @classmethod
    def of_rows(cls, rows: list[tuple[int, ...]], width: int) -> Composition:
        """Build it from rows of a batch, the times and a key of this many systems."""
        table = np.array(rows, dtype=np.int64).reshape(-1, 2 + width)
        keys, numbers = np.unique(table[:, 2:], axis=0, return_inverse=True)
        return cls(keys, table[:, 0], numbers.reshape(-1).astype(np.int32), table[:, 1])

    @classmethod
    def from_bytes(cls, content: bytes) -> Composition:
        with np.load(io.BytesIO(content)) as stored:
            return cls(**stored)

    def as_bytes(self) -> bytes:
        content = io.BytesIO()
        np.savez_compressed(content, **asdict(self))
        return content.getvalue()

    def weighed(self, sittings: Mapping[int, int]) -> Counter[Key]:
        """Count how often each key is shown when each batch is done that many times."""
        batches, places = np.unique(self.batch_ids, return_inverse=True)
        weights = np.array([sittings.get(batch, 0) for batch in batches.tolist()], dtype=np.int64)
        times = self.times * weights[places]
        shown = np.bincount(self.key_numbers, weights=times, minlength=len(self.keys))
        found = zip(map(tuple, self.keys.tolist()), map(int, shown.tolist()), strict=True)
        return Counter(dict(found))


def store_coverage(campaign: Campaign) -> PlanCoverage:
    """Count what each batch of the plan shows, and store it in place of what was stored."""
    queries = {"systems": (1, _SYSTEMS_OF_BATCHES), "pairs": (2, _PAIRS_OF_BATCHES)}
    found = {
        name: Composition.of_rows(rows_of(query, {"campaign": campaign.pk}), width).as_bytes()
        for name, (width, query) in queries.items()
    }
    return PlanCoverage.objects.update_or_create(campaign=campaign, defaults=found)[0]


def judged_by_system(campaign: Campaign, *, in_codes: bool = False) -> list[SystemCount]:
    """Count the judged and the planned outputs of each system."""
    composition = _composition(campaign, "systems")
    planned, finished = _sittings(campaign)
    goal = composition.weighed(planned)
    judged = composition.weighed(finished) + _begun(campaign, _SYSTEMS_OF_BEGUN)
    return [
        SystemCount(name, judged[(pk,)], goal[(pk,)])
        for pk, name in system_names(campaign, in_codes=in_codes).items()
    ]


def judged_by_pair(campaign: Campaign, *, in_codes: bool = False) -> PairTable | None:
    """None if no screen shows two systems side by side."""
    composition = _composition(campaign, "pairs")
    if not len(composition.keys):
        return None
    _, finished = _sittings(campaign)
    judged = composition.weighed(finished) + _begun(campaign, _PAIRS_OF_BEGUN)
    systems = list(system_names(campaign, in_codes=in_codes).items())
    rows = tuple(
        (name, tuple(_together(judged, pk, other) for other, _ in systems)) for pk, name in systems
    )
    cells = [cell for _, row in rows for cell in row if cell is not None]
    return PairTable(tuple(name for _, name in systems), rows, min(cells), max(cells))


def _together(judged: Counter[Key], one: int, other: int) -> int | None:
    return None if one == other else judged[(min(one, other), max(one, other))]


def _sittings(campaign: Campaign) -> tuple[dict[int, int], dict[int, int]]:
    """By batch: how many sittings are planned, and how many are finished."""
    done = Count("id", filter=Q(state=Slot.State.DONE))
    rows = campaign.slots.values_list("batch").annotate(planned=Count("id"), done=done)
    return {batch: planned for batch, planned, _ in rows}, {batch: done for batch, _, done in rows}


def _begun(campaign: Campaign, query: str) -> Counter[Key]:
    return Counter({tuple(key): answered for answered, *key in _rows(query, campaign)})


def _composition(campaign: Campaign, of: Literal["systems", "pairs"]) -> Composition:
    stored = PlanCoverage.objects.filter(campaign=campaign).only(of).first()
    # Plans of earlier versions are counted when somebody first looks at them.
    return Composition.from_bytes(getattr(stored or store_coverage(campaign), of))


def _rows(query: str, campaign: Campaign) -> list[tuple[Any, ...]]:
    screens = frozen_definition(campaign).definition.screens
    # The last that every trial has.
    last_screen = sum(screen.scope == "item" for screen in screens) - 1
    return rows_of(query, {"campaign": campaign.pk, "screen": last_screen})
