"""What a campaign decides for each outcome of a visit: its code, its address and its pay."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints, field_validator

from rankme.panel_links.outcomes import OUTCOME_TITLES, Outcome

from .parts import Part

LONGEST_CODE = 64
Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Pay = Annotated[float, Field(ge=0)]

TITLES = {outcome.value: title for outcome, title in OUTCOME_TITLES.items()}


class TextByOutcome(Part):
    """A text for each outcome; empty: the usual one, for `failed_quiz` that of `failed_checks`."""

    completed: Text = Field("", title=TITLES["completed"])
    late: Text = Field("", title=TITLES["late"])
    returned: Text = Field("", title=TITLES["returned"])
    no_consent: Text = Field("", title=TITLES["no_consent"])
    screened_out: Text = Field("", title=TITLES["screened_out"])
    failed_checks: Text = Field("", title=TITLES["failed_checks"])
    failed_quiz: Text = Field("", title=TITLES["failed_quiz"])
    quota_full: Text = Field("", title=TITLES["quota_full"])
    incompatible_device: Text = Field("", title=TITLES["incompatible_device"])
    timed_out: Text = Field("", title=TITLES["timed_out"])
    too_fast: Text = Field("", title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> str:
        text: str = getattr(self, outcome)
        return self.failed_checks if outcome == Outcome.FAILED_QUIZ and not text else text


class CompletionCodes(TextByOutcome):
    """The codes of the study at its panel. Empty: none, or one of the rater's own after work."""

    @field_validator("*")
    @classmethod
    def codes_are_short(cls, code: str) -> str:
        if len(code) > LONGEST_CODE:
            raise ValueError(f"a code has at most {LONGEST_CODE} characters")
        return code


class ReturnAddresses(TextByOutcome):
    """Where raters go after each outcome.

    Empty: after finished work `return_url` or the panel's own address, and after other outcomes the
    same address only if it contains `{code}`.
    """


class PayByOutcome(Part):
    """What is paid for a visit that does not end as planned; empty: nothing is said about it."""

    late: Pay | None = Field(None, title=TITLES["late"])
    returned: Pay | None = Field(None, title=TITLES["returned"])
    screened_out: Pay | None = Field(None, title=TITLES["screened_out"])
    failed_checks: Pay | None = Field(None, title=TITLES["failed_checks"])
    failed_quiz: Pay | None = Field(None, title=TITLES["failed_quiz"])
    quota_full: Pay | None = Field(None, title=TITLES["quota_full"])
    timed_out: Pay | None = Field(None, title=TITLES["timed_out"])
    too_fast: Pay | None = Field(None, title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> float | None:
        pay: float | None = getattr(self, outcome, None)
        return pay
