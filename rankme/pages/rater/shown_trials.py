"""The trials of a work page: texts and files, in the order in which a rater sees them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from django.urls import reverse

from rankme.actions.rows.shown_as import PICTURES, SHOWN_AS
from rankme.actions.sitting.presentations import option_seed
from rankme.models import Assignment, Item, Output
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of
from rankme.protocols.exchange.marks import Mark
from rankme.protocols.exchange.page_shapes import FileKind, TrialFile
from rankme.protocols.texts import PracticeTrial
from rankme.queries.sql import kept


@dataclass(frozen=True)
class ShownTrial:
    """One trial's material, with its outputs in the order in which this rater sees them."""

    input: str
    reference: str
    context: str
    outputs: tuple[str, ...]
    feedback: str = ""
    in_words: bool = False  # where the campaign shows a share of the items as pictures
    is_checked: bool = False  # a practice trial that says which answers it expects
    marks: tuple[Sequence[Mark], ...] = ()  # suggestions, for each output
    option_seed: tuple[int, ...] = ()  # the seed of the order of shuffled choices
    place: tuple[str, int] = ("", 0)  # its document and segment; 0: it is in none
    input_file: TrialFile | None = None
    output_files: tuple[TrialFile | None, ...] = ()
    answered: tuple[int, ...] = ()  # its screens that the server already has


class StoredFile(NamedTuple):
    """The part of a `MediaFile` that a page names."""

    name: str
    kind: str
    seconds: float | None


class StoredItem(NamedTuple):
    """The part of an `Item` that a page shows: objects of models take ten times as long."""

    input: str
    reference: str
    context: str
    factors: dict[str, Any]
    alt: str
    media: StoredFile | None


class StoredOutput(NamedTuple):
    """The part of an `Output` that a page shows."""

    text: str
    marks: Sequence[Mark] | None
    alt: str
    media: StoredFile | None


FILE = """CASE WHEN {file}.id IS NOT NULL
    THEN jsonb_build_array({file}.name, {file}.kind, {file}.seconds) END"""
# Each trial with its item, its check, its outputs in the order of the plan, and the screens of it
# that the rater answered.
TRIALS = f"""
    SELECT trial.id,
        jsonb_build_array(item.input, item.reference, item.context, item.factors, item.alt,
            {FILE.format(file="of_item")}),
        checked.shown,
        (
            SELECT jsonb_agg(
                jsonb_build_array(output.text, output.marks, output.alt, {FILE.format(file="file")})
                ORDER BY place.position
            )
            FROM rankme_trialoutput place JOIN rankme_output output ON output.id = place.output_id
            LEFT JOIN rankme_mediafile file ON file.id = output.media_id
            WHERE place.trial_id = trial.id
        ),
        ARRAY(
            SELECT DISTINCT screen FROM rankme_submission
            WHERE trial_id = trial.id AND assignment_id = %(sitting)s AND NOT surplus
            ORDER BY screen
        )
    FROM rankme_trial trial JOIN rankme_item item ON item.id = trial.item_id
    LEFT JOIN rankme_mediafile of_item ON of_item.id = item.media_id
    LEFT JOIN rankme_checktrial checked ON checked.trial_id = trial.id
    WHERE trial.id = ANY(%(trials)s::bigint[])
"""


def trials_of(assignment: Assignment) -> list[ShownTrial]:
    """The trials of an assignment, in its own order; one query however many there are.

    Those that were drawn to have no suggestions have none.
    A check is shown as any other trial, and nothing tells which one it is.
    """
    code, presentation = assignment.campaign.code, assignment.presentation
    asked = {
        "sitting": assignment.pk,
        "trials": [trial for trial, _places in presentation],
    }
    with kept(TRIALS, asked) as cursor:
        found = {trial: read for trial, *read in cursor.fetchall()}
    held_out = set(assignment.held_out)
    shown = {trial: _shown_page(code, found[trial], places) for trial, places in presentation}
    return [
        replace(
            without_suggestions(shown[trial]) if trial in held_out else shown[trial],
            option_seed=tuple(option_seed(assignment, trial)),
            answered=tuple(found[trial][-1]),
        )
        for trial, _places in presentation
    ]


def without_suggestions(trial: ShownTrial) -> ShownTrial:
    return replace(trial, marks=())


def _shown_page(code: str, read: Sequence[Any], places: Sequence[int]) -> ShownTrial:
    """A trial as `TRIALS` reads it, without its number."""
    item, check, outputs, _answered = read
    words, source, around, factors, alt, file = json.loads(item)
    stored_item = StoredItem(words, source, around, factors, alt, _stored_file(file))
    if check is not None:
        return _shown_check(code, stored_item, json.loads(check), places)
    stored = [
        StoredOutput(text, marks, alt, _stored_file(file))
        for text, marks, alt, file in json.loads(outputs or "[]")
    ]
    return shown_trial(code, stored_item, [stored[place] for place in places])


def _stored_file(found: Sequence[Any] | None) -> StoredFile | None:
    return None if found is None else StoredFile(*found)


def _shown_check(
    code: str, item: StoredItem, shown: dict[str, Any], places: Sequence[int]
) -> ShownTrial:
    marks = shown.get("marks") or [()] * len(shown["outputs"])
    return ShownTrial(
        shown["input"],
        shown["reference"],
        shown["context"],
        tuple(shown["outputs"][place] for place in places),
        in_words=True,
        input_file=_file(code, item),
        marks=tuple(marks[place] for place in places),
    )


def shown_trial(
    code: str,
    item: Item | StoredItem,
    outputs: Sequence[Output | StoredOutput],
    *,
    in_words: bool | None = None,
) -> ShownTrial:
    """An item with these outputs, in this order; in words unless it was drawn for pictures."""
    return ShownTrial(
        item.input,
        item.reference,
        item.context,
        tuple(output.text for output in outputs),
        in_words=item.factors.get(SHOWN_AS) != PICTURES if in_words is None else in_words,
        marks=tuple(output.marks or () for output in outputs),
        place=place_of(item.factors),
        input_file=_file(code, item),
        output_files=tuple(_file(code, output) for output in outputs),
    )


def _file(code: str, owner: Item | Output | StoredItem | StoredOutput) -> TrialFile | None:
    if owner.media is None:
        return None
    address = reverse("rankme:media", args=[code, owner.media.name])
    return file_as_shown(address, owner.media.kind, owner.alt, owner.media.seconds)


def file_as_shown(address: str, kind: str, alt: str, seconds: float | None) -> TrialFile:
    return {"address": address, "kind": cast(FileKind, kind), "alt": alt, "seconds": seconds}


def shows_both(definition: Definition) -> bool:
    """Whether some items are shown as pictures and the others, also later ones, in words."""
    return (definition.pictorial_share or 1) < 1


def practice_trials(practice: Sequence[PracticeTrial], *, has_both: bool) -> list[ShownTrial]:
    """`has_both`: some items are shown as pictures and some in words."""
    return [
        ShownTrial(
            input=trial.input,
            reference=trial.reference,
            context=trial.context,
            outputs=tuple(trial.outputs),
            feedback=trial.feedback,
            is_checked=bool(trial.expect),
            # Words first, then pictures: raters practise both.
            in_words=has_both and number % 2 == 0,
            option_seed=(number,),
        )
        for number, trial in enumerate(practice)
    ]
