"""The simulated raters of a rehearsal: kinds at chosen shares, and their knowledge."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from math import inf

from django.db import connection
from django.db.models.functions import Now

from rankme.checks.moving_figures import in_words
from rankme.errors import RefusedAction
from rankme.models import Assignment, Campaign, CheckTrial, Participant
from rankme.queries.definitions import frozen_definition
from rankme.simulation.answers import quality_of
from rankme.simulation.characters import ATTACKERS, CHARACTERS, Knowledge

# In standard deviations of texts: what damage takes from one, and how far an order is apart.
DAMAGE, APART = 1.7, 1.5
# Simulated raters report the times of people, so their batches were handed out long ago.
SET_BACK = timedelta(days=1)


def read_kinds(text: str) -> dict[str, float]:
    """Read shares such as `careful=.8,copy=.2`.

    Raises
    ------
    RefusedAction : a kind is unknown, or a share is not a positive number
    """
    kinds: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.strip().partition("=")
        if name not in CHARACTERS:
            known = ", ".join(CHARACTERS)
            raise RefusedAction(f"There is no kind of rater “{name[:40]}”: {known}")
        try:
            kinds[name] = float(share)
        except ValueError:
            kinds[name] = -1.0
        if not 0 <= kinds[name] < inf:
            raise RefusedAction(f"Give “{name}” a share, such as {name}=.2")
    if not sum(kinds.values()):
        raise RefusedAction("At least one share must be above 0.")
    return kinds


def with_attackers(kinds: Mapping[str, float], share: float) -> dict[str, float]:
    """Mix attackers of all kinds in, so that together they are this share of the raters.

    Raises
    ------
    RefusedAction : the share is not one
    """
    if not 0 <= share < 1:
        raise RefusedAction("Give attackers a share of at least 0 and less than 1, such as .2")
    total = sum(kinds.values())
    mixed = {name: part / total * (1 - share) for name, part in kinds.items()}
    for name in ATTACKERS if share else ():
        mixed[name] = mixed.get(name, 0.0) + share / len(ATTACKERS)
    return mixed


def drawn_kind(kinds: Mapping[str, float], rng: random.Random) -> str:
    return rng.choices(list(kinds), list(kinds.values()))[0]


def knowledge_of(campaign: Campaign) -> Knowledge:
    """Collect what readers understand of the campaign's checks."""
    quality: dict[str, float] = {}
    asked: dict[tuple[str, str], tuple[float, float]] = {}
    checks = CheckTrial.objects.filter(campaign=campaign).select_related("source")
    for check in checks.prefetch_related("source__places__output"):
        texts, expected = check.shown["outputs"], check.expected
        if "good" in expected:
            good, bad = texts[expected["good"]], texts[expected["bad"]]
            quality[bad] = quality_of(good, {}) - DAMAGE
        elif check.source is not None and "source_output" in expected:
            good = check.source.places.all()[expected["source_output"]].output.text
            quality[texts[expected["output"]]] = quality_of(good, {}) - DAMAGE
        elif "order" in expected:
            quality |= {
                texts[place]: APART - rank * APART for rank, place in enumerate(expected["order"])
            }
        elif {"at_least", "at_most"} & expected.keys():
            bounds = (expected.get("at_least", -inf), expected.get("at_most", inf))
            asked[check.criterion, texts[expected["output"]]] = bounds
    definition = frozen_definition(campaign).definition
    fields = {
        f"entry-{question.name}": question.accept[0]
        for question in definition.entry_questions
        if question.accept
    }
    for spec in definition.checks:
        if spec.kind == "quiz":
            fields[f"quiz-{spec.name}"] = spec.settings.answer
        elif spec.kind == "figure":
            fields[f"figure-{in_words(spec.name)}"] = spec.settings.answer
    return Knowledge(quality, asked, fields)


def set_back(assignment: int) -> None:
    """Let a batch have been handed out a day ago."""
    Assignment.objects.filter(pk=assignment).update(claimed_at=Now() - SET_BACK)
    connection.close()  # raters are threads of their own


@dataclass(frozen=True)
class Detected:
    """Outcomes of the raters of one kind."""

    kind: str
    came: int
    turned_away: int
    excluded: int
    marked: int
    counted: int  # raters with a finished batch that counts
    found: int  # turned away, excluded or marked by the campaign's rules


def detected(campaign: Campaign, kinds: Mapping[str, str]) -> Iterator[Detected]:
    """Count by kind; `kinds` are those of the raters by their ids at the panel."""
    raters = {
        rater.pk: kinds[rater.external_id]
        for rater in Participant.objects.filter(campaign=campaign, external_id__in=kinds)
    }
    decided = campaign.rule_decisions
    columns = (
        decided.filter(action="gate"),
        campaign.rater_exclusions.filter(withdrawn_at=None),
        decided.filter(action="flag"),
        campaign.assignments.filter(counts=True, state=Assignment.State.COMPLETED),
        decided.all(),
    )
    found = [set(rows.values_list("participant", flat=True)) for rows in columns]
    counted = [Counter(raters[rater] for rater in column if rater in raters) for column in found]
    came = Counter(kinds.values())
    for kind in CHARACTERS:
        if came[kind]:
            yield Detected(kind, came[kind], *(column[kind] for column in counted))
