"""The trials of a work page: texts and files, in the order in which a rater sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from django.urls import reverse

from rankme.actions.rows.shown_as import PICTURES, SHOWN_AS
from rankme.actions.sitting.presentations import option_seed, outputs_in_order
from rankme.models import Assignment, CheckTrial, Item, Output, Trial
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of
from rankme.protocols.exchange.marks import Mark
from rankme.protocols.exchange.page_shapes import FileKind, TrialFile
from rankme.protocols.texts import PracticeTrial


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


def trials_of(assignment: Assignment) -> list[ShownTrial]:
    """The trials of an assignment, in its own order; three queries however many there are.

    A check is shown as any other trial, and nothing tells which one it is.
    """
    trials = Trial.objects.select_related("item__media", "as_check").in_bulk(
        [trial for trial, _ in assignment.presentation]
    )
    checks = {pk: trial.as_check for pk, trial in trials.items() if hasattr(trial, "as_check")}
    planned = [page for page in assignment.presentation if page[0] not in checks]
    order = outputs_in_order(planned)
    shown = [output for outputs in order.values() for output in outputs]
    texts = Output.objects.select_related("media").in_bulk(shown)
    code = assignment.campaign.code
    return [
        replace(
            _shown_check(code, trials[trial].item, checks[trial], places)
            if trial in checks
            else shown_trial(code, trials[trial].item, [texts[output] for output in order[trial]]),
            option_seed=tuple(option_seed(assignment, trial)),
        )
        for trial, places in assignment.presentation
    ]


def _shown_check(code: str, item: Item, check: CheckTrial, places: Sequence[int]) -> ShownTrial:
    shown = check.shown
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
    code: str, item: Item, outputs: Sequence[Output], *, in_words: bool | None = None
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


def _file(code: str, owner: Item | Output) -> TrialFile | None:
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
