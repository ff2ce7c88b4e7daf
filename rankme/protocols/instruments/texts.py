"""Free text, with the validators of text elicitation."""

from __future__ import annotations

from random import Random
from typing import Any

from pydantic import Field

from analysis.translatable import gettext_noop as _
from rankme.protocols.item_input import slots

from .base import Instrument, Options, Refused, Shown, Subject, Value

# What simulated raters write.
PHRASES = ("a pub by the river", "that serves cheap food", "and is good", "for a family")


class TextOptions(Options):
    """`characters` lists the characters allowed besides letters, digits and spaces."""

    least: int = Field(0, ge=0, title=_("Minimum number of characters"))
    most: int = Field(2_000, ge=1, le=20_000, title=_("Maximum number of characters"))
    characters: str | None = Field(
        None, title=_("Allowed characters"), description=_("empty: every character is allowed")
    )
    least_of_input: float = Field(
        0,
        ge=0,
        le=5,
        title=_("Minimum, as a multiple of the input's length"),
        description=_("Minimum number of characters, as a multiple of the length of the input"),
    )
    less_per_attribute: int = Field(
        0,
        ge=0,
        le=100,
        title=_("Of this minimum, subtract for each attribute"),
        description=_("For meaning representations: characters of a name with its brackets"),
    )
    unique: bool = Field(
        False,
        title=_("Refuse the same text twice from one rater"),
        description=_("A rater cannot give the same text twice"),
    )


def least_length(options: TextOptions, length: int, attributes: int) -> int:
    """Return the least length of a text for an input with this length and these attributes."""
    of_input = round(options.least_of_input * length) - options.less_per_attribute * attributes
    return max(options.least, of_input)


class Text(Instrument[TextOptions]):
    """It has no number; the texts can be exported as a data set."""

    name = "text"
    title = _("Free text.")
    has_ends = False
    kind = "text"
    heds_response = "5"
    words = {
        "characters": _("{count} characters"),
        "missing_text": _("Please write something."),
        "too_short": _("Write at least {least} characters."),
        "too_long": _("Write at most {most} characters."),
        "strange_characters": _("These characters are not allowed: {characters}"),
    }
    Options = TextOptions

    def clean(self, answer: Any, options: TextOptions, subject: Subject) -> Value:
        if not isinstance(answer, str):
            raise Refused("This must be text.")
        text = answer.strip()
        attributes = len(slots(subject.item_input))
        least = least_length(options, len(subject.item_input), attributes)
        if len(text) < least:
            raise Refused(self.words["too_short"], least=least)
        if len(text) > options.most:
            raise Refused(self.words["too_long"], most=options.most)
        if options.characters is not None:
            strange = {
                character
                for character in text
                if not (
                    character.isalnum() or character.isspace() or character in options.characters
                )
            }
            if strange:
                listed = " ".join(sorted(strange))
                raise Refused(self.words["strange_characters"], characters=listed)
        return Value(None, text)

    def needs_input_length(self, options: TextOptions) -> bool:
        return options.least_of_input > 0

    def most_characters(self, options: TextOptions) -> int:
        return options.most

    def refuses_repeats(self, options: TextOptions) -> bool:
        return options.unique

    def simulate(self, impression: float, options: Shown, trial: Shown, rng: Random) -> str:
        length, attributes = trial.get("input_length", 0), trial.get("input_attributes", 0)
        least = least_length(TextOptions(**options), length, attributes)
        text = f"Number {rng.randrange(10**9)} is "  # nobody may write the same text twice
        while len(text.strip()) < max(least, 1):
            text += rng.choice(PHRASES) + " "
        return text.strip()[: options["most"]]
