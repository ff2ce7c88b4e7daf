"""Errors marked in the text: spans with a severity, a category and a note, and a score."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from random import Random
from typing import Any, Literal

from django.utils.translation import gettext
from pydantic import Field, model_validator

from analysis.errors import OptionsError
from analysis.spans.model import MarkError
from analysis.spans.offsets import check_mark
from analysis.spans.own import sha256_of
from analysis.spans.snapping import snap_to_graphemes, snap_to_words
from analysis.spans.weights import parse_weights
from analysis.translatable import gettext_noop as _
from rankme.protocols.exchange.marks import Mark, ShownMark
from rankme.untrusted.whole_numbers import number_in

from .base import (
    Comparison,
    Instrument,
    Kind,
    Options,
    Refused,
    Shown,
    Subject,
    Value,
    finite_number,
    on_the_scale,
)
from .choices import CHOICES_HINT
from .expected_marks import ExpectedMarks
from .sliders import NOT_SET

LONGEST_NOTE = 500
LONGEST_NAME = 200
# More than anybody does on one text; a browser stops writing them down there.
MOST_EVENTS = 500
MOST_MARKS = 100
SIDES = ("output", "source")
ACTIONS = ("add", "change", "confirm", "remove")
# In bytes; the browser writes down fewer.
LARGEST_EVENTS = 40_000
# What one answer may hold, in characters: marks with their notes, and events.
LARGEST_ANSWER = 20_000
MOST_DIGITS = 9
NEUTRAL, UNMARKED_LEVEL, MOST_LEVELS = "neutral", 2, 3
NO_ERRORS = _("no errors")
AT_LEAST_ONE = _("at least one error")
FEW_ERRORS = _("few errors or none")
ANY_ERROR = _("an error")
QUOTED = _("“{text}”")


class SpansOptions(Options):
    """A category's path has `/` between its levels; the most specific weight counts."""

    severities: dict[str, str] = Field(
        default_factory=dict, title=_("Severities"), description=CHOICES_HINT
    )
    categories: dict[str, str] = Field(
        default_factory=dict,
        title=_("Categories"),
        description=_("One per line, as path: text that raters see. Levels are separated by /"),
    )
    weights: str = Field(
        "",
        title=_("Weights"),
        description=_(
            "Such as major:5 minor:1 minor/Fluency/Punctuation:0.1; empty: those of MQM, "
            "and 1 for a mark without a severity"
        ),
    )
    most: int = Field(20, ge=1, le=MOST_MARKS, title=_("Maximum number of marks"))
    overlaps: bool = Field(False, title=_("Marks may overlap"))
    missing: bool = Field(False, title=_("Something missing can be marked"))
    source: bool = Field(
        False,
        title=_("The input can be marked as well"),
        description=_("Only with one output per screen and an input that is a text"),
    )
    notes: bool = Field(False, title=_("A note for each mark"))
    unconfirmed: Literal["ask", "count", "leave_out"] = Field(
        "ask",
        title=_("Suggested marks that a rater leaves untouched"),
        description=_(
            "ask: raters confirm, change or remove each; count: as marks of the rater; leave_out: "
            "they weigh nothing"
        ),
    )
    whole_words: bool = Field(False, title=_("Marks cover whole words"))
    score: bool = Field(False, title=_("Ask for a score from 0 to 100 as well"))
    score_step: float = Field(1, gt=0, le=50, title=_("Step of the score"))
    anchors: dict[str, str] = Field(
        default_factory=dict,
        title=_("What scores mean"),
        description=_("One per line, as score: text that raters see, on the line at that score"),
    )
    bands: bool = Field(
        False,
        title=_("Each text holds from its score up to the next one"),
        description=_("As in contrastive ESA; raters see the text of the score that they give"),
    )
    needs_mark_below: float | None = Field(
        None,
        ge=0,
        le=100,
        title=_("A lower score than this needs a mark"),
    )

    @model_validator(mode="after")
    def every_kind_of_mark_has_a_weight(self) -> SpansOptions:
        try:
            weights = parse_weights(self.weights)
        except OptionsError as error:
            raise ValueError(" ".join(error.problems)) from error
        for severity in self.severities or ("",):
            if any(weights.of(severity, name) is None for name in self.categories or ("",)):
                raise ValueError(f"the severity “{severity}” has no weight")
        return self

    @model_validator(mode="after")
    def anchors_are_scores(self) -> SpansOptions:
        for name in self.anchors:
            if not 0 <= number_in(name, -1) <= 100:
                raise ValueError(f"“{name}” is not a score from 0 to 100")
        if self.needs_mark_below is not None and not self.score:
            raise ValueError("needs_mark_below needs score")
        return self


