"""Collect what raters said about one item: values, texts, marks, comments, reports and checks."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from statistics import fmean, stdev
from typing import Any

from django.db.models import Prefetch, QuerySet
from django.utils.translation import gettext as _

from rankme.models import (
    Assignment,
    Campaign,
    CheckTrial,
    Item,
    Judgement,
    Output,
    Submission,
)
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.marks import Mark, whole_mark
from rankme.protocols.files import stored_definition
from rankme.queries.check_answers import AnsweredCheck, answers_of
from rankme.queries.counting import excluded_rater, newest, with_counting
from rankme.queries.watching.own_words import comment_of, fill_in_words

# More raters than these are read in the export.
MOST_SUBMISSIONS = 1_000


@dataclass(frozen=True)
class Said:
    """An answer in words, and the number behind it."""

    words: str
    number: float | None


@dataclass
class RaterAnswers:
    """What one rater said about one output, or about the item, on all screens of a sitting."""

    rater: str
    is_counted: bool
    is_excluded: bool
    seconds: float = 0.0
    said: dict[str, Said] = field(default_factory=dict)
    comments: list[str] = field(default_factory=list)
    marks: list[RaterMark] = field(default_factory=list)


@dataclass(frozen=True)
class RaterMark:
    """One error that a rater marked; one without a place says that words are missing."""

    rater: str
    mark: Mark

    @property
    def said(self) -> str:
        """The rater and what is wrong, for people."""
        named = (self.rater, self.mark["category"], self.mark["severity"], self.mark["note"])
        return ", ".join(filter(None, named))

    def covers(self, start: int, end: int) -> bool:
        """Whether it is on all of this stretch of the output."""
        first, last = self.mark["start"], self.mark["end"]
        return first is not None and last is not None and first <= start and end <= last


@dataclass(frozen=True)
class Stretch:
    """A part of a text with the marks that all raters made on it."""

    text: str
    marks: tuple[RaterMark, ...]

    @property
    def level(self) -> int:
        """How many raters marked it, up to 3."""
        return min(len({mark.rater for mark in self.marks}), 3)

    @property
    def said(self) -> str:
        """Who marked it, as what."""
        return "; ".join(mark.said for mark in self.marks)


@dataclass(frozen=True)
class AnswersAbout:
    """One output with everything that was said about it; `output` is None for the item itself."""

    name: str
    output: Output | None
    criteria: list[str]
    raters: list[RaterAnswers]

    @property
    def rows(self) -> list[tuple[RaterAnswers, list[Said | None]]]:
        """Each rater with the answers in the order of the criteria."""
        return [(rater, [rater.said.get(name) for name in self.criteria]) for rater in self.raters]

    @property
    def marks(self) -> list[RaterMark]:
        """All marks, rater by rater."""
        return [mark for rater in self.raters for mark in rater.marks]

    @property
    def stretches(self) -> list[Stretch]:
        """The output's text, cut wherever a mark begins or ends."""
        text = self.output.text if self.output else ""
        marks = [mark for mark in self.marks if mark.mark["side"] == "output"]
        places = {place for mark in marks for place in (mark.mark["start"], mark.mark["end"])}
        cuts = sorted({0, len(text), *(place for place in places if place is not None)})
        return [
            Stretch(text[start:end], tuple(mark for mark in marks if mark.covers(start, end)))
            for start, end in pairwise(cuts)
        ]

    @property
    def summary(self) -> list[str]:
        """The mean and SD of each criterion's numbers that count."""
        return [_summary(self.raters, name) for name in self.criteria]


@dataclass(frozen=True)
class ItemAnswers:
    """Everything about an item; `is_cut` says that it has more answers than a page shows."""

    about: list[AnswersAbout]
    checks: list[AnsweredCheck]
    is_cut: bool


def system_names(campaign: Campaign, *, in_codes: bool) -> dict[int, str]:
    """Return what each system is called, by id, in the order of the upload or of the codes."""
    if in_codes:
        return codes_of(campaign)
    return dict(campaign.systems.order_by("position").values_list("pk", "name"))


def codes_of(campaign: Campaign) -> dict[int, str]:
    """Return a code for each system, by id, in an order that says nothing about the upload."""
    ids = list(campaign.systems.order_by("position").values_list("pk", flat=True))
    Random(campaign.seed).shuffle(ids)
    digits = max(2, len(str(len(ids))))
    return {pk: f"S{number:0{digits}}" for number, pk in enumerate(ids, 1)}


def answers_about(campaign: Campaign, item: Item, names: Mapping[int, str]) -> ItemAnswers:
    """Collect all answers about an item, by output.

    Parameters
    ----------
    names : what the page calls the systems, by id
    """
    outputs = sorted(
        item.outputs.select_related("media", "system"), key=lambda output: names[output.system_id]
    )
    submissions = list(_submissions_about(item)[: MOST_SUBMISSIONS + 1])
    definition = stored_definition(campaign.definition)
    by_output = _by_output(submissions[:MOST_SUBMISSIONS], definition)
    about = [
        _answers_about(output, names[output.system_id], by_output.get(output.pk, []), definition)
        for output in outputs
    ]
    if by_output.get(None):
        about.append(_answers_about(None, _("The item as a whole"), by_output[None], definition))
    return ItemAnswers(about, _checks_on(campaign, item), len(submissions) > MOST_SUBMISSIONS)


