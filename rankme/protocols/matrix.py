"""Screens whose questions are the rows of one table, with the points of their scale as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .criteria import CriterionSpec
from .definition import Definition
from .problem_words import Finding

MATRIX = "matrix"


def matrix_problems(definition: Definition) -> Iterator[Finding]:
    """Find questions that cannot share the columns of a table."""
    for number, screen in enumerate(definition.screens):
        if screen.layout != MATRIX:
            continue
        asked = [criterion for criterion in definition.criteria if criterion.name in screen.ask]
        if words := _problem_of(asked, is_timed=screen.timed is not None):
            yield ("screens", number, "layout"), words


def _problem_of(asked: Sequence[CriterionSpec], *, is_timed: bool) -> str:
    if is_timed:
        return "a timed screen cannot be a matrix"
    if len(asked) < 2:
        return "a matrix needs at least two criteria"
    for criterion in asked:
        if not criterion.tool.columns(criterion.settings):
            return f"a matrix has Likert scales, but “{criterion.name}” has another instrument"
        if criterion.about != asked[0].about:
            return "in a matrix, all criteria are about each output, or all about the item"
        if _scale_of(criterion) != _scale_of(asked[0]):
            words = f"“{criterion.name}” has other points, labels or ends than “{asked[0].name}”"
            return f"the rows of a matrix share one scale: {words}"
    return ""


def _scale_of(criterion: CriterionSpec) -> tuple[object, ...]:
    return (criterion.settings, criterion.low, criterion.high)


def columns_of(criterion: CriterionSpec) -> list[tuple[str, str]]:
    """Return the heads of a matrix: a point's number or label, and the name of an end."""
    labels = criterion.tool.columns(criterion.settings)
    ends = {0: criterion.low, len(labels) - 1: criterion.high}
    return [(label, ends.get(number, "")) for number, label in enumerate(labels)]
