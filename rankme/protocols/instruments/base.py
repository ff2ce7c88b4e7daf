"""The base of instruments: options that a campaign file sets, and a check of the answers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar, Generic, Literal, TypeVar

from django.utils.translation import gettext
from pydantic import BaseModel, ConfigDict

from rankme.protocols.exchange.marks import ShownMark

Kind = Literal["relative", "scale", "count", "category", "time", "error", "text"]
Shown = Mapping[str, Any]  # as the page has it


NO_EXPECTATION = "write a number, a name, a range of two numbers or a list of names"


class Options(BaseModel):
    """Options of one instrument; unknown names are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


OptionsT = TypeVar("OptionsT", bound=Options)


@dataclass(frozen=True)
class Subject:
    """The item and output of an answer, for instruments whose check depends on them."""

    item_input: str
    item_reference: str
    factors: Mapping[str, Any]
    time_ms: float | None = None
    output: str = ""  # only for instruments that read outputs


@dataclass(frozen=True)
class Value:
    """A checked answer: a number for the statistics, words for the record, or both."""

    number: float | None = None
    text: str = ""


@dataclass(frozen=True)
class Comparison:
    """An answer next to the expected one, both in the words of raters; `marks` with their level."""

    given: str
    expected: str
    fits: bool
    own_marks: list[ShownMark] = field(default_factory=list)
    expected_marks: list[ShownMark] | None = None


@dataclass(frozen=True)
class ScaleFacts:
    """A scale as HEDS asks for it: its size (4.3.3), its values (4.3.4) and its look (4.3.5)."""

    size: str = "N/A"
    values: str = "N/A"
    look: str = "4"


class Refused(ValueError):
    """The answer is not one that this instrument can give.

    The message is for the rater. If it is one of the instrument's `words`, it is in the language
    of the campaign, with the values in its {braces}.
    """

    def __init__(self, message: str, **values: object) -> None:
        message = gettext(message)
        super().__init__(message.format(**values) if values else message)


