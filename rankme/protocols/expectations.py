"""Compare answers to a practice example with the expected ones.

A campaign file writes an expected answer as a number, as a name of a choice, as a range `[low,
high]`, or as a list of names, each of which is right. For a question about outputs this holds for
every output; a list of such answers (`null` for any answer) has one for each output instead. Some
instruments take mappings as well: marks, of which a list holds all that one output has, or the
answer for each fact.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from django.utils.translation import gettext

from .answers import Reading
from .criteria import CriterionSpec
from .exchange.marks import ShownMark
from .instruments import Subject
from .instruments.base import NO_EXPECTATION

UNREADABLE = f"{NO_EXPECTATION}; for different outputs, a list with one of them for each output"


class Example(Protocol):
    @property
    def input(self) -> str: ...
    @property
    def reference(self) -> str: ...
    @property
    def outputs(self) -> Sequence[str]: ...
    @property
    def expect(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class ComparedAnswer:
    """A rater's answer next to the one that was expected, both as raters read them."""

    criterion: str
    text: str  # of the output; empty for a question about the item
    position: int | None  # of the output
    question: str
    given: str
    expected: str  # empty: any answer is right
    fits: bool
    own_marks: list[ShownMark] = field(default_factory=list)
    expected_marks: list[ShownMark] | None = None  # where no marks are named


def problem_with_structured(
    expected: Any, example: Example, criterion: CriterionSpec | None
) -> str | None:
    """Say why the criterion (None: a derived one) cannot expect these mappings."""
    is_about_item = criterion is not None and criterion.about == "item"
    positions = (None,) if is_about_item else range(len(example.outputs))
    for position in positions:
        written = _at(expected, position, example)
        if not is_structured(written):
            continue
        if criterion is None:
            return UNREADABLE
        subject = _subject(example, position)
        for problem in criterion.tool.problems_with_expected(written, criterion.settings, subject):
            return problem
    return None


def problem_with(
    expected: Any, *, about: str, outputs: int, names: Collection[str] = ()
) -> str | None:
    """Say why a question cannot expect this; `names` are those of its answers, if any."""
    for name in _names_in(expected) if names else ():
        if name not in names:
            return f"there is no answer “{name[:60]}”: choose {', '.join(names)}"
    if _is_single(expected) or (about == "item" and _is_names(expected)):
        return None
    if isinstance(expected, dict) or (outputs == 1 and is_structured(expected)):
        return None
    if about == "item" or not isinstance(expected, list):
        return UNREADABLE
    if not all(
        answer is None or _is_single(answer) or _is_names(answer) or is_structured(answer)
        for answer in expected
    ):
        return UNREADABLE
    if len(expected) != outputs:
        return f"there are {outputs} outputs but {len(expected)} expected answers"
    return None


def compared(
    example: Example, criteria: Sequence[CriterionSpec], readings: Sequence[Reading]
) -> list[ComparedAnswer]:
    """Every answer that means something to its rater, in the order of outputs and questions."""
    found = {(reading.criterion, reading.position): reading for reading in readings}
    rows = []
    for position in (*range(len(example.outputs)), None):
        for criterion in criteria:
            if (criterion.about == "item") is not (position is None):
                continue
            for name in _names(criterion, example.expect):
                reading = found.get((name, position))
                expected = _at(example.expect.get(name), position, example)
                if expected is None and (reading is None or criterion.tool.kind == "time"):
                    continue
                rows.append(_compare(example, criterion, name, position, reading))
    return rows


def passes(rows: Sequence[ComparedAnswer]) -> bool:
    return all(row.fits for row in rows)


def _names(criterion: CriterionSpec, expect: Mapping[str, Any]) -> Iterator[str]:
    """Yield the criterion, and those derived ones of which something is expected."""
    yield criterion.name
    for suffix in criterion.tool.derived(criterion.settings):
        if (name := f"{criterion.name}_{suffix}") in expect:
            yield name


