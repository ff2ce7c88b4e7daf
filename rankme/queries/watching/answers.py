"""Everything that one rater answered: screen by screen, and how the answers are distributed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from django.db.models import Exists, OuterRef, QuerySet

from analysis.checks.alarms import UNREAD_SHARE
from analysis.checks.rater_models import LINE, Scale
from rankme.models import CheckTrial, Judgement, Participant, Submission
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.queries.counting import NEWEST, newest
from rankme.queries.items.answers import Said, said_of, seconds_of
from rankme.queries.reading import seconds_by_trial
from rankme.queries.sql import rows_of
from rankme.queries.trace_measures import SAMPLED_SCREENS
from rankme.queries.watching.own_words import comment_of, fill_in_words

BINS = 10
# Distinct values of a criterion; a magnitude can have one for every answer.
MOST_VALUES = 2_000
LONGEST_TEXT = 120


@dataclass(frozen=True)
class StripAnswer:
    """One answer in words, and its place on the scale from 0 to 1 where it has one."""

    criterion: str
    words: str
    share: float | None


@dataclass(frozen=True)
class StripScreen:
    """One answered screen; `number` counts from 1, `reading` is in seconds."""

    number: int
    submission: Any
    answers: tuple[StripAnswer, ...]
    seconds: float | None
    reading: float
    is_as_before: bool

    @property
    def by_criterion(self) -> list[tuple[str, str]]:
        """The words of each criterion, in the order of the screen's outputs."""
        words: dict[str, list[str]] = defaultdict(list)
        for answer in self.answers:
            words[answer.criterion].append(answer.words)
        return [(criterion, " · ".join(given)) for criterion, given in words.items()]

    @property
    def item_number(self) -> int:
        """The item's place in the upload, from 1, which its address contains."""
        return int(self.submission.trial.item.position) + 1

    @property
    def comment(self) -> str:
        return comment_of(self.submission)


def scale_of(criterion: CriterionSpec) -> Scale:
    """The numbers of a criterion's answers: its points, or a line."""
    settings = criterion.settings
    if labels := criterion.tool.labels(settings):
        return Scale(min(labels), max(labels), len(labels)) if len(labels) > 1 else LINE
    if (points := getattr(settings, "points", None)) is not None:
        return Scale(1, points, points)
    low, high = getattr(settings, "minimum", 0), getattr(settings, "maximum", 100)
    return Scale(low, high)


def _drawn_scale(criterion: CriterionSpec, values: Collection[float]) -> Scale:
    """The scale as raters see it, or as far as the values go where they see none."""
    settings = criterion.settings
    if (end := getattr(settings, "track_end", None)) is not None:
        return Scale(0, end)
    if criterion.tool.kind == "text" or not values:
        return LINE
    if any(hasattr(settings, name) for name in ("minimum", "points")):
        return scale_of(criterion)
    if criterion.tool.labels(settings):
        return scale_of(criterion)
    return Scale(min(values), max(values))


def answered_by(rater: Participant) -> QuerySet[Submission]:
    """The newest answers of a rater to each screen but checks, as they came."""
    checks = CheckTrial.objects.filter(trial=OuterRef("trial"))
    found = Submission.objects.filter(assignment__participant=rater)
    return (
        newest(found)
        .filter(~Exists(checks))
        .select_related("trial__item", "own_words")
        .order_by("pk")
    )


def strip_of(
    submissions: Iterable[Submission], first: int, definition: Definition
) -> list[StripScreen]:
    """Describe these screens; `first` is the number of the first of them."""
    found = list(submissions)
    judgements: dict[int, list[Judgement]] = defaultdict(list)
    given = Judgement.objects.filter(submission__in=found).select_related("criterion")
    for judgement in given.order_by("criterion__position", "position", "pk"):
        judgements[judgement.submission_id].append(judgement)
    scales = _scales(chain.from_iterable(judgements.values()), definition)
    reading = seconds_by_trial({sent.trial_id for sent in found}, definition)
    screens: list[StripScreen] = []
    last: Mapping[int, Any] = {}
    for number, sent in enumerate(found, first):
        fill_in_words(sent, judgements[sent.pk])
        answers = tuple(_answer(each, scales, definition) for each in judgements[sent.pk])
        screens.append(
            StripScreen(
                number,
                sent,
                answers,
                seconds_of(sent),
                reading[sent.trial_id][sent.screen],
                bool(answers) and last.get(sent.screen) == answers,
            )
        )
        last = {**last, sent.screen: answers}
    return screens


def _scales(judgements: Iterable[Judgement], definition: Definition) -> dict[str, Scale]:
    values: dict[str, list[float]] = defaultdict(list)
    for judgement in judgements:
        if judgement.value is not None:
            values[judgement.criterion.name].append(judgement.value)
    return {each.name: _drawn_scale(each, values[each.name]) for each in definition.criteria}


def _answer(
    judgement: Judgement, scales: Mapping[str, Scale], definition: Definition
) -> StripAnswer:
    said: Said = said_of(judgement, definition)
    name = judgement.criterion.name
    words = said.words if len(said.words) <= LONGEST_TEXT else said.words[:LONGEST_TEXT] + "…"
    return StripAnswer(name, words, _share(said.number, scales.get(name)))


def _share(number: float | None, scale: Scale | None) -> float | None:
    if number is None or scale is None or scale.high <= scale.low:
        return None
    return min(max((number - scale.low) / (scale.high - scale.low), 0.0), 1.0)


# --- Drawn strips --------------------------------------------------------------------------------

WIDTH, COLUMN = 8, 12  # of a mark, and of a screen with its gap
HEIGHT = 6  # of a mark, of 100


@dataclass(frozen=True)
class Mark:
    """A rectangle of a strip."""

    left: float
    top: float
    height: float
    is_notable: bool = False


