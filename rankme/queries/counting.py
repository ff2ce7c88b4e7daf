"""The counting rule: which of the stored submissions count.

For each screen of a counting sitting, the newest revision that is not surplus counts. Checks never
do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from django.db.models import BooleanField, Exists, F, Func, OuterRef, QuerySet

from rankme.models import Campaign, RaterExclusion, Submission

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

# The rule itself: conditions on a submission `s` and its assignment `a`.
NEWEST = """NOT s.surplus AND NOT EXISTS (
        SELECT FROM rankme_submission newer
        WHERE newer.assignment_id = s.assignment_id AND newer.trial_id = s.trial_id
            AND newer.screen = s.screen AND newer.revision > s.revision AND NOT newer.surplus)
    AND NOT EXISTS (SELECT FROM rankme_checktrial checked WHERE checked.trial_id = s.trial_id)"""
COUNTED = f"a.counts AND {NEWEST}"

# The sitting of an excluded rater may still stand for its slot, until another rater takes it; no
# analysis uses it, unless it is told to. Exports say both of each answer.
NOT_EXCLUDED = """NOT EXISTS (
        SELECT FROM rankme_raterexclusion excluded
        WHERE excluded.participant_id = a.participant_id AND excluded.withdrawn_at IS NULL)"""
ANALYSED = f"{COUNTED} AND {NOT_EXCLUDED}"

# One row for each screen with a submission that analyses use, however often it was changed. This
# needs no look at later revisions, so it is cheap: as long as a sitting is open, the first revision
# of a screen is never surplus.
ANALYSED_SCREENS = f"a.counts AND s.revision = 1 AND {NOT_EXCLUDED}"


# Each answer with its rater, item and criterion, for the conditions above.
ANSWERS = """FROM rankme_submission s
    JOIN rankme_assignment a ON a.id = s.assignment_id
    JOIN rankme_participant p ON p.id = a.participant_id
    JOIN rankme_trial t ON t.id = s.trial_id
    JOIN rankme_item i ON i.id = t.item_id
    JOIN rankme_judgement j ON j.submission_id = s.id
    JOIN rankme_criterion c ON c.id = j.criterion_id"""


class IsCounted(Func):
    """The rule as an expression of Django, for the submission with this id."""

    template = (
        "EXISTS (SELECT FROM rankme_submission s JOIN rankme_assignment a ON a.id = s.assignment_id"
        f" WHERE s.id = %(expressions)s AND {COUNTED})"
    )
    output_field = BooleanField()


class Counting(TypedDict):
    """The fields that `with_counting` adds to a submission."""

    is_counted: bool


def with_counting(
    submissions: QuerySet[Submission],
) -> QuerySet[WithAnnotations[Submission, Counting]]:
    """The submissions, each with `is_counted`."""
    return submissions.annotate(is_counted=IsCounted(F("pk")))


def newest(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Keep the newest submission of each screen that is not surplus, also those to checks."""
    newer = Submission.objects.filter(
        assignment=OuterRef("assignment"),
        trial=OuterRef("trial"),
        screen=OuterRef("screen"),
        revision__gt=OuterRef("revision"),
        surplus=False,
    )
    return submissions.filter(~Exists(newer), surplus=False)


def excluded_rater() -> Exists:
    """Whether the rater of a submission is excluded, as a condition."""
    return Exists(
        RaterExclusion.objects.filter(
            participant=OuterRef("assignment__participant"), withdrawn_at=None
        )
    )


def analysed_screens(campaign: Campaign) -> QuerySet[Submission]:
    """`ANALYSED_SCREENS` as a queryset: count the rows, and do not read the answers in them."""
    return Submission.objects.filter(
        ~excluded_rater(), assignment__campaign=campaign, assignment__counts=True, revision=1
    )
