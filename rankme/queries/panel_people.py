"""The people of a study with what the record says about their work, for many decisions at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from django.utils.translation import gettext_lazy as _

from rankme.models import Campaign, PanelStudy, RaterExclusion, RuleDecision

from .check_answers import measures_by_rater
from .definitions import frozen_definition
from .panel_books import Books, Entry


@dataclass(frozen=True)
class Facts:
    """The evidence for and against a rater's work."""

    failed: int = 0
    answered: int = 0
    impossible_times: int = 0
    marks: tuple[str, ...] = ()
    is_excluded: bool = False

    @property
    def speaks_against(self) -> bool:
        return bool(self.failed or self.impossible_times or self.marks or self.is_excluded)


@dataclass(frozen=True)
class Person:
    """Somebody in the table of decisions."""

    entry: Entry
    facts: Facts = field(default_factory=Facts)

    @property
    def is_clean(self) -> bool:
        """Whether the reward waits, the code is right, and nothing speaks against the work."""
        entry = self.entry
        return entry.can_be_approved and entry.has_right_code and not self.facts.speaks_against


Choice = Callable[[Books], list[Entry]]
# The lists of the table, each with the entries from which it is made.
LISTS: dict[str, tuple[object, Choice]] = {
    "waiting": (_("Waiting for your decision"), lambda books: books.waiting),
    "clean": (_("Waiting, and nothing speaks against them"), lambda books: books.waiting),
    "doubtful": (_("Waiting, with something to look at"), lambda books: books.waiting),
    "both": (_("Finished on both sides"), lambda books: books.both),
    "here": (_("Finished here, but not at the panel"), lambda books: books.only_here),
    "there": (_("Finished at the panel, but not here"), lambda books: books.only_there),
    "asked": (_("Asked to return"), lambda books: books.asked_to_return),
    "work": (_("At work"), lambda books: books.working),
    "gone": (_("Returned or out of time"), lambda books: books.gone),
    "all": (_("Everybody"), lambda books: books.everybody),
}


def people_of(study: PanelStudy, books: Books) -> dict[str, list[Person]]:
    """Sort all people into the lists to which they belong."""
    raters = [entry.rater.pk for entry in books.everybody if entry.rater is not None]
    facts = facts_of(study.campaign, raters)
    lists = {}
    for name, (_title, choice) in LISTS.items():
        people = [
            Person(entry, facts[entry.rater.pk]) if entry.rater else Person(entry)
            for entry in choice(books)
        ]
        if name in ("clean", "doubtful"):
            people = [person for person in people if person.is_clean == (name == "clean")]
        lists[name] = people
    return lists


def facts_of(campaign: Campaign, raters: Sequence[int]) -> dict[int, Facts]:
    """By rater."""
    measures = measures_by_rater(campaign, raters)
    checks = list(frozen_definition(campaign).definition.checks)
    counted = [check.name for check in checks if check.kind != "repeat"]
    marks: dict[int, list[str]] = defaultdict(list)
    for decision in RuleDecision.objects.filter(participant__in=raters, action="flag"):
        marks[decision.participant_id] += decision.parts
    standing = RaterExclusion.objects.filter(participant__in=raters, withdrawn_at=None)
    excluded = set(standing.values_list("participant", flat=True))

    def total(rater: int, number: str) -> int:
        return sum(int(measures[rater].get(f"{name}.{number}") or 0) for name in counted)

    return {
        rater: Facts(
            failed=total(rater, "failed"),
            answered=total(rater, "answered"),
            impossible_times=int(measures[rater].get("impossible_times") or 0),
            marks=tuple(marks[rater]),
            is_excluded=rater in excluded,
        )
        for rater in raters
    }
