"""A criterion in the campaign file: its question, and its instrument with options."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal

from pydantic import Field, ValidationInfo, field_validator

from .instruments import INSTRUMENTS, Instrument
from .instruments.base import Kind, Options
from .parts import Part, ShortName, mapping_of, unknown_name


class CriterionSpec(Part):
    """One question with its instrument; `about` says whether each output or the item gets it."""

    name: ShortName
    question: str = Field(min_length=1, max_length=2_000)
    instrument: str
    low: str = ""
    high: str = ""
    about: Literal["output", "item"] = "output"
    required: bool = True
    # Checked even when it is left out: some instruments cannot do without an option.
    options: dict[str, Any] = Field(default_factory=dict, validate_default=True)

    @field_validator("instrument")
    @classmethod
    def instrument_is_known(cls, name: str) -> str:
        if name not in INSTRUMENTS:
            raise ValueError(unknown_name("instrument", name, INSTRUMENTS))
        return name

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
