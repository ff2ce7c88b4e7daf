"""Suggested marks as they come back from a rater: they must be those that the rater was shown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext

from rankme.errors import InvalidAnswer, Problem
from rankme.models import Output, Trial
from rankme.protocols.definition import Definition
from rankme.protocols.instruments.spans import is_open

Marks = Sequence[Mapping[str, Any]]


def refuse_invented(
    definition: Definition, screen: int, answers: Any, *, trial: Trial, outputs: Sequence[int]
) -> None:
    """Refuse marks that claim a source which suggested nothing like them, and suggestions that are
    still open where each is to be decided.

    How raters treat suggestions is a result of its own, so nobody may make some up. A mark that is
    not confirmed is still as it was suggested. Answers have been checked; those without suggestions
    need no query. `outputs` are those of the screen in its order: ids, or places of a check.

    Raises
    ------
    InvalidAnswer : with each output whose marks claim what was not suggested
    """
    marking = {
        criterion.name for criterion in definition.questions(screen) if criterion.tool.marks_outputs
    }
    claimed = [
        (answer, mark)
        for answer in answers
        if answer["criterion"] in marking and "value" in answer
        for mark in answer["value"]["marks"]
        if "prefilled" in mark
    ]
    if not claimed:
        return
    shown = list(_suggested(trial, outputs))
    problems = [
        Problem(f"{answer['criterion']}[{answer['place']}]", "this mark was not suggested here")
        for answer, mark in claimed
        if not _is_one_of(mark, shown[answer["place"]])
    ]
    if problems := problems or list(_undecided(definition, claimed)):
        raise InvalidAnswer(problems[:1])


def _undecided(
    definition: Definition, claimed: Sequence[tuple[Mapping[str, Any], Mapping[str, Any]]]
) -> Iterator[Problem]:
    """List answers with suggestions that nobody touched, where the campaign asks about each.

    Only new answers are asked about: those from before the question are read again as they are.
    """
    still_open = Counter(
        (answer["criterion"], answer["place"]) for answer, mark in claimed if is_open(mark)
    )
    for (name, place), count in still_open.items():
        criterion = definition.criterion(name)
        if getattr(criterion.settings, "unconfirmed", "") == "ask":
            words = gettext(criterion.tool.words["open_suggestions"]).format(count=count)
            yield Problem(f"{name}[{place}]", words)


def _suggested(trial: Trial, outputs: Sequence[int]) -> Iterator[Marks]:
    """The suggestions for each output of the screen."""
    check = getattr(trial, "as_check", None)
    if check is not None:
        stored = check.shown.get("marks") or {}
        yield from (stored[place] if stored else () for place in outputs)
        return
    marks = dict(Output.objects.filter(pk__in=outputs).values_list("pk", "marks"))
    yield from (marks[output] or () for output in outputs)


def _is_one_of(mark: Mapping[str, Any], suggested: Marks) -> bool:
    for original in suggested:
        if (original["id"], original["prefilled"]) == (mark["id"], mark["prefilled"]):
            start_and_end = original["start"], original["end"]
            is_moved = start_and_end != (mark.get("start"), mark.get("end"))
            return mark.get("confirmed") is True or not is_moved
    return False
