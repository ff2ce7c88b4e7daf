"""Questions about the instructions, before the work: tries are counted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from django.db import transaction

from rankme.models import Participant, QuizAttempt
from rankme.panel_links.outcomes import Outcome
from rankme.protocols.checks import CheckSpec
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition

from . import check_rules
from .figures import figures_of, results_of
from .participation import end_work


@dataclass(frozen=True)
class Tried:
    """The result of one try at all questions."""

    passed: bool
    tries_left: int


def quizzes_of(definition: Definition) -> list[CheckSpec]:
    return [check for check in definition.checks if check.kind == "quiz"]


def asks_before_work(definition: Definition) -> bool:
    """Whether there are questions or figures between the instructions and the work."""
    return bool(quizzes_of(definition) or figures_of(definition))


def figures_to_ask(participant: Participant, definition: Definition) -> list[CheckSpec]:
    """The figures, until they are answered: a second try at the questions has none."""
    figures = figures_of(definition)
    return [] if figures and participant.quiz_attempts.exists() else figures


def is_pending(participant: Participant, definition: Definition) -> bool:
    """Whether the rater has still to answer the questions."""
    if not asks_before_work(definition):
        return False
    quizzes = quizzes_of(definition)
    attempts = list(participant.quiz_attempts.order_by("number"))
    if len(attempts) >= _tries(quizzes):
        return False
    return not attempts or not _are_right(quizzes, attempts[-1].answers)


def answer_quiz(participant: Participant, answers: Mapping[str, str]) -> Tried:
    """Store a try; after the last one the campaign's rule says who may work.

    Another browser than the rater's own cannot use up their tries: what it gets wrong is not
    stored.
    """
    definition = frozen_definition(participant.campaign).definition
    quizzes = quizzes_of(definition)
    passed = _are_right(quizzes, answers)
    with transaction.atomic():
        Participant.objects.select_for_update(no_key=True).get(pk=participant.pk)
        if not is_pending(participant, definition):
            return Tried(passed, 0)
        number = participant.quiz_attempts.count() + 1
        left = _tries(quizzes) - number
        if participant.is_second_browser and not passed:
            return Tried(passed, left + 1)
        QuizAttempt.objects.create(
            participant=participant,
            number=number,
            answers={quiz.name: answers.get(quiz.name, "") for quiz in quizzes}
            | results_of(participant, figures_to_ask(participant, definition), answers),
        )
    if (passed or not left) and check_rules.decide_gate(participant):
        end_work(participant, Outcome.FAILED_QUIZ)
    return Tried(passed, left)


def _tries(quizzes: list[CheckSpec]) -> int:
    """All questions are asked together, so the most generous one decides."""
    return max((int(quiz.settings.tries) for quiz in quizzes), default=1)


def _are_right(quizzes: list[CheckSpec], answers: Mapping[str, str]) -> bool:
    return all(answers.get(quiz.name) == quiz.settings.answer for quiz in quizzes)
