"""Free text, with the validators of text elicitation."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .base import Instrument, Options, Refused, Subject, Value


class TextOptions(Options):
    """`characters` lists the characters allowed besides letters, digits and spaces."""

    least: int = Field(0, ge=0, description="Minimum number of characters")
    most: int = Field(2_000, ge=1, le=20_000)
    characters: str | None = Field(None, description="empty: every character is allowed")
    least_of_input: float = Field(
        0,
        ge=0,
        le=5,
        description="Minimum number of characters, as a multiple of the length of the input",
    )
    unique: bool = Field(False, description="A rater cannot give the same text twice")


class Text(Instrument):
    """Free text."""

    name = "text"
    kind = "text"
    Options = TextOptions

    def clean(self, answer: Any, options: TextOptions, subject: Subject) -> Value:
        if not isinstance(answer, str):
            raise Refused("This must be text.")
        text = answer.strip()
        least = max(options.least, round(options.least_of_input * len(subject.item_input)))
        if len(text) < least:
            raise Refused(f"Write at least {least} characters.")
        if len(text) > options.most:
            raise Refused(f"Write at most {options.most} characters.")
        if options.characters is not None:
            strange = {
                character
                for character in text
                if not (
                    character.isalnum() or character.isspace() or character in options.characters
                )
            }
            if strange:
                raise Refused(f"These characters are not allowed: {' '.join(sorted(strange))}")
        return Value(None, text)