class Spans(Instrument[SpansOptions]):
    """Raters mark errors in the text itself. The number is the sum of the errors' weights.

    Offsets are code points of the output as stored, ends are exclusive. Marks are kept as they
    were sent, except that a mark is widened to whole characters as people see them. `q_score` is
    the score that can be asked for as well.
    """

    name = "spans"
    title = _("Errors marked in the text, with severities and categories (MQM, ESA).")
    kind = "scale"
    heds_response = "6"
    is_objective = True
    lower_is_better = True
    # What raters read can be corrected; the paths and scores before it are in their answers.
    wording = ("severities", "categories", "anchors")
    reads_outputs = True
    marks_outputs = True
    words = {
        "not_set": NOT_SET,
        "mark": _("Mark"),
        "marked": _("Marked: {text}"),
        "removed": _("Removed: {text}"),
        "changed": _("Changed: {text}"),
        "undone": _("Undone."),
        "nothing_to_undo": _("There is nothing to undo."),
        "redone": _("Done again."),
        "nothing_to_redo": _("There is nothing to do again."),
        "undo": _("Undo"),
        "redo": _("Redo"),
        "mark_here": _("Mark {number} of {count}: {text}"),
        "select_first": _("Select the words that are wrong first."),
        "overlapping": _("This overlaps another mark. Remove or change that one."),
        "too_many": _("You can mark at most {most} errors. Mark the most severe ones."),
        "missing_mark": _("something is missing"),
        "add_missing": _("Something is missing"),
        "in_the_text": _("Text"),
        "in_the_input": _("Input"),
        "severity": _("Severity"),
        "category": _("Category"),
        "choose_category": _("Choose a category"),
        "note": _("Note"),
        "of_mark": _("{name}: “{text}”"),
        "move": _("Change the place"),
        "move_now": _("Select the right words, then press Enter or “{name}”."),
        "place_here": _("Place the mark here"),
        "remove": _("Remove"),
        "confirm": _("Confirm"),
        "confirmed": _("confirmed"),
        "suggested": _("suggested by {name}"),
        "missing_marks": _("Mark the errors, or say that there are none."),
        "missing_category": _("Choose a category for every mark."),
        "missing_severity": _("Choose a severity for every mark."),
        "open_suggestions": _(
            "Suggested marks are still open: {count}. Confirm, change or remove each of them."
        ),
        "missing_score": _("Please move this slider."),
        "mark_for_score": _("A score below {score} needs at least one mark."),
        "score_said": _("{value} of 100"),
        "score_named": _("{value} of 100: {name}"),
    }
    keys = (
        (_("Shift ← →"), _("select words")),
        ("1–9", _("mark the selection")),
        (_("Delete"), _("remove the mark")),
        (_("Ctrl Z"), _("undo")),
        (_("Ctrl Y"), _("do it again")),
    )
    stylesheets = ("line", "slider", "spans")
    derived_titles = {"score": _("Score")}
    Options = SpansOptions

    def derived(self, options: SpansOptions) -> Mapping[str, Kind]:
        return {"score": "scale"} if options.score else {}

    def most_characters(self, options: SpansOptions) -> int:
        return LARGEST_ANSWER

    def clean(self, answer: Any, options: SpansOptions, subject: Subject) -> Value:
        marks = self._marks(answer, options, subject)
        left_out = [mark for mark in marks if options.unconfirmed == "leave_out" and is_open(mark)]
        marks = [mark for mark in marks if mark not in left_out]
        score = self._score(answer, options)
        below = options.needs_mark_below
        is_low = below is not None and score is not None and score < below
        if is_low and not marks and subject.output.strip():
            raise Refused(self.words["mark_for_score"], score=f"{below:g}")
        weights = parse_weights(options.weights)
        penalty = sum(weights.of(mark["severity"], mark["category"]) or 0 for mark in marks)
        kept: dict[str, Any] = {
            "sha256": sha256_of(subject.output),
            "length": len(subject.output),
            "words": len(subject.output.split()),
            "marks": marks,
            "events": _events(answer.get("events", []), subject),
        }
        if left_out:
            kept["left_out"] = left_out
        if any(mark["side"] == "source" for mark in marks):
            kept["source_sha256"] = sha256_of(subject.item_input)
        # Sorted, because the database keeps the payload without the order of its names, and
        # what is computed from it again has to be the same text.
        return Value(penalty, json.dumps(kept, ensure_ascii=False, sort_keys=True))

    def keys_for(self, options: SpansOptions) -> tuple[tuple[str, str], ...]:
        """As many digits as there are buttons that mark."""
        number = min(len(options.severities or options.categories), MOST_DIGITS)
        digits = f"1–{number}" if number > 1 else _("Enter")
        return tuple((digits if key == "1–9" else key, what) for key, what in self.keys)

    def weights(self, options: SpansOptions) -> str:
        return options.weights

    def said(self, number: float | None, text: str, options: SpansOptions) -> str:
        """The marked words with their severities; raters know nothing of weights."""
        if text.startswith("{"):
            return self._said_marks(json.loads(text)["marks"], options)
        return gettext(AT_LEAST_ONE if number else NO_ERRORS)

    def said_range(self, low: float, high: float, options: SpansOptions) -> str:
        return gettext(AT_LEAST_ONE if low > 0 else FEW_ERRORS if high else NO_ERRORS)

    def _said_marks(self, marks: Sequence[Mapping[str, Any]], options: SpansOptions) -> str:
        return ", ".join(_said_mark(mark, options) for mark in marks) or gettext(NO_ERRORS)

    def problems_with_expected(
        self, expected: Any, options: SpansOptions, subject: Subject
    ) -> Iterator[str]:
        try:
            marks = ExpectedMarks.read(expected, _texts(options, subject))
        except ValueError as error:
            yield str(error)
            return
        yield from marks.problems(list(options.severities), list(options.categories))

    def compare(
        self,
        expected: Any,
        number: float | None,
        text: str,
        options: SpansOptions,
        subject: Subject,
    ) -> Comparison:
        own = json.loads(text)["marks"] if text else []
        marks = ExpectedMarks.read(expected, _texts(options, subject))
        return Comparison(
            given=self._said_marks(own, options),
            expected=self._said_marks(marks.shown(), options),
            fits=bool(text) and marks.are_met_by(own),
            own_marks=[_with_level(mark, options) for mark in own],
            expected_marks=[_with_level(mark, options) for mark in marks.shown()],
        )

    def derive(self, answer: Any, options: SpansOptions, subject: Subject) -> dict[str, Value]:
        score = self._score(answer, options)
        return {} if score is None else {"score": Value(score)}

    def _score(self, answer: Mapping[str, Any], options: SpansOptions) -> float | None:
        if not options.score:
            if "score" in answer:
                raise Refused("This question asks for no score.")
            return None
        number = finite_number(answer.get("score"))
        if not 0 <= number <= 100:
            raise Refused("The score must lie between 0 and 100.")
        return number

    def _marks(self, answer: Any, options: SpansOptions, subject: Subject) -> list[dict[str, Any]]:
        if not isinstance(answer, Mapping) or set(answer) - {"marks", "score", "events"}:
            raise Refused("This must be marks.")
        sent = answer.get("marks")
        if not isinstance(sent, list):
            raise Refused("This must be marks.")
        if len(sent) > options.most:
            raise Refused(self.words["too_many"], most=options.most)
        checked = [_checked(mark, options, subject) for mark in sent]
        _refuse_twins(checked)
        if not options.overlaps:
            self._refuse_overlaps(checked)
        return [_snapped(mark, options, subject) for mark in checked]

    def _refuse_overlaps(self, marks: Sequence[Mapping[str, Any]]) -> None:
        placed = [mark for mark in marks if mark["start"] is not None]
        for one, other in combinations(placed, 2):
            is_apart = one["end"] <= other["start"] or other["end"] <= one["start"]
            if one["side"] == other["side"] and not is_apart:
                raise Refused(self.words["overlapping"])

    def simulate_together(
        self, impressions: Sequence[float], options: Shown, trial: Shown, rng: Random
    ) -> list[Any]:
        return [
            _simulated(impression, options, text, rng)
            for impression, text in zip(impressions, trial["outputs"], strict=True)
        ]