def _compare(
    example: Example,
    criterion: CriterionSpec,
    name: str,
    position: int | None,
    reading: Reading | None,
) -> ComparedAnswer:
    is_own = name == criterion.name
    expected = _at(example.expect.get(name), position, example)
    if is_own and expected == 0 and criterion.tool.marks_outputs:
        expected = []  # no marks, which are drawn in the text
    title = criterion.tool.derived_titles.get(name.removeprefix(f"{criterion.name}_"), "")
    row = ComparedAnswer(
        criterion=name,
        text="" if position is None else example.outputs[position],
        position=position,
        question=criterion.question if is_own or not title else gettext(title),
        given=_said_given(criterion, reading, is_own),
        expected="",
        fits=expected is None,
    )
    if is_own and is_structured(expected):
        subject, options = _subject(example, position), criterion.settings
        number, text = (reading.number, reading.text) if reading else (None, "")
        found = vars(criterion.tool.compare(expected, number, text, options, subject))
        return replace(row, **(found if text else found | {"given": row.given}))
    if expected is None:
        return row
    fits = reading is not None and _fits(expected, reading, criterion)
    return replace(row, expected=_said_of(criterion, expected, is_own), fits=fits)


def _said_given(criterion: CriterionSpec, reading: Reading | None, is_own: bool) -> str:
    if reading is None:
        return "–"
    if reading.cannot_judge is not None:
        return criterion.cannot_judge_reasons.get(reading.cannot_judge, "–")
    return _said(criterion, reading.number, reading.text, is_own)


def _at(expected: Any, position: int | None, example: Example) -> Any:
    """Return what is expected of one output."""
    is_of_one = len(example.outputs) == 1 and is_structured(expected)
    is_for_each = isinstance(expected, list) and not _is_range(expected) and not is_of_one
    return expected[position] if is_for_each and position is not None else expected


def _subject(example: Example, position: int | None) -> Subject:
    output = "" if position is None else example.outputs[position]
    return Subject(example.input, example.reference, {}, output=output)


def _fits(expected: Any, reading: Reading, criterion: CriterionSpec) -> bool:
    number = reading.number
    if isinstance(expected, str):
        label = criterion.tool.labels(criterion.settings).get(number) if number is not None else ""
        return expected in (reading.text, label)
    if _is_names(expected):
        return any(_fits(name, reading, criterion) for name in expected)
    if number is None:
        return False
    if _is_range(expected):
        low, high = expected
        return bool(low <= number <= high)
    return math.isclose(number, expected)


def _said(criterion: CriterionSpec, number: float | None, text: str, is_own: bool) -> str:
    if is_own:
        return criterion.tool.said(number, text, criterion.settings)
    return text if number is None else f"{number:g}"


def _said_of(criterion: CriterionSpec, expected: Any, is_own: bool) -> str:
    if _is_range(expected):
        low, high = expected
        if is_own:
            return criterion.tool.said_range(low, high, criterion.settings)
        return f"{low:g}–{high:g}"
    if isinstance(expected, list):
        return " / ".join(_said_of(criterion, name, is_own) for name in expected)
    if isinstance(expected, str):
        return criterion.tool.said(None, expected, criterion.settings)
    return _said(criterion, float(expected), "", is_own)


def _names_in(expected: Any) -> Iterator[str]:
    if isinstance(expected, str):
        yield expected
    elif isinstance(expected, list):
        for answer in expected:
            yield from _names_in(answer)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and math.isfinite(value)


def _is_range(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(_is_number(bound) for bound in value)
        and value[0] <= value[1]
    )


def _is_names(value: Any) -> bool:
    return (
        isinstance(value, list) and bool(value) and all(isinstance(answer, str) for answer in value)
    )


def is_structured(value: Any) -> bool:
    """Tell whether only the instrument can read this: a mapping, or a list of them."""
    return isinstance(value, dict) or (
        isinstance(value, list) and all(isinstance(part, dict) for part in value)
    )


def _is_single(value: Any) -> bool:
    return _is_number(value) or isinstance(value, str) or _is_range(value)
