"""The shapes that the work page and the server exchange, each stated once.

The server builds and reads these. `static/js/work/page.d.ts`, from which the scripts have their
types, is generated from them (`make types`). A key that is not required is left out where there is
nothing to say.
"""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from rankme.markdown.tree import Node
from rankme.protocols.crowd import Breaks
from rankme.protocols.expectations import ComparedAnswer
from rankme.protocols.item_input import Table
from rankme.protocols.screens import TimedPhase

from .marks import Mark

FileKind = Literal["picture", "sound", "film"]
Tree = list[Node] | None  # None: the text is too long to be rendered
Names = dict[str, str]


# --- From the server -----------------------------------------------------------------------------


class TextInput(TypedDict):
    kind: Literal["text"]
    text: str


class MeaningInput(TypedDict):
    kind: Literal["mr"]
    pairs: list[tuple[str, str]]
    in_words: NotRequired[bool]
    order: NotRequired[list[int]]  # for blocks that show the facts in an order of the rater's own


class TablesInput(TypedDict):
    kind: Literal["tables"]
    tables: list[Table]


class PlacedPicture(TypedDict):
    picture: int  # the index in the page's list of pictures
    x: float
    y: float


class ImagesInput(TypedDict):
    kind: Literal["images"]
    images: list[PlacedPicture]
    columns: int | None
    rows: int | None


Input = TextInput | MeaningInput | TablesInput | ImagesInput


class TrialFile(TypedDict):
    """A picture, sound or film as the browser needs it, and nothing else about it."""

    address: str
    kind: FileKind
    alt: str
    seconds: float | None  # how long it plays, where that is known


class Formatted(TypedDict):
    """The trees of texts that some screen shows as Markdown; those of dialogues by turn."""

    input: NotRequired[Tree]
    reference: NotRequired[Tree]
    context: NotRequired[list[Tree]]  # before and after the judged sentence
    outputs: NotRequired[list[Tree]]
    input_turns: NotRequired[list[Tree]]
    outputs_turns: NotRequired[list[list[Tree]]]


class DocumentPlace(TypedDict):
    """Where a trial is in its document: after trial `first`, as number `segment`, from 1."""

    first: int
    segment: int
    segments: int


class Material(TypedDict):
    """One trial or practice example: only what some screen shows of it."""

    places: int  # how many outputs there are
    orders: NotRequired[dict[str, list[str]]]  # the names of shuffled choices, by criterion
    input: NotRequired[Input]
    reference: NotRequired[str]
    context: NotRequired[list[str]]  # before and after the judged sentence
    outputs: NotRequired[list[str]]
    marks: NotRequired[list[list[Mark]]]  # suggestions, by output
    input_file: NotRequired[TrialFile | None]
    output_files: NotRequired[list[TrialFile | None]]
    input_length: NotRequired[int]
    input_attributes: NotRequired[int]
    formatted: NotRequired[Formatted]
    document: NotRequired[DocumentPlace]
    has_feedback: NotRequired[Literal[True]]
    feedback: NotRequired[str]  # only in a preview, whose answers do not reach the server


class Question(TypedDict):
    criterion: str
    about: Literal["output", "item"]
    required: bool
    instrument: str
    options: dict[str, Any]  # those of the instrument; choices as [name, label] pairs
    cannot_judge: NotRequired[Literal[True]]
    reasons: NotRequired[list[str]]


class ScreenQuestions(TypedDict):
    ask: list[Question]
    timed: TimedPhase | None
    comment: bool
    closes_document: NotRequired[Literal[True]]  # asked once, after a document's last segment


class Screens(TypedDict):
    """The part of the page's document that the protocol and the trials decide."""

    screens: list[ScreenQuestions]
    trials: list[Material]
    practice: list[Material]
    practice_gate: bool  # whether the practice decides who works
    pictures: list[str]
    breaks: Breaks
    seconds_per_screen: float
    least_seconds: float
    standard_input: Input | None
    devices: Literal["any", "desktop"]
    traces: NotRequired[Literal[True]]  # whether the campaign keeps them
    copying: NotRequired[Literal["inconvenient"]]  # absent: allowed