def is_open(mark: Mapping[str, Any]) -> bool:
    """Whether a mark was suggested, and its rater has neither confirmed nor changed it."""
    return "prefilled" in mark and mark.get("confirmed") is not True


def _texts(options: SpansOptions, subject: Subject) -> dict[str, str]:
    """Return the texts that can be marked, by side."""
    source = {"source": subject.item_input} if options.source else {}
    return {"output": subject.output, **source}


def _said_mark(mark: Mapping[str, Any], options: SpansOptions) -> str:
    """The marked words, their severity and their category as raters read them."""
    if mark["text"]:
        said = gettext(QUOTED).format(text=mark["text"])
    else:
        said = gettext(Spans.words["missing_mark"] if mark["missing"] else ANY_ERROR)
    severity, category = mark["severity"], mark["category"]
    names = [options.severities.get(severity, severity), options.categories.get(category, category)]
    named = ", ".join(name for name in names if name)
    return f"{said} ({named})" if named else said


def _with_level(mark: Mark, options: SpansOptions) -> ShownMark:
    """Add the level with which static/js/marks/ draws a mark."""
    names = list(options.severities)
    severity = mark["severity"]
    level = names.index(severity) + 1 if severity in names else UNMARKED_LEVEL
    return {**mark, "level": 0 if severity == NEUTRAL else min(level, MOST_LEVELS)}


