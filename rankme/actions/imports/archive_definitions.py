"""The campaign file of an archive, read off the judgements that were collected elsewhere."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from django.utils.translation import gettext as _

from rankme.errors import RefusedAction
from rankme.importing import JUDGEMENT_READERS, JudgementPreview
from rankme.importing.readers.reader import Asked
from rankme.importing.spooling.preview import CriterionPreview
from rankme.protocols.definition import Definition
from rankme.protocols.files import definition_from_document


def guessed_definition(title: str, preview: JudgementPreview) -> Definition:
    """A campaign file that fits the values: enough to analyse them, not to collect more."""
    asked: dict[str, dict[str, Any]] = {}
    for found in preview.criteria:
        name = criterion_name(found.name)
        if name in asked:
            raise RefusedAction(
                _("Two criteria in the file would have the same name, %s. Rename one of them.")
                % name
            )
        asked[name] = asdict(_instrument_of(found, preview))
    return archive_definition(title, asked)


def criterion_name(name: str) -> str:
    """The name as a campaign file may have it: small letters, digits, - and _."""
    plain = re.sub(r"[^a-z0-9_-]+", "_", name.strip().casefold()).strip("_")[:60]
    return plain if plain[:1].isalpha() else f"c_{plain}"[:60]


def _instrument_of(criterion: CriterionPreview, preview: JudgementPreview) -> Asked:
    """As the format names it; otherwise choices where values have names, or a line."""
    if criterion.has_marks:
        # Nobody marks anything in an archive: what was allowed then does not matter now.
        severities = {name: name for name in criterion.severities}
        return Asked("spans", {"severities": severities})
    if asked := JUDGEMENT_READERS[preview.format].asked(criterion, preview):
        return asked
    labels = criterion.labels
    if labels and set(labels) == set(map(float, range(len(labels)))) != {0.0}:
        choices = {labels[number]: labels[number] for number in sorted(labels)}
        if len(choices) == len(labels):
            return Asked("choice", {"choices": choices})
    low, high = min(criterion.lowest, 0), max(criterion.highest, 100)
    return Asked("slider", {"minimum": low, "maximum": high})


def archive_definition(title: str, asked: dict[str, dict[str, Any]]) -> Definition:
    criteria = [
        {"name": name, "question": name, "instrument": "slider"} | instrument
        for name, instrument in asked.items()
    ]
    return definition_from_document(
        {
            "title": title,
            "description": _("Judgements collected elsewhere."),
            "input_kind": "text",
            "criteria": criteria,
            "screens": [{"name": "all", "show": ["input", "outputs"], "ask": list(asked)}],
            "design": {"kind": "complete"},
            "raters_per_trial": 1,
            "seed": 0,
            "texts": {"consent": "-", "instructions": "-"},
        }
    )
