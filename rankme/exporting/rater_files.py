"""Export answers to checks, reported problems and raters' own answers, as CSV."""

from __future__ import annotations

from collections.abc import Iterator

from rankme.models import Campaign, RuleDecision
from rankme.protocols.files import stored_definition
from rankme.queries.check_answers import AnsweredCheck, answers_of, raters_at_work
from rankme.queries.complaints import complaints_of

from .files import CSV, ExportedFile, csv_line

RATERS_AT_ONCE = 100
CHECK_COLUMNS = (
    "rater", "check", "kind", "criterion", "item", "screen", "value", "other", "passed",
    "received_at", "tries", "passed_at_last", "excluded_by_rule",
)  # fmt: skip


def checks_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each answer to a check, by rater; memory stays flat."""
    yield csv_line(CHECK_COLUMNS)
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


PROBLEM_COLUMNS = ("item", "screen", "rater", "text", "received_at", "dealt_with_at", "is_check")


def complaints_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each report; the item is empty for a practice example."""
    yield csv_line(PROBLEM_COLUMNS)
    screens = [screen.name for screen in stored_definition(campaign.definition).screens]
    for complaint in complaints_of(campaign).iterator():
        dealt_with = complaint.dealt_with_at.isoformat() if complaint.dealt_with_at else ""
        yield csv_line(
            (
                complaint.trial.item.key if complaint.trial else "",
                screens[complaint.screen],
                complaint.participant.label,
                complaint.text,
                complaint.received_at.isoformat(),
                dealt_with,
                int(getattr(complaint.trial, "as_check", None) is not None),
            )
        )


def complaints_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-problems.csv", CSV, complaints_csv(campaign))


ANSWER_COLUMNS = ("rater", "when", "question", "answer", "excluded")


def own_answers_csv(campaign: Campaign) -> Iterator[bytes]:
    """One row for each answer, by rater; choices by their names."""
    yield csv_line(ANSWER_COLUMNS)
    excluded = set(
        campaign.rater_exclusions.filter(withdrawn_at=None).values_list("participant_id", flat=True)
    )
    raters = campaign.participants.order_by("pk").only("label", "entry_answers", "end_answers")
    for rater in raters.iterator():
        for when, answers in (("entry", rater.entry_answers), ("end", rater.end_answers)):
            for question, answer in answers.items():
                yield csv_line((rater.label, when, question, answer, int(rater.pk in excluded)))


def own_answers_file(campaign: Campaign) -> ExportedFile:
    return ExportedFile(f"{campaign.code}-answers.csv", CSV, own_answers_csv(campaign))
