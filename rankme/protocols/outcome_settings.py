"""What a campaign decides for each outcome of a visit: its code, its address and its pay."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from rankme.crowd.outcomes import OUTCOME_TITLES, Outcome

from .parts import Part

Code = Annotated[str, StringConstraints(strip_whitespace=True, max_length=64)]
Address = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000)]
Pay = Annotated[float, Field(ge=0)]

TITLES = {outcome.value: title for outcome, title in OUTCOME_TITLES.items()}


class CompletionCodes(Part):
    """The codes of the study at its panel. Empty: none, or one of the rater's own after work."""

    completed: Code = Field("", title=TITLES["completed"])
    late: Code = Field("", title=TITLES["late"])
    returned: Code = Field("", title=TITLES["returned"])
    no_consent: Code = Field("", title=TITLES["no_consent"])
    screened_out: Code = Field("", title=TITLES["screened_out"])
    failed_checks: Code = Field("", title=TITLES["failed_checks"])
    quota_full: Code = Field("", title=TITLES["quota_full"])
    incompatible_device: Code = Field("", title=TITLES["incompatible_device"])
    timed_out: Code = Field("", title=TITLES["timed_out"])
    too_fast: Code = Field("", title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> str:
        code: str = getattr(self, outcome)
        return code


class ReturnAddresses(Part):
    """Where raters go after each outcome; empty: `return_url` or the panel's own address."""

    completed: Address = Field("", title=TITLES["completed"])
    late: Address = Field("", title=TITLES["late"])
    returned: Address = Field("", title=TITLES["returned"])
    no_consent: Address = Field("", title=TITLES["no_consent"])
    screened_out: Address = Field("", title=TITLES["screened_out"])
    failed_checks: Address = Field("", title=TITLES["failed_checks"])
    quota_full: Address = Field("", title=TITLES["quota_full"])
    incompatible_device: Address = Field("", title=TITLES["incompatible_device"])
    timed_out: Address = Field("", title=TITLES["timed_out"])
    too_fast: Address = Field("", title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> str:
        address: str = getattr(self, outcome)
        return address


class PayByOutcome(Part):
    """What is paid for a visit that does not end as planned; empty: nothing is said about it."""

    late: Pay | None = Field(None, title=TITLES["late"])
    returned: Pay | None = Field(None, title=TITLES["returned"])
    screened_out: Pay | None = Field(None, title=TITLES["screened_out"])
    failed_checks: Pay | None = Field(None, title=TITLES["failed_checks"])
    quota_full: Pay | None = Field(None, title=TITLES["quota_full"])
    timed_out: Pay | None = Field(None, title=TITLES["timed_out"])
    too_fast: Pay | None = Field(None, title=TITLES["too_fast"])

    def of(self, outcome: Outcome) -> float | None:
        pay: float | None = getattr(self, outcome, None)
        return pay
