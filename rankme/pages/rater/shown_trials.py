"""The trials of a work page: texts and files, in the order in which a rater sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, cast

from django.contrib.postgres.fields import ArrayField
from django.db.models import JSONField, SmallIntegerField
from django.db.models.expressions import RawSQL
from django.urls import reverse

from rankme.actions.rows.shown_as import PICTURES, SHOWN_AS
from rankme.actions.sitting.presentations import option_seed
from rankme.models import Assignment, CheckTrial, Item, MediaFile, Output, Trial
from rankme.protocols.definition import Definition
from rankme.protocols.documents import place_of
from rankme.protocols.exchange.marks import Mark
from rankme.protocols.exchange.page_shapes import FileKind, TrialFile
from rankme.protocols.texts import PracticeTrial

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations


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


# The outputs of a trial in the order of the plan, and the screens of it that the rater answered.
OUTPUTS = """(
    SELECT jsonb_agg(jsonb_build_object(
        'text', output.text, 'marks', output.marks, 'alt', output.alt, 'file', CASE
            WHEN file.id IS NOT NULL
            THEN jsonb_build_object('name', file.name, 'kind', file.kind, 'seconds', file.seconds)
        END
    ) ORDER BY place.position)
    FROM rankme_trialoutput place JOIN rankme_output output ON output.id = place.output_id
    LEFT JOIN rankme_mediafile file ON file.id = output.media_id
    WHERE place.trial_id = rankme_trial.id
)"""
ANSWERED = """ARRAY(
    SELECT DISTINCT screen FROM rankme_submission
    WHERE trial_id = rankme_trial.id AND assignment_id = %s AND NOT surplus ORDER BY screen
)"""


def trials_of(assignment: Assignment) -> list[ShownTrial]:
    """The trials of an assignment, in its own order; one query however many there are.

    A check is shown as any other trial, and nothing tells which one it is.
    """
    trials = (
        Trial.objects.select_related("item__media", "as_check")
        .annotate(
            in_order=RawSQL(OUTPUTS, [], JSONField()),
            answered=RawSQL(ANSWERED, [assignment.pk], ArrayField(SmallIntegerField())),
        )
        .in_bulk([trial for trial, _ in assignment.presentation])
    )
    return [
        replace(
            _shown_page(assignment.campaign.code, trials[trial], places),
            option_seed=tuple(option_seed(assignment, trial)),
            answered=tuple(trials[trial].answered),
        )
        for trial, places in assignment.presentation
    ]


class ReadTrial(TypedDict):
    """What `trials_of` reads with a trial."""

    in_order: list[dict[str, Any]] | None
    answered: list[int]


def _shown_page(
    code: str, trial: WithAnnotations[Trial, ReadTrial], places: Sequence[int]
) -> ShownTrial:
    if hasattr(trial, "as_check"):
        return _shown_check(code, trial.item, trial.as_check, places)
    stored = [_output(found) for found in trial.in_order or ()]
    return shown_trial(code, trial.item, [stored[place] for place in places])


def _output(found: dict[str, Any]) -> Output:
    file = found.pop("file")
    return Output(media=MediaFile(**file) if file else None, **found)


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
