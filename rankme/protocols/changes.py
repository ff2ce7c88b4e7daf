"""Decide what may change after the launch: texts around the work, and its terms.

What an answer is about and what its number means stays, so that answers from before and after a
change can be counted together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.errors import Problem

from .definition import Definition
from .instruments import INSTRUMENTS

# Whole parts of the file that only say how raters are addressed, paid and let in.
FREE = {
    "title", "description", "input_language", "languages", "words", "texts", "crowd", "breaks",
    "analysis", "problem_button",
    "practice", "practice_feedback", "practice_tries", "practice_gate", "material",
}  # fmt: skip
WORDING = {
    "criteria": {"question", "low", "high"},
    "screens": {"title"},
    "entry_questions": {"question", "required", "accept", "most"},
    "end_questions": {"question", "required"},
}
BLOCK_WORDING = {"title", "text"}
# Named choices: the names stay, and what raters read next to them can change.
LABELLED = {
    "criteria": {"cannot_judge_reasons"},
    "entry_questions": {"choices"},
    "end_questions": {"choices"},
}
REASONS = {
    "criteria": gettext_noop(
        "Raters have answered on this scale. Its question, its labels and the names of its points "
        "can change; its name, instrument, points and range cannot."
    ),
    "screens": gettext_noop(
        "Raters have seen these screens. Their titles and texts can change; what they show and ask "
        "cannot."
    ),
    "entry_questions": gettext_noop(
        "Raters have answered these questions. Their wording, the answers that you accept and "
        "their limits can change; their names, kinds and choices cannot."
    ),
    "end_questions": gettext_noop(
        "Raters have answered these questions. Their wording can change; their names, kinds, "
        "choices and conditions cannot."
    ),
    "design": gettext_noop("The plan was drawn with this design, so it cannot change."),
    "raters_per_trial": gettext_noop(
        "The plan was drawn for this number. Use “Extend the plan” to ask for more raters."
    ),
    "seed": gettext_noop("The plan was drawn from this seed, so it cannot change."),
    "checks": gettext_noop("The checks were drawn with the plan, so they cannot change."),
    "rules": gettext_noop("The rules were fixed with the launch, so they cannot change."),
    "generality": gettext_noop("What claims are about was fixed with the launch."),
    "primary": gettext_noop("The primary criterion was fixed with the launch."),
    "equivalence": gettext_noop("The margins of equivalence were fixed with the launch."),
    "looks": gettext_noop("How the campaign is looked at was fixed with the launch."),
    "hypotheses": gettext_noop("The hypotheses were registered with the launch."),
    "standard": gettext_noop("Raters have judged against this standard, so it cannot change."),
    "input_kind": gettext_noop("Raters have seen the inputs in this form, so it cannot change."),
    "language": gettext_noop("Raters have worked in this language, so it cannot change."),
}


def what_may_not_change(before: Definition, after: Definition) -> list[Problem]:
    """List where a new definition changes what a launched campaign must keep."""
    old, new = _kept(before), _kept(after)
    places = [place for place in old | new if old.get(place) != new.get(place)]
    return [
        Problem(place, _(REASONS[place.partition("[")[0].partition(".")[0]]))
        for place in _without_consequences(places)
    ]


def may_change(path: str, document: Mapping[str, Any]) -> bool:
    """Tell whether the setting at a path such as `criteria.0.question` may change.

    The labels of named choices may, which is checked when the change is made.
    """
    part, *rest = path.split(".")
    if part in FREE or part not in WORDING:
        return part in FREE
    if len(rest) < 2:
        return False
    name = rest[1]
    if name in WORDING[part]:
        return True
    if part == "criteria" and name == "options" and len(rest) > 2:
        instrument = document["criteria"][int(rest[0])].get("instrument")
        return instrument in INSTRUMENTS and rest[2] in INSTRUMENTS[instrument].wording
    if part == "screens" and name == "show":
        return rest[-1] in BLOCK_WORDING
    return name in LABELLED.get(part, ())


def why_not(part: str) -> str:
    """Say why some or all of a part cannot change; empty if all of it can."""
    return _(REASONS[part]) if part in REASONS else ""


def _kept(definition: Definition) -> dict[str, Any]:
    """Map each value that must stay to its place in the document."""
    document = definition.model_dump(mode="json")
    for name in FREE | {"format"}:
        document.pop(name)
    for part, wording in WORDING.items():
        document[part] = [
            {name: value for name, value in entry.items() if name not in wording}
            for entry in document[part]
        ]
    for criterion in document["criteria"]:
        tool = INSTRUMENTS[criterion["instrument"]]
        settings = tool.Options(**criterion["options"]).model_dump(mode="json")
        criterion["options"] = dict(_without_wording(settings, tool.wording))
    for screen in document["screens"]:
        screen["show"] = [
            {name: value for name, value in block.items() if name not in BLOCK_WORDING}
            for block in screen["show"]
        ]
    for part, names in LABELLED.items():
        for entry in document[part]:
            entry.update({name: list(entry[name]) for name in names})
    return dict(_leaves(document, ""))


def _without_wording(settings: Mapping[str, Any], wording: tuple[str, ...]) -> Iterator[Any]:
    """The settings of an instrument without its labels; of named choices the names stay."""
    for name, value in settings.items():
        if name not in wording:
            yield name, value
        elif isinstance(value, dict):
            yield name, list(value)


def _leaves(value: Any, place: str) -> Iterator[tuple[str, Any]]:
    """List every value with its place; a list of names counts as one value."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _leaves(part, f"{place}.{name}" if place else name)
    elif isinstance(value, list) and any(isinstance(part, dict) for part in value):
        yield place, len(value)
        for number, part in enumerate(value):
            yield from _leaves(part, f"{place}[{number}]")
    else:
        yield place, value


def _without_consequences(places: list[str]) -> list[str]:
    """The outermost places: a list that has grown differs in everything after that, too."""
    return [
        place
        for place in places
        if not any(place.startswith((f"{other}.", f"{other}[")) for other in places)
    ]