class Instrument(Generic[OptionsT]):
    """One way to ask, with options of its own.

    A new one is a subclass, a template, a script and a line in the registry.
    The template and the script are found by name (`templates/participant/instruments/NAME.html`,
    `static/js/instruments/NAME.js`). Everything else that the project knows of an instrument is
    here. Texts are English and marked for translation.
    """

    name: ClassVar[str]
    # One sentence for organisers: how it asks, and what its numbers are.
    title: ClassVar[str]
    # Whether raters read the criterion's low and high end.
    has_ends: ClassVar[bool] = True
    # Which statistics fit its numbers.
    kind: ClassVar[Kind]
    # Its settings in a campaign file and in the form: a field's title is its label, its
    # description the hint.
    Options: ClassVar[type[Options]] = Options
    # Options that raters only read: they can change after the launch. The names of choices stay.
    wording: ClassVar[tuple[str, ...]] = ()
    # Further numbers that follow from the same answer, by suffix: criterion `q` with the suffix
    # `time` also fills the criterion `q_time`.
    derives: ClassVar[Mapping[str, Kind]] = {}
    # What raters call these numbers, by suffix.
    derived_titles: ClassVar[Mapping[str, str]] = {}
    # What its script says, by the name under which it asks for it; scripts fill in {braces}.
    words: ClassVar[Mapping[str, str]] = {}
    # The keys with which it is answered, and what they do; the first pair is shown on the screen.
    keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    # Names of files in `static/css/instruments/`. Instruments may share a stylesheet.
    stylesheets: ClassVar[tuple[str, ...]] = ()
    # Whether a small number is a good one.
    lower_is_better: ClassVar[bool] = False
    # Whether its check has to know the text that an answer is about.
    reads_outputs: ClassVar[bool] = False
    # Whether raters work in the shown text itself, so that it has to be there.
    marks_outputs: ClassVar[bool] = False
    # Whether it fits in a third column, next to an output and a wider instrument.
    fits_a_narrow_column: ClassVar[bool] = False
    # Whether it lists the facts of the input, so that the input need not stay in view as well.
    repeats_the_input: ClassVar[bool] = False

    # The form of its answers by HEDS 4.3.8; empty: none of those, so that the title says it.
    heds_response: ClassVar[str] = ""
    # Whether its answers are facts about an output rather than opinions (HEDS 4.1.1).
    is_objective: ClassVar[bool] = False

    def keys_for(self, options: Any) -> tuple[tuple[str, str], ...]:
        """The keys of an instrument with these options."""
        return self.keys

    def response_ms(self, value: Value, subject: Subject) -> float | None:
        """The time from the onset to the response, where this instrument measures one."""
        return None

    def clean(self, answer: Any, options: OptionsT, subject: Subject) -> Value:
        """Return the checked value; raise `Refused` for anything the screen could not have sent."""
        raise NotImplementedError

    def derive(self, answer: Any, options: OptionsT, subject: Subject) -> dict[str, Value]:
        """The numbers of `derived`, from an answer that `clean` has let pass."""
        return {}

    def derived(self, options: OptionsT) -> Mapping[str, Kind]:
        """The further numbers that follow with these options."""
        return self.derives

    @property
    def is_joint(self) -> bool:
        """Whether one answer is about all outputs of a screen."""
        return type(self).check_together is not Instrument.check_together

    def derived_labels(self, options: OptionsT) -> Mapping[str, dict[float, str]]:
        """Names of the numbers of `derived`, by suffix, where they have any."""
        return {}

    def check_together(self, values: Sequence[Value], options: OptionsT) -> None:
        """Raise `Refused` when the answers for the outputs of one screen do not fit together."""

    def labels(self, options: OptionsT) -> dict[float, str]:
        """Names of the numbers, where they have any (choices)."""
        return {}

    def scale_facts(self, options: OptionsT, low: str, high: str) -> ScaleFacts:
        """What a data sheet says of its scale, with the criterion's ends."""
        return ScaleFacts()

    def lowest(self, options: OptionsT) -> float:
        """The lowest value that it can give."""
        return 0.0

    def widest(self, options: OptionsT) -> float | None:
        """The largest difference of two answers, where the scale has two ends."""
        return None

    def columns(self, options: OptionsT) -> list[str]:
        """Return the names of its points as columns of a matrix; none if it cannot be a row."""
        return []

    def choices_to_shuffle(self, options: OptionsT) -> list[str]:
        """The names of the choices, where each rater sees them in an order of their own."""
        return []

    def weights(self, options: OptionsT) -> str:
        """Return the weights of marked errors, if any (see `analysis.parse_weights`)."""
        return ""

    def said(self, number: float | None, text: str, options: OptionsT) -> str:
        """An answer as its rater reads it; `text` alone is a name from a campaign file."""
        label = self.labels(options).get(number) if number is not None else None
        if label is None:
            return text if number is None else f"{number:g}"
        return label

    def said_range(self, low: float, high: float, options: OptionsT) -> str:
        """A range of expected numbers as raters read it."""
        return f"{low:g}–{high:g}"

    def problems_with_expected(
        self, expected: Any, options: OptionsT, subject: Subject
    ) -> Iterator[str]:
        """List why a practice example cannot expect this, of expectations that are mappings."""
        yield NO_EXPECTATION

    def compare(
        self, expected: Any, number: float | None, text: str, options: OptionsT, subject: Subject
    ) -> Comparison:
        """An answer next to an expectation in which `problems_with_expected` found no problem."""
        raise NotImplementedError

    def needs_input_length(self, options: OptionsT) -> bool:
        """Whether its script has to know how long the input is, even if it is not shown."""
        return False

    def most_characters(self, options: OptionsT) -> int:
        """Return the most characters that a rater can write; larger answers are refused unread."""
        return 0

    def refuses_repeats(self, options: OptionsT) -> bool:
        """Whether a rater's text must differ from this rater's earlier ones."""
        return False

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> Any:
        """Answer as a simulated rater, in the form that the page's script sends.

        Parameters
        ----------
        impression : of the output; about standard normal, larger is better
        options, trial : as the page has them
        """
        raise NotImplementedError

    def simulate_together(
        self, impressions: Sequence[float], options: Shown, trial: Shown, rng: Random
    ) -> list[Any]:
        """The answers for all outputs of a screen, for instruments that compare them."""
        return [self.simulate(impression, options, trial, rng) for impression in impressions]


def on_the_scale(impression: float) -> float:
    """Map an impression to the place between 0 and 1 where a simulated rater puts it."""
    return 1 / (1 + math.exp(-1.2 * impression))


def finite_number(answer: Any) -> float:
    """A number that came as a JSON number; booleans and numeric strings are refused."""
    if isinstance(answer, bool) or not isinstance(answer, int | float):
        raise Refused("This must be a number.")
    try:
        number = float(answer)
    except OverflowError:  # a whole number of more than 308 digits
        number = math.inf
    if not math.isfinite(number):
        raise Refused("This must be a finite number.")
    return number


def whole_number(answer: Any) -> int:
    number = finite_number(answer)
    if number != int(number):
        raise Refused("This must be a whole number.")
    return int(number)
