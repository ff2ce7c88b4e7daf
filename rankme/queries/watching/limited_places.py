"""How many raters with an answer have a place, where the campaign limits them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from rankme.models import Assignment, Campaign, Participant
from rankme.protocols.questions import names_asked
from rankme.queries.definitions import frozen_definition


@dataclass(frozen=True)
class LimitedPlace:
    """The raters with one answer to an entry question: those who have a place, and how many may."""

    question: str
    answer: str
    taken: int
    most: int

    @property
    def is_full(self) -> bool:
        return self.taken >= self.most


def limited_places(
    campaign: Campaign, answers: Mapping[str, str] | None = None
) -> list[LimitedPlace]:
    """The limits of a campaign with who counts towards them; of these answers alone, if given.

    Raters have a place who have finished, who hold a batch, or who came within the time for which
    a batch is held. Raters who leave without work, or are turned away, give it back.
    """
    definition = frozen_definition(campaign).definition
    pairs = [
        (question, answer, most)
        for question in definition.entry_questions
        for answer, most in question.most.items()
    ]
    if answers is not None:
        asked = names_asked(definition.entry_questions, answers)
        pairs = [
            (question, answer, most)
            for question, answer, most in pairs
            if question.name in asked and answers.get(question.name) == answer
        ]
    if not pairs:
        return []
    state = Participant.State
    lately = timezone.now() - timedelta(minutes=definition.crowd.lease_minutes)
    holds = Exists(Assignment.objects.live().filter(participant=OuterRef("pk")))
    placed = campaign.participants.filter(
        Q(state=state.COMPLETED) | Q(state=state.WORKING) & (Q(entered_at__gte=lately) | Q(holds))
    )
    return [
        LimitedPlace(
            question=question.question,
            answer=question.choices.get(answer, answer),
            taken=placed.filter(entry_answers__contains={question.name: answer}).count(),
            most=most,
        )
        for question, answer, most in pairs
    ]
