"""The terms that people agree to: duration, pay, gate and contact."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from rankme.actions.sitting.quiz import quizzes_of
from rankme.models import Campaign, Trial
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.definition import Definition
from rankme.queries.documents import count_documents

from .endings import money


@dataclass(frozen=True)
class Gate:
    """The tests before the work, and the pay of those who fail."""

    examples: int
    tries: int
    has_questions: bool
    pay: str
    is_unpaid: bool  # in a study that pays


@dataclass(frozen=True)
class Terms:
    """The work of one batch; no pages and minutes before the launch has drawn the batches."""

    pages: int
    minutes: int
    practice: int
    batches: int
    pay: str
    pay_for_a_part: str
    contact: str
    needs_desktop: bool
    gate: Gate | None


@dataclass(frozen=True)
class Statement:
    """A statement that people tick before they begin, as a box of the consent page."""

    name: str
    text: str
    is_ticked: bool
    is_missing: bool  # from a form that was sent


def statements_of(definition: Definition, sent: Mapping[str, str] | None = None) -> list[Statement]:
    """The statements to tick, each with what a form says about it.

    The value of a box is its text, so that a page from before a change ticks nothing
    which its reader did not see.
    """
    boxes = []
    for number, text in enumerate(definition.texts.statements, start=1):
        name = f"statement-{number}"
        is_ticked = sent is not None and sent.get(name) == text
        boxes.append(Statement(name, text, is_ticked, sent is not None and not is_ticked))
    return boxes


def terms_of(campaign: Campaign, definition: Definition) -> Terms:
    crowd = definition.crowd
    launched_at = campaign.launched_at
    trials = _trials_per_batch(campaign.pk, launched_at.isoformat()) if launched_at else 0
    pages = _pages_per_batch(campaign, definition, trials) if trials else 0
    practice = len(definition.practice)
    practice_pages = practice * len(definition.screens)
    seconds = (pages + practice_pages) * crowd.expected_seconds_per_screen
    return Terms(
        pages=pages,
        minutes=max(1, round(seconds / 60)) if trials else 0,
        practice=practice,
        batches=crowd.batches_per_rater,
        pay=money(crowd.pay_per_batch, crowd.currency),
        pay_for_a_part=money(crowd.pay_by_outcome.returned, crowd.currency),
        contact=definition.texts.contact,
        needs_desktop=crowd.devices == "desktop",
        gate=gate_of(definition),
    )


def gate_of(definition: Definition) -> Gate | None:
    """The tests that raters must pass; None where they can only fail by declining."""
    examples = sum(bool(trial.expect) for trial in definition.practice)
    has_practice_gate = definition.practice_gate and examples > 0
    has_questions = bool(definition.rules.gate_if and quizzes_of(definition))
    if not has_practice_gate and not has_questions:
        return None
    crowd = definition.crowd
    outcome = Outcome.SCREENED_OUT if has_practice_gate else Outcome.FAILED_CHECKS
    pay = money(crowd.pay_by_outcome.of(outcome), crowd.currency)
    return Gate(
        examples=examples if has_practice_gate else 0,
        tries=definition.practice_tries,
        has_questions=has_questions,
        pay=pay,
        is_unpaid=not pay and crowd.pay_per_batch > 0,
    )


def _pages_per_batch(campaign: Campaign, definition: Definition, trials: int) -> int:
    if not definition.has_documents:
        return trials * len(definition.screens)
    planned = Trial.objects.filter(batch__campaign=campaign)
    batches = campaign.batches.count()
    return definition.screens_in_all(trials, round(count_documents(planned, definition) / batches))


@lru_cache(maxsize=64)
def _trials_per_batch(campaign_id: int, launched_at: str) -> int:
    """The mean, counted once per process: a launched plan never changes."""
    # The launch time is part of the key: an id alone could come back in a fresh database.
    trials = Trial.objects.filter(batch__campaign=campaign_id).count()
    batches = Campaign.objects.get(pk=campaign_id).batches.count()
    return round(trials / batches) if batches else 0
