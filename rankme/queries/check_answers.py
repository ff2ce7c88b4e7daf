"""Read raters' answers to checks from the payloads of their submissions; compute the measures.

Answers to checks are nowhere else: the judgements have none of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from django.db.models import Prefetch, Q

from analysis.checks.measure_names import TRACES
from analysis.checks.measures import CheckAnswer, measures_of
from rankme.checks.moving_figures import RIGHT
from rankme.errors import InvalidAnswer
from rankme.models import (
    Assignment,
    Campaign,
    CheckTrial,
    QuizAttempt,
    Submission,
    Trial,
    TrialOutput,
)
from rankme.protocols.checks import Rules
from rankme.protocols.definition import Definition
from rankme.protocols.exchange.words import DIGEST

from .definitions import frozen_definition
from .rater_measures import agreements, impossible_times, same_answer_shares
from .sql import rows_of
from .trace_measures import trace_measures
from .trial_material import material_of

Place = int | None  # of an output in the plan; None: the answer is about the item
Numbers = dict[Place, float]


@dataclass(frozen=True)
class Sent:
    """The answers to one criterion on one page; `texts` are marks where errors are marked."""

    numbers: Numbers = field(default_factory=dict)
    texts: dict[Place, str] = field(default_factory=dict)


Measured = dict[str, float | None]


@dataclass(frozen=True)
class AnsweredCheck:
    """One answer to a check, with where it was given. On a page, `tries` counts all answers to it,
    and `passed_at_last` is about the newest."""

    participant: int
    answer: CheckAnswer
    criterion: str = ""
    item: str = ""
    submission: Submission | None = None
    tries: int | None = None
    passed_at_last: bool | None = None


def answers_of(campaign: Campaign, participants: Sequence[int]) -> list[AnsweredCheck]:
    """All answers of these raters to checks, by rater and time."""
    definition = frozen_definition(campaign).definition
    found = [
        *_answers_on_pages(campaign, definition, participants),
        *_answers_before_work(definition, participants),
        *_screens_against_the_clock(definition, participants),
    ]
    return sorted(found, key=lambda answered: answered.participant)


def measures_by_rater(
    campaign: Campaign,
    participants: Sequence[int],
    *,
    only_growing: bool = False,
    rules: Rules | None = None,
) -> dict[int, Measured]:
    """Compute the measures of these raters; agreement and traces only where a rule asks for them.

    With `only_growing`, only what can decide in the middle of a batch, after every page. `rules`
    are others than the campaign's own.
    """
    definition = frozen_definition(campaign).definition
    rules = rules or definition.rules
    answers: dict[int, list[CheckAnswer]] = defaultdict(list)
    for answered in answers_of(campaign, participants):
        answers[answered.participant].append(answered.answer)
    impossible = impossible_times(participants)
    times: dict[int, list[tuple[float | None, float | None]]] = defaultdict(list)
    same: dict[int, float] = {}
    agreement: dict[int, float] = {}
    traced: dict[int, Measured] = {}
    if not only_growing:
        times, same = screen_times(participants), same_answer_shares(participants)
    if not only_growing and rules.ask_for("agreement"):
        agreement = agreements(campaign, participants)
    if not only_growing and rules.ask_for(*TRACES):
        traced = trace_measures(participants)
    return {
        rater: measures_of(
            answers[rater],
            habits={
                "impossible_times": impossible[rater],
                "same_answer_share": same.get(rater),
                "agreement": agreement.get(rater),
                **traced.get(rater, {}),
            },
            seconds=[taken for taken, _active in times[rater] if taken is not None],
            active_seconds=[active for _taken, active in times[rater] if active is not None],
            checks=[(check.name, check.kind) for check in definition.checks],
            only_growing=only_growing,
        )
        for rater in participants
    }


# --- Pages ---------------------------------------------------------------------------------------


def _answers_on_pages(
    campaign: Campaign, definition: Definition, participants: Sequence[int]
) -> Iterator[AnsweredCheck]:
    screen_of = {
        name: number for number, screen in enumerate(definition.screens) for name in screen.ask
    }
    met = CheckTrial.objects.filter(
        campaign=campaign, trial__batch__assignments__participant__in=participants
    ).distinct()
    checks = list(met.order_by("trial_id"))
    sent = _submissions(checks, participants)
    told = {check.name for check in definition.checks if check.is_told}
    for check in checks:
        screen = screen_of.get(check.criterion)
        if screen is None:  # the criterion is of another version of the campaign
            continue
        for assignment, revisions in sent.get((check.trial_id, screen), {}).items():
            # A rater who was told that the first answer was not as expected knows more than
            # others.
            submission = revisions[0 if check.name in told else -1]
            compared = sent.get((check.source_id or 0, screen), {}).get(assignment)
            others = _answers(compared[-1], check.criterion, definition) if compared else Sent()
            at_last = _judged_submission(check, revisions[-1], others, definition)
            answers = _judged_submission(check, submission, others, definition)
            for number, answer in enumerate(answers):
                yield AnsweredCheck(
                    submission.assignment.participant_id,
                    answer,
                    check.criterion,
                    submission.trial.item.key,
                    submission,
                    tries=len(revisions),
                    passed_at_last=at_last[number].passed if number < len(at_last) else None,
                )


def _judged_submission(
    check: CheckTrial, submission: Submission, others: Sent, definition: Definition
) -> list[CheckAnswer]:
    sent = _answers(submission, check.criterion, definition)
    return list(judged(check, sent, others, declined=_declines(submission, check)))


def may_try_again(assignment: Assignment, trial: int, screen: int, *, revision: int) -> bool:
    """Whether this answer is to a check that tells raters, is not as expected, and leaves tries."""
    definition = frozen_definition(assignment.campaign).definition
    tries = {check.name: check.settings.tries for check in definition.checks if check.is_told}
    if not tries:
        return False
    check = CheckTrial.objects.filter(trial=trial, name__in=tries).first()
    if check is None or check.criterion not in definition.screens[screen].ask:
        return False
    revisions = _submissions([check], [assignment.participant_id])[trial, screen][assignment.pk]
    if revisions[-1].revision != revision or len(revisions) >= tries[check.name]:
        return False
    answers = _judged_submission(check, revisions[-1], Sent(), definition)
    return any(answer.passed is False for answer in answers)


def _submissions(
    checks: Iterable[CheckTrial], participants: Sequence[int]
) -> dict[tuple[int, int], dict[int, list[Submission]]]:
    """By trial and screen, and then by sitting: all answers to checks and their sources, from the
    first to the newest."""
    asked = {trial for check in checks for trial in (check.trial_id, check.source_id) if trial}
    sent = Submission.objects.filter(assignment__participant__in=participants, surplus=False)
    trials = (
        Trial.objects.filter(pk__in=asked)
        .select_related("item", "as_check")
        # From the trials to what was sent, never the other way: the statements are the same before
        # the first of these pages is answered, so that the time of an answer tells nothing.
        .prefetch_related(
            Prefetch("places", queryset=TrialOutput.objects.select_related("output")),
            Prefetch(
                "submissions",
                queryset=sent.select_related("assignment").order_by("assignment_id", "revision"),
            ),
        )
    )
    found: dict[tuple[int, int], dict[int, list[Submission]]] = defaultdict(dict)
    for trial in trials:
        for row in trial.submissions.all():
            found[row.trial_id, row.screen].setdefault(row.assignment_id, []).append(row)
    return found


def _answers(submission: Submission, criterion: str, definition: Definition) -> Sent:
    payload = submission.payload
    places = submission.assignment.presentation[payload["trial"]][1]
    material = material_of(submission.trial)
    if material.is_check:
        texts = material.own_texts_in(places)
    else:
        planned = {place.position: place.output.text for place in submission.trial.places.all()}
        texts = [planned[place] for place in places]
    try:
        readings = material.read(
            definition,
            submission.screen,
            payload.get("answers"),
            texts=texts,
            without_words=DIGEST in payload,
        )
    except InvalidAnswer:  # accepted by an earlier release
        return Sent()
    found = Sent()
    for reading in readings:
        if reading.criterion == criterion and reading.number is not None:
            place = None if reading.position is None else places[reading.position]
            found.numbers[place], found.texts[place] = reading.number, reading.text
    return found


def _declines(submission: Submission, check: CheckTrial) -> bool:
    """Whether the rater declined to judge the checked output."""
    answers = submission.payload.get("answers") or ()
    return any(
        "cannot_judge" in answer and answer["criterion"] == check.criterion for answer in answers
    )


def judged(
    check: CheckTrial, sent: Sent, others: Sent, *, declined: bool = False
) -> Iterator[CheckAnswer]:
    """The answers to one page against what it expects; see `rankme.checks.drawing`.

    An answer that is known can be given, so nobody passes by declining to judge (`declined`).
    """
    expected, numbers = check.expected, sent.numbers
    named = (check.name, check.kind)
    if "good" in expected:
        yield _compared(named, expected, numbers.get(expected["good"]), numbers, expected["bad"])
    elif "source_output" in expected:
        good = others.numbers.get(expected["source_output"])
        yield _compared(named, expected, good, numbers, expected["output"])
    elif "repeats" in expected:
        yield from (
            CheckAnswer(*named, value=others.numbers[place], other=number)
            for place, number in numbers.items()
            if place in others.numbers
        )
    else:
        value = numbers.get(None, numbers.get(expected["output"]))
        if value is None:
            passed = False if declined else None
        else:
            passed = _is_as_expected(value, expected, sent)
        yield CheckAnswer(*named, passed, value)


def _compared(
    named: tuple[str, str],
    expected: Mapping[str, int],
    good: float | None,
    numbers: Numbers,
    place: int,
) -> CheckAnswer:
    """An intact text and its damaged copy; where less is better, both with their sign changed."""
    bad = numbers.get(place)
    if good is None or bad is None:
        return CheckAnswer(*named, None, good, bad)
    if expected.get("lower_is_better"):
        good, bad = -good, -bad
    return CheckAnswer(*named, good > bad, good, bad)


def _is_as_expected(value: float, expected: Mapping[str, Any], sent: Sent) -> bool:
    in_range = expected.get("at_least", value) <= value <= expected.get("at_most", value)
    order = [sent.numbers.get(place) for place in expected.get("order", ())]
    in_order = all(
        better is not None and worse is not None and better > worse
        for better, worse in pairwise(order)
    )
    marks = expected.get("marks", ())
    return in_range and in_order and _are_marked(marks, sent.texts.get(expected["output"], ""))


def _are_marked(passages: Sequence[tuple[int, int, str]], text: str) -> bool:
    """Whether each passage has a mark that touches it, of the severity that is asked for."""
    made = [
        mark for mark in json.loads(text or '{"marks": []}')["marks"] if mark["side"] == "output"
    ]
    return all(
        any(
            mark["start"] is not None
            and mark["start"] < end
            and start < mark["end"]
            and severity in ("", mark["severity"])
            for mark in made
        )
        for start, end, severity in passages
    )


# --- Quizzes and times ---------------------------------------------------------------------------


def _answers_before_work(
    definition: Definition, participants: Sequence[int]
) -> Iterator[AnsweredCheck]:
    """The last attempt of each rater at the questions decides; the first one has the figures."""
    asked = [check for check in definition.checks if check.kind in ("quiz", "figure")]
    if not asked:
        return
    attempts: dict[int, list[dict[str, str]]] = defaultdict(list)
    for each in QuizAttempt.objects.filter(participant__in=participants).order_by("number"):
        attempts[each.participant_id].append(each.answers)
    for rater, tries in attempts.items():
        for check in asked:
            if check.kind == "quiz":
                passed = tries[-1].get(check.name) == check.settings.answer
            else:
                passed = tries[0].get(check.name) == RIGHT
            yield AnsweredCheck(rater, CheckAnswer(check.name, check.kind, passed))


def _screens_against_the_clock(
    definition: Definition, participants: Sequence[int]
) -> Iterator[AnsweredCheck]:
    checks = [check for check in definition.checks if check.kind == "time"]
    if not checks:
        return
    for rater, times in screen_times(participants).items():
        for check in checks:
            least = check.settings.least_active_seconds
            for _taken, active in times:
                if active is not None:
                    answer = CheckAnswer(check.name, check.kind, active >= least, active)
                    yield AnsweredCheck(rater, answer)


def screen_times(
    participants: Sequence[int],
) -> dict[int, list[tuple[float | None, float | None]]]:
    """By rater: seconds on each answered screen, in all and active, as the browser measured."""
    query = """
        SELECT DISTINCT ON (s.assignment_id, s.trial_id, s.screen) a.participant_id,
            CASE WHEN jsonb_typeof(s.payload #> '{times,spent_ms}') = 'number'
                THEN (s.payload #>> '{times,spent_ms}')::float / 1000 END,
            CASE WHEN jsonb_typeof(s.payload #> '{times,active_ms}') = 'number'
                THEN (s.payload #>> '{times,active_ms}')::float / 1000 END
        FROM rankme_assignment a JOIN rankme_submission s ON s.assignment_id = a.id
        WHERE a.participant_id = ANY(%s) AND NOT s.surplus
        ORDER BY s.assignment_id, s.trial_id, s.screen, s.revision DESC
    """
    times: dict[int, list[tuple[float | None, float | None]]] = {
        rater: [] for rater in participants
    }
    for rater, taken, active in rows_of(query, [list(participants)]):
        times[rater].append((taken, active))
    return times


def has_checks(campaign: Campaign) -> bool:
    return bool(frozen_definition(campaign).definition.checks)


def raters_at_work(campaign: Campaign) -> list[int]:
    """Raters with an answer to a screen or to a quiz, in the order in which they came."""
    worked = Q(assignments__submissions__isnull=False) | Q(quiz_attempts__isnull=False)
    found = campaign.participants.filter(worked).distinct().order_by("arrived_at", "id")
    return list(found.values_list("id", flat=True))
