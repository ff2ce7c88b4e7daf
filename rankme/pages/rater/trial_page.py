"""What the work page hands to the browser: the texts that its screens show, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.urls import reverse

from rankme.actions.rows.shown_as import PICTURES, SHOWN_AS
from rankme.actions.sitting.presentations import option_seed, outputs_in_order
from rankme.markdown import formatted, formatted_together
from rankme.models import Assignment, CheckTrial, Item, Output, Trial
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.dialogues import contents_of_turns
from rankme.protocols.documents import place_of, runs_of
from rankme.protocols.instruments import Instrument
from rankme.protocols.item_input import Picture, picture_source, read_pictures, read_tables, slots
from rankme.protocols.matrix import MATRIX, columns_of
from rankme.protocols.option_order import option_orders
from rankme.protocols.screens import ScreenSpec
from rankme.protocols.texts import PracticeTrial

from .shortcuts import keys_on_screen

PLACE_OF_SENTENCE = "[[SENTENCE]]"
# Of all trials of a page together, so that no page takes longer than a request may: hostile texts
# of this length take 20 s to render.
MOST_FORMATTED = 1_000_000
# What raters compare the outputs with.
STAYING_BLOCKS = ("input", "images", "reference", "standard")


@dataclass(frozen=True)
class TrialFile:
    """A picture, sound or film as the browser needs it, and nothing else about it."""

    address: str
    kind: str
    alt: str
    seconds: float | None  # how long it plays, where that is known


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
    marks: tuple[Sequence[dict[str, Any]], ...] = ()  # suggestions, for each output
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
    return TrialFile(address, owner.media.kind, owner.alt, owner.media.seconds)


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


def page_document(
    definition: Definition,
    trials: Sequence[ShownTrial],
    *,
    seed: int = 0,
    is_preview: bool = False,
) -> dict[str, Any]:
    """The part of the page's JSON that the protocol and the trials decide.

    `seed` draws the order of attributes where a block asks for a separate one for each rater; the
    same assignment always has the same order. Only a preview has the feedback on the practice:
    raters receive it for their answers (see `practice_feedback`).
    """
    pictures: dict[str, int] = {}
    rng = random.Random(seed)
    practice = practice_trials(definition.practice, has_both=shows_both(definition))
    is_formatted = sum(map(_length, trials)) <= MOST_FORMATTED
    return {
        "screens": [_screen(definition, index) for index in range(len(definition.screens))],
        "trials": [
            trial_document(definition, trial, pictures, rng, is_formatted=is_formatted) | place
            for trial, place in zip(trials, _places(definition, trials), strict=True)
        ],
        "practice": [
            trial_document(definition, trial, pictures, rng)
            | _feedback(definition, trial, is_preview)
            for trial in practice
        ],
        "practice_gate": definition.practice_gate,
        "pictures": list(pictures),
        "breaks": definition.breaks.model_dump(),
        "seconds_per_screen": definition.crowd.expected_seconds_per_screen,
        "least_seconds": definition.crowd.least_seconds_per_screen
        if definition.crowd.wait_least_seconds
        else 0,
        "standard_input": _input(definition, definition.standard.input, pictures)
        if definition.standard and definition.standard.input
        else None,
    }


def _places(definition: Definition, trials: Sequence[ShownTrial]) -> list[dict[str, Any]]:
    """Where each trial is in its document: the document's trials are a run of the page's."""
    if not definition.has_documents:
        return [{} for _trial in trials]
    return [
        {"document": {"first": run.start, "segment": number, "segments": len(run)}}
        for run in runs_of([trial.place for trial in trials])
        for number in range(1, len(run) + 1)
    ]


def _screen(definition: Definition, index: int) -> dict[str, Any]:
    screen = definition.screens[index]
    closing = {"closes_document": True} if screen.scope == "document" else {}
    return closing | {
        "ask": [_question(criterion) for criterion in definition.questions(index)],
        "timed": screen.timed.model_dump() if screen.timed else None,
        "comment": screen.comment,
    }


def _question(criterion: CriterionSpec) -> dict[str, Any]:
    question: dict[str, Any] = {
        "criterion": criterion.name,
        "about": criterion.about,
        "required": criterion.required,
        "instrument": criterion.instrument,
        "options": _options(criterion),
    }
    if criterion.cannot_judge:
        question |= {"cannot_judge": True, "reasons": list(criterion.cannot_judge_reasons)}
    return question


def _options(criterion: CriterionSpec) -> dict[str, Any]:
    """The instrument's options, choices as pairs: in a mapping a browser puts "10" first."""
    return {
        name: list(value.items()) if isinstance(value, dict) else value
        for name, value in criterion.settings.model_dump(mode="json").items()
    }


