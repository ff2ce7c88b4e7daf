"""A criterion in the campaign file: its question, and its instrument with options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationInfo, field_validator, model_validator

from analysis.translatable import gettext_noop as _

from .instruments import INSTRUMENTS, Instrument
from .instruments.base import Kind, Options
from .parts import Labels, Part, ShortName, known_name, mapping_of

LONGEST_REASON = 60
About = Annotated[
    Literal["output", "item"],
    Labels(output=_("Each output"), item=_("The item as a whole")),
]


class CriterionSpec(Part):
    """One question with its instrument; `about` says whether each output or the item gets it."""

    model_config = ConfigDict(title=_("Criterion"))

    name: ShortName = Field(
        description=_(
            "Used as the column name in exports: lower-case letters, digits, - and _. Leave it "
            "empty to have it made from the question."
        )
    )
    question: str = Field(min_length=1, max_length=2_000, title=_("Question"))
    instrument: Annotated[str, known_name("instrument", INSTRUMENTS)] = Field(title=_("Instrument"))
    low: str = Field(
        "", title=_("Low end"), description=_("What raters read at this end of the scale.")
    )
    high: str = Field("", title=_("High end"))
    about: About = Field("output", title=_("Asked about"))
    required: bool = Field(True, title=_("Answer required"))
    cannot_judge: bool = Field(
        False,
        title=_("Raters can say that they cannot judge"),
        description=_("Such answers are counted, but excluded from the statistics"),
    )
    cannot_judge_reasons: dict[str, str] = Field(
        default_factory=dict,
        max_length=20,
        title=_("Reasons why a rater cannot judge"),
        description=_("One per line, as name: text that raters see. Empty: raters give no reason."),
    )
    # Checked even when it is left out: some instruments cannot do without an option.
    options: dict[str, Any] = Field(default_factory=dict, validate_default=True)

    @field_validator("cannot_judge_reasons", mode="before")
    @classmethod
    def reasons_are_mappings(cls, reasons: Any) -> Any:
        return mapping_of(reasons)

    @field_validator("cannot_judge_reasons")
    @classmethod
    def reasons_have_names(cls, reasons: dict[str, str]) -> dict[str, str]:
        if not all(0 < len(name) <= LONGEST_REASON for name in reasons):
            raise ValueError(f"each reason needs a name of at most {LONGEST_REASON} characters")
        return reasons

    @model_validator(mode="after")
    def reasons_are_asked_for(self) -> CriterionSpec:
        if self.cannot_judge_reasons and not self.cannot_judge:
            raise ValueError("reasons are only asked for with cannot_judge: true")
        return self

    @field_validator("options", mode="before")
    @classmethod
    def pairs_are_mappings(cls, options: Any) -> Any:
        if not isinstance(options, dict):
            return options
        return {name: mapping_of(value) for name, value in options.items()}

    @field_validator("options")
    @classmethod
    def options_fit_the_instrument(
        cls, options: dict[str, Any], info: ValidationInfo
    ) -> dict[str, Any]:
        instrument = INSTRUMENTS.get(info.data.get("instrument", ""))
        if instrument is not None:
            instrument.Options(**options)
        return options

    @property
    def tool(self) -> Instrument[Any]:
        return INSTRUMENTS[self.instrument]

    @property
    def derived(self) -> Mapping[str, Kind]:
        """The further criteria that its answers fill, by suffix."""
        return self.tool.derived(self.settings)

    @cached_property
    def settings(self) -> Options:
        """The instrument's options, checked and with their defaults."""
        return self.tool.Options(**self.options)
