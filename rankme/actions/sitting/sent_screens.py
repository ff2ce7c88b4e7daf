"""A screen that was sent, with what its rater was shown and what the record has of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import BigIntegerField, F, JSONField, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now

from rankme.actions.rows.speed_flags import OTHER_SCREENS, Sitting
from rankme.errors import InvalidAnswer, Problem
from rankme.models import Assignment, Output, Participant, Slot, Submission, Trial
from rankme.protocols.answers import Reading
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.sent_screen import SentScreen
from rankme.protocols.screens import ScreenSpec
from rankme.queries.definitions import FrozenDefinition, definition_of_sitting
from rankme.queries.trial_material import TrialMaterial, material_of

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


class OutputIds(TypedDict):
    output_ids: list[int]


# Written out, because Django takes longer to write an aggregate of a join than all the rest.
IN_ORDER = """ARRAY(
    SELECT output_id FROM rankme_trialoutput WHERE trial_id = rankme_trial.id ORDER BY position
)"""


@dataclass
class ShownScreen:
    """A screen as its rater saw it, with the sent answers and the record's earlier ones.

    Read under the lock of the sitting's slot; `earlier` is ordered by time. A repetition is
    answered from these fields alone: the rest is read when a rule asks for it.
    """

    sent: SentScreen
    assignment: Assignment
    sitting: Sitting
    lease_left: timedelta
    trial_id: int
    order: list[int]  # of the outputs, as this rater sees them
    earlier: list[Submission]
    is_second_browser: bool
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
    def trial(self) -> WithAnnotations[Trial, OutputIds]:
        in_order = RawSQL(IN_ORDER, [], ArrayField(BigIntegerField()))
        trials = Trial.objects.select_related("item", "as_check").annotate(output_ids=in_order)
        return trials.get(pk=self.trial_id)

    @cached_property
    def material(self) -> TrialMaterial:
        return material_of(self.trial)

    @cached_property
    def outputs(self) -> list[int]:
        """The ids of the outputs in the rater's order; none for a check, which has other texts."""
        if self.material.is_check:
            return []
        return [self.trial.output_ids[position] for position in self.order]

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
    """Lock the slot first, then read: a slot's assignments change only under its lock."""
    mine = Slot.objects.select_for_update(of=("self",)).filter(
        assignments__pk=sent.assignment, assignments__participant=participant
    )
    if not mine:
        raise InvalidAnswer([Problem("assignment", "does not belong to you")])
    assignment = _clocked(Assignment.objects.select_related("campaign"), sent).get(
        pk=sent.assignment
    )
    if sent.trial >= len(assignment.presentation):
        raise InvalidAnswer([Problem("trial", "is not in this batch")])
    trial_id, order = assignment.presentation[sent.trial]
    return ShownScreen(
        sent,
        assignment,
        Sitting(assignment.age.total_seconds(), *assignment.other_screens),
        assignment.lease_left,
        trial_id,
        order,
        _earlier(sent.key, assignment, trial_id, sent.screen),
        participant.is_second_browser,
    )


class Clock(TypedDict):
    age: timedelta
    lease_left: timedelta
    other_screens: tuple[int, float, float | None, int]


def _clocked(
    assignments: QuerySet[Assignment], sent: SentScreen
) -> QuerySet[WithAnnotations[Assignment, Clock]]:
    """The database's clock alone says how old a hold is and how long its lease still lasts."""
    return assignments.annotate(
        age=Now() - F("claimed_at"),
        lease_left=F("leased_until") - Now(),
        other_screens=RawSQL(OTHER_SCREENS, [str(sent.trial), sent.screen], JSONField()),
    )


# The columns that decide about another screen of the same sitting, or about the same key.
EARLIER = (
    "id, key, assignment_id, trial_id, screen, revision, late, surplus, flags, payload_sha256,"
    " chain_sha256"
)
# This key's row, the same screen's rows, and the newest of the assignment (for the chain). A union,
# because each part has its own index, which an OR between them would not use; and by -id, because
# "id DESC" lures the planner into walking the whole table backwards. Written out, because every
# screen that is sent asks this, and Django would take longer to write it than the database to
# answer.
EARLIER_SCREENS = f"""
    SELECT {EARLIER} FROM rankme_submission WHERE key = %(key)s
    UNION
    SELECT {EARLIER} FROM rankme_submission
    WHERE assignment_id = %(assignment)s AND trial_id = %(trial)s AND screen = %(screen)s
    UNION (
        SELECT {EARLIER} FROM rankme_submission
        WHERE assignment_id = %(assignment)s ORDER BY -id LIMIT 1
    )
    ORDER BY id
"""


def _earlier(key: UUID, assignment: Assignment, trial_id: int, screen: int) -> list[Submission]:
    """Read the submissions that decide about this screen, ordered by time."""
    asked = {"key": key, "assignment": assignment.pk, "trial": trial_id, "screen": screen}
    return list(Submission.objects.raw(EARLIER_SCREENS, asked))
