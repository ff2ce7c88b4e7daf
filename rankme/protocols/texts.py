"""Texts for raters around their work: consent, instructions, thanks and practice trials."""

from __future__ import annotations

import re
from typing import Any

from pydantic import ConfigDict, Field, field_validator

from analysis.translatable import gettext_noop as _

from .parts import Part, Prose


class PracticeTrial(Part):
    """A trial of the organiser's own; it is shown like any other and never counted."""

    model_config = ConfigDict(title=_("Practice trial"))

    input: str = Field("", title=_("Input"))
    reference: str = Field("", title=_("Reference"))
    context: str = Field(
        "", title=_("Context"), description=_("[[SENTENCE]] marks the place of the output.")
    )
    outputs: list[str] = Field(
        default_factory=list, title=_("Outputs"), description=_("One output per line.")
    )
    feedback: Prose = Field("", title=_("Feedback"))
    expect: dict[str, Any] = Field(
        default_factory=dict,
        title=_("Expected answers"),
        description=_(
            "By criterion: a number, a name, a range [low, high], or a list with one of them for "
            "each output"
        ),
    )


DIGEST_CHARACTERS = 160
SENTENCE = re.compile(r".+?(?:[.!?。؟]+(?=\s|$)|$)\s*", re.DOTALL)
THANKS = _("Thank you for taking part.")
LONGEST_STATEMENT = 500


class Texts(Part):
    """Texts around the work. Plain text; blank lines separate paragraphs."""

    consent: Prose = Field(
        min_length=1,
        title=_("Consent"),
        description=_("Plain text. A blank line starts a new paragraph."),
    )
    statements: list[str] = Field(
        default_factory=list,
        max_length=10,
        title=_("Statements to tick"),
        description=_(
            "Raters tick each of them before they begin, such as “I am at least 18 years old”. One "
            "per line."
        ),
    )
    instructions: Prose = Field(min_length=1, title=_("Instructions"))
    thanks: Prose = Field(THANKS, title=_("Thanks"))
    contact: Prose = Field(
        "",
        max_length=500,
        title=_("Contact"),
        description=_("Contact for raters, such as a name with an e-mail address"),
    )
    digest: Prose = Field(
        "",
        max_length=500,
        title=_("Instructions in short"),
        description=_("On every page; empty: the beginning of the instructions"),
    )

    @field_validator("statements")
    @classmethod
    def statements_are_lines(cls, statements: list[str]) -> list[str]:
        """A form sends back what was ticked, and forms change breaks of lines."""
        statements = [" ".join(statement.split()) for statement in statements]
        if not all(statements):
            raise ValueError("a statement to tick needs words")
        if max(map(len, statements), default=0) > LONGEST_STATEMENT:
            raise ValueError(f"a statement to tick has {LONGEST_STATEMENT} characters at most")
        if len(set(statements)) < len(statements):
            raise ValueError("two statements to tick are the same")
        return statements

    @property
    def promises(self) -> str:
        """All that raters agree to: the consent and what they tick."""
        return "\n\n".join([self.consent, *self.statements])

    @property
    def short_instructions(self) -> str:
        """The digest on every page, or else the first sentences of the instructions."""
        if self.digest:
            return self.digest
        short = ""
        for sentence in SENTENCE.findall(self.instructions.partition("\n\n")[0]):
            if short and len(short) + len(sentence) > DIGEST_CHARACTERS:
                break
            short += sentence
        return " ".join(short.split())

    @property
    def own_thanks(self) -> str:
        """Empty: the site's own, in the language of its buttons."""
        return "" if self.thanks == THANKS else self.thanks
