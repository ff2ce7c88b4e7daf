"""Put the validator's errors into the organiser's words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from pydantic import ValidationError

Location = tuple[str | int, ...]
Finding = tuple[Location, str]

MOST_LISTED = 50
MOST_ALIKE = 3
LONGEST_WORDS = 500

# By pydantic's type of error; names in braces are what it says about the error.
WORDS = {
    "missing": "this is missing",
    "extra_forbidden": "there is no setting with this name",
    "invalid_key": "names of settings must be text: put this one in quotation marks",
    "string_type": "this must be text: put numbers and yes or no in quotation marks",
    "string_too_short": "this must not be empty",
    "string_too_long": "this must have at most {max_length} characters",
    "string_unicode": "this contains a character that cannot be stored",
    "int_type": "this must be a whole number",
    "int_parsing": "this must be a whole number",
    "int_parsing_size": "this number is too large",
    "int_from_float": "this must be a whole number",
    "float_type": "this must be a number",
    "float_parsing": "this must be a number",
    "finite_number": "this must be a finite number",
    "greater_than": "this must be greater than {gt}",
    "greater_than_equal": "this must be at least {ge}",
    "less_than": "this must be less than {lt}",
    "less_than_equal": "this must be at most {le}",
    "bool_type": "this must be true or false",
    "bool_parsing": "this must be true or false",
    "list_type": "this must be a list",
    "dict_type": "this must be a group of settings (name: value)",
    "model_type": "this must be a group of settings (name: value)",
    "model_attributes_type": "this must be a group of settings (name: value)",
    "literal_error": "this must be {expected}",
    "too_short": "this must have at least {min_length} entries",
    "too_long": "this must have at most {max_length} entries",
}
ONE_ENTRY = "this must have at least one entry"
# No model uses the types that are left. Nothing of what pydantic says to programmers gets through.
OTHERWISE = "this value cannot be used here"


class JointProblems(ValueError):
    """Parts that do not fit together, each with its place below the part that was checked."""

    def __init__(self, problems: list[Finding]) -> None:
        self.problems = problems
        super().__init__("; ".join(message for _, message in problems))


def problems_found(error: ValidationError) -> Iterator[Finding]:
    """List every problem in words, with its location."""
    for found in error.errors(include_url=False, include_input=False):
        context: dict[str, Any] = found.get("ctx", {})
        cause = context.get("error")
        if isinstance(cause, JointProblems):
            yield from (((*found["loc"], *inner), words) for inner, words in cause.problems)
        elif cause is not None:
            yield found["loc"], str(cause)[:LONGEST_WORDS]
        elif found["type"] == "too_short" and context["min_length"] == 1:
            yield found["loc"], ONE_ENTRY
        else:
            yield found["loc"], WORDS.get(found["type"], OTHERWISE).format_map(_plain(context))


def _plain(context: dict[str, Any]) -> dict[str, Any]:
    """Numbers as people write them: 20,000 and not 20000.0."""
    return {
        name: f"{value:,g}" if isinstance(value, float) else f"{value:,}"
        for name, value in context.items()
        if isinstance(value, int | float)
    } | {name: value for name, value in context.items() if isinstance(value, str)}


def summary(found: Iterable[Finding]) -> Iterator[Finding]:
    """At most `MOST_LISTED` problems; one that occurs again and again is listed once."""
    groups: dict[object, list[Finding]] = {}
    for location, words in found:
        groups.setdefault((_pattern(location, words), words), []).append((location, words))
    listed = [finding for group in groups.values() for finding in _shortened(group)]
    yield from listed[:MOST_LISTED]
    if len(listed) > MOST_LISTED:
        yield (), f"and {len(listed) - MOST_LISTED:,} more problems"


def _pattern(location: Location, words: str) -> Location:
    """Return the same location for a setting of all entries of a list, and for unknown settings."""
    pattern = tuple("*" if isinstance(part, int) else part for part in location)
    return pattern[:-1] if words == WORDS["extra_forbidden"] else pattern


def _shortened(group: list[Finding]) -> list[Finding]:
    if len(group) <= MOST_ALIKE:
        return group
    location, words = group[0]
    return [(location, f"{words} (and in {len(group) - 1:,} more places)")]