class Addresses(TypedDict):
    submit: str
    practice_feedback: str
    practised: str
    session: str
    finish: str
    work: str
    enter: str


class PageDocument(Screens):
    """All that a work page hands to its scripts."""

    preview: bool
    version: int
    assignment: int
    rater: str
    stored: list[tuple[int, int]]  # trial and screen of what the server already has
    addresses: Addresses
    instruments: Names  # the address of each instrument's module
    words: Names  # sentences of the interface
    instrument_words: dict[str, Names]


class Receipt(TypedDict):
    """The answer to a stored submission."""

    key: str
    revision: int
    late: bool
    surplus: bool
    answered_elsewhere: bool
    ends_the_work: bool
    try_again: bool


class Refusal(TypedDict):
    """A problem with a submission; `place` names the answer that it is about."""

    place: str
    message: str


class Feedback(TypedDict):
    """What the authors say about the answers to a practice example, and what follows from them."""

    feedback: str
    answers: list[ComparedAnswer]
    passed: bool | None  # None: nothing was expected
    may_try_again: bool
    tries_left: int
    ends_the_work: bool


# --- From the browser ----------------------------------------------------------------------------


class Answer(TypedDict):
    criterion: str
    place: int | None  # the output's, or None for the item
    value: NotRequired[Any]  # as the instrument gives it
    cannot_judge: NotRequired[str]  # instead of a value: the name of the reason, or ""
    order: NotRequired[list[str]]  # in which shuffled choices were shown
    time_ms: float | None


class ScreenView(TypedDict):
    """That a rater looked at something in another way: at a text's source, at differences."""

    view: str
    place: NotRequired[int]
    on: bool
    at_ms: float  # since the onset of the page that had been loaded `reload` times again
    reload: int


class PlayedFile(TypedDict):
    """What a rater did with a picture, sound or film."""

    place: int | None
    kind: str
    events: list[tuple[str, float, float]]  # what, when in ms, at which second
    played: list[tuple[float, float]]  # in seconds
    ended: bool


class Device(TypedDict):
    frame_ms: float | None
    timer_ms: float | None
    cross_origin_isolated: bool
    has_mouse: bool


class Times(Device):
    """A screen's times by the browser's clock, in milliseconds since its onset."""

    onset: float
    spent_ms: float
    active_ms: float
    hidden: list[tuple[float, float]]
    paused: list[tuple[float, float]]
    blurs: int
    reloads: int
    early: NotRequired[list[float]]
    views: NotRequired[list[ScreenView]]
    input: str  # kinds of pointers and the keyboard, with + between them
    files: NotRequired[list[PlayedFile]]


class Trace(TypedDict):
    """How a screen was worked on, in sums: no text, place or key. Lengths are in characters."""

    events: float  # presses, clicks, keys and inputs
    untrusted: float  # of these, made by a script of the page
    webdriver: float  # 1 if the browser says that a program controls it
    presses: float  # of a mouse, a finger or a pen
    centred: float  # of these, at the exact centre of what was pressed
    instant: float  # released at once
    jumps: float  # of a mouse that had not been moved there
    touches: float
    pens: float
    alone: float  # clicks without a press or a key, as screen readers make them
    path_px: float
    stops: float
    keys: float
    key_mean_ms: float  # between keys, and its standard deviation
    key_sd_ms: float
    typed: float
    composed: float  # inputs of a composition
    pasted: float  # from elsewhere
    pasted_own: float  # copied on this page
    dropped: float
    inserted: float  # without keys, as dictation does
    copied: float
    leaves: float
    away_ms: float
    after_return: float  # pasted, dropped or inserted within ten seconds after a return
    last_ms: float  # from the last change to the answer
    obeyed: float  # 1 if the text was followed that only readers of the source find


class SentTo(TypedDict):
    version: int
    key: str
    assignment: int
    screen: int


class Submission(SentTo):
    """A screen's answers."""

    trial: int
    answers: list[Answer]
    times: Times
    comment: str
    replaces: str | None  # the key of the answers whose place these take
    trace: NotRequired[Trace]  # not part of what the record keeps and hashes


class Report(SentTo):
    """What a rater reports as wrong with a screen."""

    trial: int | None  # None: a practice example
    complaint: str
