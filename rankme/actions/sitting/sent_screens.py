"""A screen that was sent, with what its rater was shown and what the record has of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import Any
from uuid import UUID

from rankme.errors import InvalidAnswer, Problem
from rankme.models import Assignment, Output, Participant, Submission, Trial
from rankme.protocols.answers import Reading
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.sent_screen import SentScreen
from rankme.protocols.screens import ScreenSpec
from rankme.queries.definitions import FrozenDefinition, definition_of_sitting
from rankme.queries.sql import kept, objects_of
from rankme.queries.trial_material import TrialMaterial, material_of_check

from .speed_flags import OTHER_SCREENS, Sitting

# A slot's assignments change only under its lock, and a statement sees what was committed before
# it began: so this one comes first, and the next one reads.
LOCK = """
    SELECT 1 FROM rankme_slot slot JOIN rankme_assignment sitting ON sitting.slot_id = slot.id
    WHERE sitting.id = %(assignment)s AND sitting.participant_id = %(participant)s
    FOR UPDATE OF slot
"""
# The columns that decide about another screen of the same sitting, or about the same key.
EARLIER = (
    "id, key, assignment_id, trial_id, screen, revision, late, surplus, flags, payload_sha256,"
    " chain_sha256"
)
# All that decides about a screen, by the database's clock: the sitting, the trial, and the
# submissions with this key, of this screen, and the newest of the sitting (for the chain). Those
# are a union, because each part has its own index, which an OR between them would not use; and by
# -id, because "id DESC" lures the planner into walking the whole table backwards.
# One statement, written out: every screen that is sent asks this, and Django takes longer to write
# a statement than the database to answer it.
SHOWN = f"""
    SELECT
        sitting.id, sitting.campaign_id, sitting.batch_id, sitting.slot_id, sitting.participant_id,
        sitting.version, sitting.state, sitting.counts, sitting.presentation,
        sitting.held_out, sitting.leased_until, sitting.claimed_at, sitting.ended_at,
        campaign.state AS campaign_state, campaign.version AS newest_version,
        statement_timestamp() - sitting.claimed_at AS age,
        sitting.leased_until - statement_timestamp() AS lease_left,
        {OTHER_SCREENS} AS other_screens,
        item.input AS item_input, item.reference AS item_reference, item.factors AS item_factors,
        checked.shown AS check_shown,
        ARRAY(SELECT output_id FROM rankme_trialoutput
              WHERE trial_id = trial.id ORDER BY position) AS output_ids,
        (SELECT words.salt FROM rankme_submissionwords words
            JOIN rankme_submission sent ON sent.id = words.submission_id
            WHERE sent.key = %(key)s) AS salt_of_this_key,
        (SELECT jsonb_agg(to_jsonb(found) ORDER BY found.id) FROM (
            SELECT {EARLIER} FROM rankme_submission WHERE key = %(key)s
            UNION
            SELECT {EARLIER} FROM rankme_submission
            WHERE assignment_id = sitting.id AND trial_id = trial.id AND screen = %(screen)s
            UNION (
                SELECT {EARLIER} FROM rankme_submission
                WHERE assignment_id = sitting.id ORDER BY -id LIMIT 1
            )
        ) AS found) AS earlier
    FROM rankme_assignment sitting
    JOIN rankme_campaign campaign ON campaign.id = sitting.campaign_id
    LEFT JOIN rankme_trial trial
        ON trial.id = (sitting.presentation #>> ARRAY[%(place)s::text, '0'])::bigint
    LEFT JOIN rankme_item item ON item.id = trial.item_id
    LEFT JOIN rankme_checktrial checked ON checked.trial_id = trial.id
    WHERE sitting.id = %(assignment)s
"""


@dataclass
class ShownScreen:
    """A screen as its rater saw it, with the sent answers and the record's earlier ones.

    Read under the lock of the sitting's slot; `earlier` is ordered by time.
    """

    sent: SentScreen
    assignment: Assignment
    sitting: Sitting
    lease_left: timedelta
    trial_id: int
    order: list[int]  # of the outputs, as this rater sees them
    material: TrialMaterial
    output_ids: list[int]  # in the order of the plan; a check has none
    earlier: list[Submission]
    is_second_browser: bool
    salt_of_this_key: str | None  # of a submission with this key, if it has words
    readings: list[Reading] = field(default_factory=list)  # filled when the answers are checked

    @cached_property
    def of_this_screen(self) -> list[Submission]:
        here = (self.assignment.pk, self.trial_id, self.sent.screen)
        return [
            found
            for found in self.earlier
            if (found.assignment_id, found.trial_id, found.screen) == here
        ]

    @cached_property
    def frozen(self) -> FrozenDefinition:
        return definition_of_sitting(self.assignment)

    @property
    def definition(self) -> Definition:
        return self.frozen.definition

    @property
    def spec(self) -> ScreenSpec:
        return self.definition.screens[self.sent.screen]

    @cached_property
    def questions(self) -> list[CriterionSpec]:
        return self.definition.questions(self.sent.screen)

    @cached_property
    def trial(self) -> Trial:
        """The trial with its item and its check, for the few rules that ask for more."""
        return Trial.objects.select_related("item", "as_check").get(pk=self.trial_id)

    @cached_property
    def outputs(self) -> list[int]:
        """The ids of the outputs in the rater's order; none for a check, which has other texts."""
        if self.material.is_check:
            return []
        return [self.output_ids[position] for position in self.order]

    def texts(self) -> list[str]:
        """The outputs as the rater sees them; most instruments need none, and no query.

        A check has none of the plan, and still costs the query: its time must not tell it apart.
        """
        texts: dict[int, str] = {}
        if any(criterion.tool.reads_outputs for criterion in self.questions):
            rows = Output.objects.filter(pk__in=self.outputs or [0])
            texts = dict(rows.values_list("pk", "text"))
        if self.material.is_check:
            return self.material.own_texts_in(self.order)
        return [texts[output] for output in self.outputs] if texts else []


def shown_screen(participant: Participant, sent: SentScreen) -> ShownScreen:
    """Lock the slot of the sitting, then read.

    Raises
    ------
    InvalidAnswer : the sitting is another rater's, or has no such trial
    """
    named = {"assignment": sent.assignment, "participant": participant.pk}
    with kept(LOCK, named) as cursor:
        if not cursor.rowcount:
            raise InvalidAnswer([Problem("assignment", "does not belong to you")])
    asked = named | {"key": sent.key, "place": str(sent.trial), "screen": sent.screen}
    row: Any = objects_of(Assignment, SHOWN, asked)[0]
    if sent.trial >= len(row.presentation):
        raise InvalidAnswer([Problem("trial", "is not in this batch")])
    # The campaign may have changed since the request began.
    participant.campaign.state = row.campaign_state
    participant.campaign.version = row.newest_version
    row.campaign = participant.campaign
    trial_id, order = row.presentation[sent.trial]
    return ShownScreen(
        sent,
        row,
        Sitting(row.age.total_seconds(), *json.loads(row.other_screens)),
        row.lease_left,
        trial_id,
        order,
        _material(row),
        row.output_ids,
        [_submission(found) for found in json.loads(row.earlier or "[]")],
        participant.is_second_browser,
        row.salt_of_this_key,
    )


def _material(row: Any) -> TrialMaterial:
    factors = json.loads(row.item_factors)
    if row.check_shown is not None:
        return material_of_check(json.loads(row.check_shown), factors)
    return TrialMaterial(len(row.output_ids), row.item_input, row.item_reference, factors)


def _submission(found: Mapping[str, Any]) -> Submission:
    return Submission(**{**found, "key": UUID(found["key"])})
