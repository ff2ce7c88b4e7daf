"""Export answers to checks as CSV, apart from judgements, which they are not."""

from __future__ import annotations

from collections.abc import Iterator

from rankme.models import Campaign, RuleDecision
from rankme.queries.check_answers import AnsweredCheck, answers_of, raters_at_work

from .files import CSV, ExportedFile, csv_line

RATERS_AT_ONCE = 100
COLUMNS = (
    "rater", "check", "kind", "criterion", "item", "screen", "value", "other", "passed",
    "received_at", "tries", "passed_at_last", "excluded_by_rule",
)  # fmt: skip


def checks_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each answer to a check, by rater; memory stays flat."""
    yield csv_line(COLUMNS)
    raters = raters_at_work(campaign)
    labels = dict(campaign.participants.values_list("id", "label"))
    excluded = set(
        campaign.rule_decisions.filter(action=RuleDecision.Action.EXCLUDE).values_list(
            "participant_id", flat=True
        )
    )
    for first in range(0, len(raters), RATERS_AT_ONCE):
        for answered in answers_of(campaign, raters[first : first + RATERS_AT_ONCE]):
            rater = answered.participant
            yield csv_line((labels[rater], *_cells(answered), int(rater in excluded)))


def _cells(answered: AnsweredCheck) -> tuple[object, ...]:
    answer, sent = answered.answer, answered.submission
    screen = received = ""
    if sent is not None:
        screen = f"{sent.assignment_id}.{sent.trial_id}.{sent.screen}.{sent.revision}"
        received = sent.received_at.isoformat()
    passed, at_last = (
        "" if found is None else int(found) for found in (answer.passed, answered.passed_at_last)
    )
    return (
        answer.name, answer.kind, answered.criterion, answered.item, screen,
        *("" if number is None else number for number in (answer.value, answer.other)),
        passed, received, answered.tries or "", at_last,
    )  # fmt: skip


def checks_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-checks.csv", CSV, checks_csv(campaign))