@dataclass(frozen=True)
class Lane:
    """The strip of a criterion."""

    title: str
    marks: tuple[Mark, ...]


def lanes_of(screens: Sequence[StripScreen]) -> list[Lane]:
    """Draw a strip for each criterion: where on the scale each answer is, on a height of 100.

    Answers that repeat those of the screen before are notable.
    """
    marks: dict[str, dict[Mark, None]] = defaultdict(dict)
    for column, screen in enumerate(screens):
        for answer in screen.answers:
            if answer.share is not None:
                top = round((100 - HEIGHT) * (1 - answer.share), 1)
                mark = Mark(COLUMN * column, top, HEIGHT, screen.is_as_before)
                marks[answer.criterion][mark] = None
    return [Lane(criterion, tuple(found)) for criterion, found in marks.items()]


def times_of(screens: Sequence[StripScreen]) -> dict[str, list[Mark]]:
    """Draw the seconds as bars, and the time that reading takes as lines; square roots, on 100.

    Screens with a tenth of the time that reading takes are notable.
    """
    times = [screen.seconds or 0.0 for screen in screens]
    most = max([1.0, *times, *(screen.reading for screen in screens)]) ** 0.5
    bars, lines = [], []
    for column, (screen, seconds) in enumerate(zip(screens, times, strict=True)):
        height = round(100 * seconds**0.5 / most, 1)
        is_fast = screen.seconds is not None and seconds < UNREAD_SHARE * screen.reading
        bars.append(Mark(COLUMN * column, round(100 - height, 1), height, is_fast))
        if screen.reading:
            lines.append(Mark(COLUMN * column, round(100 - 100 * screen.reading**0.5 / most, 1), 2))
    return {"bars": bars, "lines": lines}


# --- Habits --------------------------------------------------------------------------------------

PLACES = f"""
    SELECT criterion, place, avg(CASE WHEN value = best THEN 1.0 ELSE 0 END)::float, count(*)
    FROM (
        SELECT c.name AS criterion, c.position AS rank, j.position AS place, j.value,
            max(j.value) OVER screen AS best, count(*) OVER screen AS outputs
        FROM rankme_assignment a
        JOIN rankme_submission s ON s.assignment_id = a.id
        JOIN rankme_judgement j ON j.submission_id = s.id
        JOIN rankme_criterion c ON c.id = j.criterion_id
        WHERE a.participant_id = %s AND s.id > %s AND j.value IS NOT NULL
            AND j.position IS NOT NULL AND {NEWEST}
        WINDOW screen AS (PARTITION BY j.submission_id, j.criterion_id)
    ) AS given
    WHERE outputs > 1 GROUP BY criterion, rank, place ORDER BY rank, place"""
VALUES = f"""
    SELECT c.name, j.value, count(*)
    FROM rankme_assignment a
    JOIN rankme_submission s ON s.assignment_id = a.id
    JOIN rankme_judgement j ON j.submission_id = s.id
    JOIN rankme_criterion c ON c.id = j.criterion_id
    WHERE a.participant_id = %s AND s.id > %s AND j.value IS NOT NULL AND {NEWEST}
    GROUP BY c.name, c.position, j.value ORDER BY c.position, j.value LIMIT {MOST_VALUES}"""


@dataclass(frozen=True)
class Bin:
    """A part of a scale, and the share of the answers in it, also of the largest part."""

    title: str
    answers: int
    percent: int
    height: float


def before_newest(rater: Participant) -> int:
    """The last submission before the newest screens, whose habits the page shows; 0 if none is."""
    older = answered_by(rater).order_by("-pk").values_list("pk", flat=True)
    return next(iter(older[SAMPLED_SCREENS : SAMPLED_SCREENS + 1]), 0)


def places_best(rater: Participant, since: int) -> list[tuple[str, list[tuple[int, int]]]]:
    """By criterion: how often, in percent, the output at each place got the highest value."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for criterion, place, share, _answers in rows_of(PLACES, [rater.pk, since]):
        found[criterion].append((place + 1, round(100 * share)))
    return list(found.items())


def scale_use(
    rater: Participant, definition: Definition, since: int
) -> list[tuple[str, list[Bin]]]:
    """By criterion: where on the scale the answers are, by points or by tenths of the line."""
    values: dict[str, Counter[float]] = defaultdict(Counter)
    for criterion, value, times in rows_of(VALUES, [rater.pk, since]):
        values[criterion][value] += times
    specs = {each.name: each for each in definition.criteria}
    return [
        (name, _bins(found, _drawn_scale(specs[name], found), definition.labels.get(name, {})))
        for name, found in values.items()
        if name in specs
    ]


def _bins(values: Counter[float], scale: Scale, labels: Mapping[float, str]) -> list[Bin]:
    counts: dict[str, int] = {}
    if labels or (scale.points or BINS + 1) <= BINS or len(values) <= BINS // 2:
        points = [*values, *(np.linspace(scale.low, scale.high, scale.points or 2).tolist())]
        for value in sorted({*labels, *points}):
            counts[labels.get(value, f"{value:g}")] = values.get(value, 0)
    else:
        step = (scale.high - scale.low) / BINS or 1
        titles = [
            f"{scale.low + number * step:g}–{scale.low + (number + 1) * step:g}"
            for number in range(BINS)
        ]
        counts = dict.fromkeys(titles, 0)
        for value, times in values.items():
            counts[titles[min(max(int((value - scale.low) // step), 0), BINS - 1)]] += times
    whole, most = max(values.total(), 1), max([*counts.values(), 1])
    return [
        Bin(title, times, round(100 * times / whole), round(100 * times / most, 1))
        for title, times in counts.items()
    ]
