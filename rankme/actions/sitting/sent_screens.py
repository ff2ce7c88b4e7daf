"""What the record has of a screen that was sent, and how much of it a rater may send."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.db.models import F, JSONField, QuerySet
from django.db.models.expressions import RawSQL
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from rankme.actions.rows.payload_hashes import canonical
from rankme.actions.rows.speed_flags import OTHER_SCREENS, Sitting
from rankme.errors import InvalidAnswer, Problem, TooManySubmissions
from rankme.models import (
    Assignment,
    Participant,
    Slot,
    Submission,
)
from rankme.protocols.sent_screen import SentScreen
from rankme.queries.definitions import (
    FrozenDefinition,
)
from rankme.queries.trial_material import TrialMaterial

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

# Bytes of a screen without its comment and the texts that its questions ask for; real ones have
# about one thousand. The page's scripts bound what they log with this in mind.
LARGEST_SCREEN = 20_000
# As the page's text area has it; a comment in Chinese or Hindi has three bytes for each character.
LONGEST_COMMENT = 5_000
# Bounds that no person reaches, so that a script cannot fill the disk with what nobody may delete.
MOST_REVISIONS = 100
MOST_IN_A_MINUTE = 600


@dataclass(frozen=True)
class LocatedScreen:
    """What was sent for a screen, and what the record has of that screen and its sitting.

    Read under the lock of the sitting's slot; `earlier` is ordered by time.
    """

    sent: SentScreen
    assignment: Assignment
    sitting: Sitting
    lease_left: timedelta
    trial_id: int
    order: list[int]  # of the outputs, as this rater sees them
    earlier: list[Submission]

    @property
    def of_this_screen(self) -> list[Submission]:
        here = (self.assignment.pk, self.trial_id, self.sent.screen)
        return [
            found
            for found in self.earlier
            if (found.assignment_id, found.trial_id, found.screen) == here
        ]


def refuse_floods(located: LocatedScreen, *, share: float) -> None:
    """What is stored stays and counts; only more of the same is refused."""
    if located.sitting.lately >= MOST_IN_A_MINUTE * share:
        raise TooManySubmissions
    most = int(MOST_REVISIONS * share)
    if max((found.revision for found in located.of_this_screen), default=0) >= most:
        message = _(
            "You have changed your answer to this page %d times, and this is the limit. "
            "The previous answer counts."
        )
        message %= most
        raise InvalidAnswer([Problem("", message)])


def refuse_long(frozen: FrozenDefinition, material: TrialMaterial, sent: SentScreen) -> None:
    """Refuse what is larger than the screen can be; a character has at most four bytes."""
    if sent.screen >= len(frozen.definition.screens):
        return  # refused with the answers
    characters = sum(
        criterion.tool.most_characters(criterion.settings)
        * (material.outputs if criterion.about == "output" else 1)
        for criterion in frozen.definition.questions(sent.screen)
    )
    comment = sent.document.get("comment")
    if isinstance(comment, str) and len(comment) <= LONGEST_COMMENT:
        characters += len(comment)
    times = sent.document.get("times")
    is_long = len(canonical(sent.document)) > LARGEST_SCREEN + 4 * characters
    # What long answers may take is not for the clock.
    if is_long or len(canonical({"times": times})) > LARGEST_SCREEN:
        raise InvalidAnswer([Problem("", _("This answer is too long."))])


def located_screen(participant: Participant, sent: SentScreen) -> LocatedScreen:
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
    return LocatedScreen(
        sent,
        assignment,
        Sitting(assignment.age.total_seconds(), *assignment.other_screens),
        assignment.lease_left,
        trial_id,
        order,
        _earlier(sent.key, assignment, trial_id, sent.screen),
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
    """What the record has already that decides about this screen, ordered by time."""
    asked = {"key": key, "assignment": assignment.pk, "trial": trial_id, "screen": screen}
    return list(Submission.objects.raw(EARLIER_SCREENS, asked))