def _length(trial: ShownTrial) -> int:
    return sum(map(len, (trial.input, trial.reference, trial.context, *trial.outputs)))


def trial_document(
    definition: Definition,
    trial: ShownTrial,
    pictures: dict[str, int],
    rng: random.Random,
    *,
    is_formatted: bool = True,
) -> dict[str, Any]:
    """Only what some screen shows: a naturalness campaign sends no meaning representation."""

    def shows(*blocks: str) -> bool:
        return any(screen.shows(*blocks) for screen in definition.screens)

    document: dict[str, Any] = {"places": len(trial.outputs)}
    if orders := option_orders(definition.criteria, trial.option_seed):
        document["orders"] = orders
    if shows("input", "images", "document"):
        document["input"] = _input(definition, trial.input, pictures)
        if pairs := document["input"].get("pairs"):
            document["input"]["in_words"] = trial.in_words and shows_both(definition)
            document["input"]["order"] = rng.sample(range(len(pairs)), len(pairs))
    if shows("reference", "reference_context"):
        document["reference"] = trial.reference
    if shows("context", "reference_context"):
        document["context"] = around_the_sentence(trial.context, trial.reference)
    if shows("outputs", "context", "document"):
        document["outputs"] = list(trial.outputs)
        if any(trial.marks) and any(asked.tool.marks_outputs for asked in definition.criteria):
            document["marks"] = list(trial.marks)
    if definition.shows_files("input"):
        document["input_file"] = trial.input_file and asdict(trial.input_file)
    if definition.shows_files("outputs"):
        document["output_files"] = [file and asdict(file) for file in trial.output_files]
    if any(asked.tool.needs_input_length(asked.settings) for asked in definition.criteria):
        document["input_length"] = len(trial.input)
        document["input_attributes"] = len(slots(trial.input))
    if is_formatted and (trees := _formatted(definition, trial)):
        document["formatted"] = trees
    return document


def _formatted(definition: Definition, trial: ShownTrial) -> dict[str, Any]:
    """The trees of the texts that some screen shows as Markdown (`rankme.markdown`)."""

    def formats(*blocks: str) -> bool:
        return any(screen.formats(*blocks) for screen in definition.screens)

    def formats_turns(block: str) -> bool:
        return any(screen.formats_turns(block) for screen in definition.screens)

    trees: dict[str, Any] = {}
    if formats("input"):
        trees["input"] = formatted(trial.input)
    if formats("reference", "reference_context"):
        trees["reference"] = formatted(trial.reference)
    if formats("context", "reference_context"):
        around = around_the_sentence(trial.context, trial.reference)
        trees["context"] = [formatted(text) for text in around]
    if formats("outputs", "context"):
        trees["outputs"] = [formatted(text) for text in trial.outputs]
    if formats_turns("input"):
        trees["input_turns"] = formatted_together(contents_of_turns(trial.input))
    if formats_turns("outputs"):
        trees["outputs_turns"] = [
            formatted_together(contents_of_turns(text)) for text in trial.outputs
        ]
    return trees


def _feedback(definition: Definition, trial: ShownTrial, is_preview: bool) -> dict[str, Any]:
    """Whether the server has something to say about the answers to a practice trial. Answers in a
    preview do not reach the server, so it has the feedback itself.
    """
    if is_preview:
        shows_text = definition.practice_feedback and trial.feedback
        return {"has_feedback": True, "feedback": trial.feedback} if shows_text else {}
    is_told = definition.practice_feedback and (trial.feedback or trial.is_checked)
    return {"has_feedback": True} if is_told or _is_gate(definition, trial) else {}


def _is_gate(definition: Definition, trial: ShownTrial) -> bool:
    return definition.practice_gate and trial.is_checked