# --- Checks ------------------------------------------------------------------------------------


def _checked(mark: Any, options: SpansOptions, subject: Subject) -> dict[str, Any]:
    """One mark with all of its fields; refused when the text is not what the mark says."""
    if not isinstance(mark, Mapping) or set(mark) - Mark.__annotations__.keys():
        raise Refused("This is not a mark.")
    side, missing = mark.get("side", "output"), mark.get("missing", False)
    if side not in SIDES or not isinstance(missing, bool):
        raise Refused("This is not a mark.")
    if (side == "source" and not options.source) or (missing and not options.missing):
        raise Refused("Such a mark cannot be made here.")
    checked = {
        "id": _number(mark.get("id")),
        "side": side,
        **_place(mark, subject.item_input if side == "source" else subject.output, missing=missing),
        "severity": _one_of(mark, "severity", options.severities),
        "category": _one_of(mark, "category", options.categories),
        "note": _text(mark.get("note", ""), LONGEST_NOTE if options.notes else 0),
        "missing": missing,
    }
    if "prefilled" in mark:
        checked |= {"prefilled": _text(mark["prefilled"], LONGEST_NAME)}
        checked |= {"confirmed": mark.get("confirmed") is True}
    return checked


def _place(mark: Mapping[str, Any], whole: str, *, missing: bool) -> dict[str, Any]:
    start, end, text = mark.get("start"), mark.get("end"), mark.get("text", "")
    if missing and start is None and end is None:
        return {"start": None, "end": None, "text": ""}
    if not isinstance(text, str):
        raise Refused("The marked text must be text.")
    try:
        check_mark(whole, start, end, text)  # type: ignore[arg-type]
    except MarkError as error:
        raise Refused(str(error)) from error
    return {"start": start, "end": end, "text": text}


def _one_of(mark: Mapping[str, Any], name: str, known: Mapping[str, str]) -> str:
    given = mark.get(name, "")
    if not isinstance(given, str) or given not in (known or ("",)):
        raise Refused(f"There is no such {name}.")
    return given


def _number(value: Any) -> int:
    number = finite_number(value)
    if number != int(number) or not 0 <= number < 2**53:
        raise Refused("This must be a whole number.")
    return int(number)


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise Refused("A note is too long, or no text.")
    return value