# --- Reading -------------------------------------------------------------------------------------

Given = tuple[Submission, Judgement]


def _submissions_about(item: Item) -> QuerySet[Any]:
    """The newest answers of every sitting, by sitting: the keys of the table begin with it."""
    # Lists, not subqueries: with these the planner reads every submission of the site.
    trials = list(item.trials.filter(as_check=None).order_by().values_list("pk", "batch"))
    batches = [batch for _trial, batch in trials]
    sittings = Assignment.objects.filter(slot__batch__in=batches).order_by()
    judgements = Judgement.objects.select_related("criterion").order_by("criterion__position", "pk")
    found = Submission.objects.filter(
        assignment__in=list(sittings.values_list("pk", flat=True)),
        trial__in=[trial for trial, _batch in trials],
    )
    return (
        with_counting(newest(found))
        .annotate(is_excluded=excluded_rater())
        .select_related("assignment__participant", "trial", "own_words")
        .prefetch_related(Prefetch("judgements", queryset=judgements), "trial__places")
        .order_by("assignment_id", "trial_id", "screen")
    )


def _by_output(
    submissions: Sequence[Any], definition: Definition
) -> dict[int | None, list[RaterAnswers]]:
    """Put the answers of one rater to several screens side by side."""
    lines: dict[tuple[int | None, int], RaterAnswers] = {}
    for sent in submissions:
        shown = [place.output_id for place in sent.trial.places.all()]
        only = shown[0] if len(shown) == 1 else None
        met = set()
        fill_in_words(sent, sent.judgements.all())
        for judgement in sent.judgements.all():
            output = judgement.output_id or only
            line = lines.setdefault((output, sent.assignment_id), _line(sent))
            line.said[judgement.criterion.name] = said_of(judgement, definition)
            line.marks += _marks(judgement, line.rater, definition)
            met.add(output)
        for output in met:
            line = lines[output, sent.assignment_id]
            line.seconds += seconds_of(sent) or 0.0
            if comment := comment_of(sent):
                line.comments.append(comment)
    by_output: dict[int | None, list[RaterAnswers]] = defaultdict(list)
    for (output, _sitting), line in lines.items():
        by_output[output].append(line)
    return by_output


def _line(sent: Any) -> RaterAnswers:
    return RaterAnswers(sent.assignment.participant.label, sent.is_counted, sent.is_excluded)


def seconds_of(sent: Submission) -> float | None:
    """The time that the rater's browser measured for the screen, if it did."""
    times = sent.payload.get("times")
    spent = times.get("spent_ms") if isinstance(times, dict) else None
    return spent / 1000 if isinstance(spent, int | float) else None


def _marks(judgement: Judgement, rater: str, definition: Definition) -> Iterator[RaterMark]:
    spec = _spec(judgement, definition)
    if spec is not None and spec.tool.marks_outputs and judgement.text:
        for mark in json.loads(judgement.text)["marks"]:
            yield RaterMark(rater, whole_mark(mark))


def _spec(judgement: Judgement, definition: Definition) -> CriterionSpec | None:
    """The question that was answered; None for a number that follows from another answer."""
    name = judgement.criterion.name
    return next((each for each in definition.criteria if each.name == name), None)


def said_of(judgement: Judgement, definition: Definition) -> Said:
    """An answer in the words of its instrument."""
    if judgement.cannot_judge is not None:
        reason = judgement.cannot_judge
        return Said(_("cannot judge") + (f" ({reason})" if reason else ""), None)
    name, number = judgement.criterion.name, judgement.value
    spec = _spec(judgement, definition)
    if spec is None:
        label = definition.labels.get(name, {}).get(number) if number is not None else None
        return Said(label or (judgement.text if number is None else f"{number:g}"), number)
    if spec.tool.marks_outputs and number is not None:
        return Said(f"{number:g}", number)  # the marks are shown in the text
    return Said(spec.tool.said(number, judgement.text, spec.settings), number)


def _checks_on(campaign: Campaign, item: Item) -> list[AnsweredCheck]:
    trials = CheckTrial.objects.filter(campaign=campaign, trial__item=item)
    raters = Assignment.objects.filter(slot__batch__in=trials.values("trial__batch"))
    ids = list(raters.values_list("participant", flat=True).distinct()[:MOST_SUBMISSIONS])
    found = answers_of(campaign, ids) if ids else []
    return [each for each in found if each.submission is not None and each.item == item.key]


# --- One output ----------------------------------------------------------------------------------


def _answers_about(
    output: Output | None, name: str, raters: list[RaterAnswers], definition: Definition
) -> AnswersAbout:
    criteria = [each for each in definition.kinds if any(each in rater.said for rater in raters)]
    return AnswersAbout(name, output, criteria, raters)


def _summary(raters: Sequence[RaterAnswers], criterion: str) -> str:
    numbers = [
        said.number
        for rater in raters
        if rater.is_counted and not rater.is_excluded
        if (said := rater.said.get(criterion)) is not None and said.number is not None
    ]
    if not numbers:
        return "–"
    return f"{fmean(numbers):.3g}" + (f" ± {stdev(numbers):.2g}" if len(numbers) > 1 else "")