def around_the_sentence(context: str, reference: str) -> list[str]:
    """The context before and after the judged sentence.

    `[[SENTENCE]]` marks its place. Without the mark it is the reference's place in the context;
    without that too, the sentence follows the context.
    """
    for place in (PLACE_OF_SENTENCE, reference):
        if place and place in context:
            before, _, after = context.partition(place)
            return [before, after.replace(PLACE_OF_SENTENCE, "")]
    return [f"{context} " if context else "", ""]


def _input(definition: Definition, text: str, pictures: dict[str, int]) -> dict[str, Any]:
    kind = definition.input_kind
    if kind == "mr" and (pairs := slots(text)):
        return {"kind": "mr", "pairs": pairs}
    if kind == "tables" and (found := read_tables(text)):
        return {"kind": "tables", "tables": [table.model_dump() for table in found.tables]}
    if kind == "images" and (domain := read_pictures(text)):
        grid = {"columns": domain.columns, "rows": domain.rows}
        return {"kind": "images", "images": _images(domain.in_reading_order(), pictures), **grid}
    return {"kind": "text", "text": text}


def _images(images: Sequence[Picture], pictures: dict[str, int]) -> list[dict[str, Any]]:
    """Pictures in reading order by their place; their names stay here, so does the target.

    The input is `{"images": [{"name", "svg" or "src", "x", "y"}, …], "columns", "rows", "target"}`
    with x and y from 1. A picture is a data: address or inline SVG, so no file name can reveal
    anything; each picture is sent once, however many trials show it. A click answers with the
    picture's index in this list. Nothing here depends on the order of the file.
    """
    return [
        {
            "picture": pictures.setdefault(picture_source(image), len(pictures)),
            "x": float(index) if image.x is None else image.x,
            "y": image.y,
        }
        for index, image in enumerate(images)
    ]


def screen_parts(definition: Definition) -> list[dict[str, Any]]:
    """What the templates of the screens need: blocks and questions with their templates' names."""
    return [_parts(definition, index) for index in range(len(definition.screens))]


def _parts(definition: Definition, index: int) -> dict[str, Any]:
    screen: ScreenSpec = definition.screens[index]
    questions: list[dict[str, Any]] = [
        {"criterion": criterion, "template": f"participant/instruments/{criterion.instrument}.html"}
        for criterion in definition.questions(index)
    ]
    beside = screen.shows("outputs", "document")
    beside_outputs = [q for q in questions if beside and q["criterion"].about == "output"]
    instruments = [question["criterion"].tool for question in beside_outputs]
    return {
        "screen": screen,
        # Read out where none is shown: names of screens are not for raters.
        "heading": screen.title or definition.questions(index)[0].question,
        "block_groups": _block_groups(screen, instruments),
        "beside_outputs": beside_outputs,
        "columns": columns_of(questions[0]["criterion"]) if screen.layout == MATRIX else [],
        "in_columns": not screen.shows("document")
        and not screen.shows_dialogue("outputs")
        and not any(block.layout == "side_by_side" for block in screen.show)
        and (
            len(instruments) < 2 or (len(instruments) == 2 and instruments[1].fits_a_narrow_column)
        ),
        "keys": [] if screen.timed else keys_on_screen(definition.questions(index)),
        "below": [q for q in questions if not beside or q["criterion"].about == "item"],
    }


def _block_groups(
    screen: ScreenSpec, instruments: Sequence[Instrument[Any]]
) -> list[dict[str, Any]]:
    """The blocks of a screen; those that outputs are compared with are a group that stays in view.

    Only the blocks right before the outputs can stay, because they are stuck to the top.
    """
    names = [block.block for block in screen.show]
    end = names.index("outputs") if "outputs" in names else 0
    start = end
    if not screen.timed and not any(instrument.repeats_the_input for instrument in instruments):
        while start > 0 and names[start - 1] in STAYING_BLOCKS:
            start -= 1
    parts = ((0, start), (start, end), (end, len(names)))
    return [
        {
            "stays": (first, last) == (start, end),
            "blocks": [
                {"spec": block, "template": f"participant/blocks/{block.block}.html"}
                for block in screen.show[first:last]
            ],
        }
        for first, last in parts
        if first < last
    ]