def _refuse_twins(marks: Sequence[Mapping[str, Any]]) -> None:
    """The same place can have two errors, but not the same error twice."""
    names = ("side", "start", "end", "severity", "category", "note")
    seen = [tuple(mark[name] for name in names) for mark in marks if mark["start"] is not None]
    if len(set(seen)) < len(seen) or len({mark["id"] for mark in marks}) < len(marks):
        raise Refused("The same error is marked twice.")


def _snapped(mark: dict[str, Any], options: SpansOptions, subject: Subject) -> dict[str, Any]:
    """Whole characters (and words): for browsers that cannot tell where they end."""
    if mark["start"] is None:
        return mark
    whole = subject.item_input if mark["side"] == "source" else subject.output
    snap = snap_to_words if options.whole_words else snap_to_graphemes
    start, end = snap(whole, mark["start"], mark["end"])
    return mark | {"start": start, "end": end, "text": whole[start:end]}


def _events(events: Any, subject: Subject) -> list[dict[str, Any]]:
    """Check the log of added, changed and removed marks, with times in ms since 1970."""
    if not isinstance(events, list) or len(events) > MOST_EVENTS:
        raise Refused("These are not the events of marking.")
    longest = max(len(subject.output), len(subject.item_input))
    for event in events:
        fits = isinstance(event, Mapping) and event.get("do") in ACTIONS
        if not fits or not all(_is_of_event(name, event[name], longest) for name in event):
            raise Refused("These are not the events of marking.")
        _number(event.get("at"))
        _number(event.get("id"))
    if len(json.dumps(events, ensure_ascii=False).encode()) > LARGEST_EVENTS:
        raise Refused("There are too many events of marking.")
    return [dict(event) for event in events]


def _is_of_event(name: str, value: Any, longest: int) -> bool:
    """Whether an event may say this; `longest` is the length of the longer of the two texts."""
    if name in ("do", "at", "id"):  # checked for every event
        return True
    if name in ("start", "end"):
        return value is None or (type(value) is int and 0 <= value <= longest)
    if name in ("missing", "confirmed", "undo"):
        return isinstance(value, bool)
    most = {"text": longest, "note": LONGEST_NOTE, "prefilled": LONGEST_NAME}
    most |= dict.fromkeys(("side", "severity", "category"), LONGEST_NAME)
    return name in most and isinstance(value, str) and len(value) <= most[name]


# --- Simulated raters --------------------------------------------------------------------------


def _simulated(
    impression: float, options: Mapping[str, Any], text: str, rng: Random
) -> dict[str, Any]:
    """Marks of single words: the worse the impression, the more."""
    badness = 1 - on_the_scale(impression)
    words = _words(text)
    score = round(100 * on_the_scale(impression))
    count = sum(rng.random() < badness for _ in range(3))
    below = options["needs_mark_below"]
    if options["score"] and below is not None and score < below:
        count = max(count, 1)
    count = min(count, options["most"], len(words))
    now = 1_700_000_000_000 + rng.randrange(10**9)
    marks: list[dict[str, Any]] = []
    for number, (start, end) in enumerate(sorted(rng.sample(words, count)), start=1):
        marks.append(
            {
                **{"id": number, "side": "output", "start": start, "end": end},
                "text": text[start:end],
                "severity": _drawn([name for name, _ in options["severities"]], badness, rng),
                "category": _drawn([name for name, _ in options["categories"]], badness, rng),
            }
        )
    events = [{"do": "add", "at": now + 5_000 * mark["id"], **mark} for mark in marks]
    return {"marks": marks, "events": events} | ({"score": score} if options["score"] else {})


def _words(text: str) -> list[tuple[int, int]]:
    places, place = [], 0
    for word in text.split():
        start = text.index(word, place)
        place = start + len(word)
        places.append((start, place))
    return places


def _drawn(names: Sequence[str], badness: float, rng: Random) -> str:
    """Later names are likelier where the text is bad: severities come in ascending order."""
    if not names:
        return ""
    return names[min(int(rng.random() * (0.5 + badness) * len(names)), len(names) - 1)]
