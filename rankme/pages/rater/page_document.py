"""What the work page hands to the browser: the texts that its screens show, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from rankme.markdown import formatted, formatted_together
from rankme.protocols.criteria import CriterionSpec
from rankme.protocols.definition import Definition
from rankme.protocols.dialogues import contents_of_turns
from rankme.protocols.documents import runs_of
from rankme.protocols.exchange.page_shapes import (
    DocumentPlace,
    Formatted,
    Input,
    Material,
    MeaningInput,
    PageDocument,
    PlacedPicture,
    Question,
    ScreenQuestions,
    Screens,
)
from rankme.protocols.item_input import Picture, picture_source, read_pictures, read_tables, slots
from rankme.protocols.option_order import option_orders

from .shown_trials import ShownTrial, practice_trials, shows_both

PLACE_OF_SENTENCE = "[[SENTENCE]]"
# Of all trials of a page together, so that no page takes longer than a request may: hostile texts
# of this length take 20 s to render.
MOST_FORMATTED = 1_000_000
PAGE_DOCUMENT = TypeAdapter(PageDocument)


def as_json(document: PageDocument) -> Any:
    """The document as JSON has it, in the shapes that the scripts' types were generated from."""
    return PAGE_DOCUMENT.dump_python(document, mode="json")


def page_document(
    definition: Definition,
    trials: Sequence[ShownTrial],
    *,
    seed: int = 0,
    is_preview: bool = False,
) -> Screens:
    """The part of the page's document that the protocol and the trials decide.

    `seed` draws the order of attributes where a block asks for a separate one for each rater; the
    same assignment always has the same order. Only a preview has the feedback on the practice:
    raters receive it for their answers (see `practice_feedback`).
    """
    pictures: dict[str, int] = {}
    rng = random.Random(seed)
    is_formatted = sum(map(_length, trials)) <= MOST_FORMATTED
    shown = [
        trial_document(definition, trial, pictures, rng, is_formatted=is_formatted)
        for trial in trials
    ]
    if definition.has_documents:
        for material, place in zip(shown, _places(trials), strict=True):
            material["document"] = place
    crowd, standard = definition.crowd, definition.standard
    document: Screens = {
        "screens": [_screen(definition, index) for index in range(len(definition.screens))],
        "trials": shown,
        "practice": [
            _practice_document(definition, trial, pictures, rng, is_preview=is_preview)
            for trial in practice_trials(definition.practice, has_both=shows_both(definition))
        ],
        "practice_gate": definition.practice_gate,
        "breaks": definition.breaks,
        "seconds_per_screen": crowd.expected_seconds_per_screen,
        "least_seconds": crowd.least_seconds_per_screen if crowd.wait_least_seconds else 0,
        "standard_input": _input(definition, standard.input, pictures)
        if standard and standard.input
        else None,
        "pictures": list(pictures),
        "devices": crowd.devices,
    }
    if crowd.traces and not is_preview:
        document["traces"] = True
    if crowd.copying == "inconvenient":
        document["copying"] = "inconvenient"
    return document


def _places(trials: Sequence[ShownTrial]) -> list[DocumentPlace]:
    """Where each trial is in its document: the document's trials are a run of the page's."""
    return [
        {"first": run.start, "segment": number, "segments": len(run)}
        for run in runs_of([trial.place for trial in trials])
        for number in range(1, len(run) + 1)
    ]


def _screen(definition: Definition, index: int) -> ScreenQuestions:
    screen = definition.screens[index]
    document: ScreenQuestions = {
        "ask": [_question(criterion) for criterion in definition.questions(index)],
        "timed": screen.timed,
        "comment": screen.comment,
    }
    if screen.scope == "document":
        document["closes_document"] = True
    return document


def _question(criterion: CriterionSpec) -> Question:
    question: Question = {
        "criterion": criterion.name,
        "about": criterion.about,
        "required": criterion.required,
        "instrument": criterion.instrument,
        "options": _options(criterion),
    }
    if criterion.cannot_judge:
        question["cannot_judge"] = True
        question["reasons"] = list(criterion.cannot_judge_reasons)
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
) -> Material:
    """Only what some screen shows: a naturalness campaign sends no meaning representation."""

    def shows(*blocks: str) -> bool:
        return any(screen.shows(*blocks) for screen in definition.screens)

    tools = [(criterion.tool, criterion.settings) for criterion in definition.criteria]
    document: Material = {"places": len(trial.outputs)}
    if orders := option_orders(definition.criteria, trial.option_seed):
        document["orders"] = orders
    if shows("input", "images", "document"):
        document["input"] = _input(definition, trial.input, pictures)
        if document["input"]["kind"] == "mr":
            _order_facts(document["input"], rng)
            document["input"]["in_words"] = trial.in_words and shows_both(definition)
    if shows("reference", "reference_context"):
        document["reference"] = trial.reference
    if shows("context", "reference_context"):
        document["context"] = around_the_sentence(trial.context, trial.reference)
    if shows("outputs", "context", "document"):
        document["outputs"] = list(trial.outputs)
        if any(trial.marks) and any(tool.marks_outputs for tool, _settings in tools):
            document["marks"] = [list(marks) for marks in trial.marks]
    if definition.shows_files("input"):
        document["input_file"] = trial.input_file
    if definition.shows_files("outputs"):
        document["output_files"] = list(trial.output_files)
    if any(tool.needs_input_length(settings) for tool, settings in tools):
        document["input_length"] = len(trial.input)
        document["input_attributes"] = len(slots(trial.input))
    if is_formatted and (trees := _formatted(definition, trial)):
        document["formatted"] = trees
    return document


def _order_facts(meaning: MeaningInput, rng: random.Random) -> None:
    number = len(meaning["pairs"])
    meaning["order"] = rng.sample(range(number), number)


def _practice_document(
    definition: Definition,
    trial: ShownTrial,
    pictures: dict[str, int],
    rng: random.Random,
    *,
    is_preview: bool,
) -> Material:
    """An example, and whether the server has something to say about the answers to it. Those of a
    preview do not reach the server, so it has the feedback itself.
    """
    document = trial_document(definition, trial, pictures, rng)
    is_told = definition.practice_feedback and bool(trial.feedback)
    if is_preview and is_told:
        document["feedback"] = trial.feedback
    is_compared = trial.is_checked and (definition.practice_feedback or definition.practice_gate)
    if is_told or (is_compared and not is_preview):
        document["has_feedback"] = True
    return document


def _formatted(definition: Definition, trial: ShownTrial) -> Formatted:
    """The trees of the texts that some screen shows as Markdown (`rankme.markdown`)."""

    def formats(*blocks: str) -> bool:
        return any(screen.formats(*blocks) for screen in definition.screens)

    def formats_turns(block: str) -> bool:
        return any(screen.formats_turns(block) for screen in definition.screens)

    trees: Formatted = {}
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


def _input(definition: Definition, text: str, pictures: dict[str, int]) -> Input:
    kind = definition.input_kind
    if kind == "mr" and (pairs := slots(text)):
        return {"kind": "mr", "pairs": pairs}
    if kind == "tables" and (found := read_tables(text)):
        return {"kind": "tables", "tables": found.tables}
    if kind == "images" and (domain := read_pictures(text)):
        return {
            "kind": "images",
            "images": _images(domain.in_reading_order(), pictures),
            "columns": domain.columns,
            "rows": domain.rows,
        }
    return {"kind": "text", "text": text}


def _images(images: Sequence[Picture], pictures: dict[str, int]) -> list[PlacedPicture]:
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
