"""Outcomes of a rater's visit: each has its own code, address and pay."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from analysis.translatable import gettext_noop as _


class Outcome(StrEnum):
    """The names are those of the campaign file, and of the column in the database."""

    COMPLETED = "completed"
    LATE = "late"
    RETURNED = "returned"
    NO_CONSENT = "no_consent"
    SCREENED_OUT = "screened_out"
    FAILED_CHECKS = "failed_checks"
    FAILED_QUIZ = "failed_quiz"
    QUOTA_FULL = "quota_full"
    INCOMPATIBLE_DEVICE = "incompatible_device"
    TIMED_OUT = "timed_out"
    TOO_FAST = "too_fast"


OUTCOME_TITLES: Mapping[Outcome, str] = {
    Outcome.COMPLETED: _("Completed"),
    Outcome.LATE: _("Finished late"),
    Outcome.RETURNED: _("Gave the rest back"),
    Outcome.NO_CONSENT: _("No consent"),
    Outcome.SCREENED_OUT: _("Screened out"),
    Outcome.FAILED_CHECKS: _("Failed the checks"),
    Outcome.FAILED_QUIZ: _("Failed the questions about the instructions"),
    Outcome.QUOTA_FULL: _("No work left"),
    Outcome.INCOMPATIBLE_DEVICE: _("Unsuitable device"),
    Outcome.TIMED_OUT: _("Time ran out"),
    Outcome.TOO_FAST: _("Too fast"),
}

# A visit that ends with one of these has finished a batch, and always has a code.
FINISHED = frozenset({Outcome.COMPLETED, Outcome.LATE})
# The campaign's rules end these visits after the consent, so the rater's row says which it was.
ENDED_BY_RULES = frozenset(
    {
        Outcome.SCREENED_OUT,
        Outcome.FAILED_CHECKS,
        Outcome.FAILED_QUIZ,
        Outcome.QUOTA_FULL,
        Outcome.TOO_FAST,
    }
)

# Settings of earlier campaign files, and where they are now.
SETTINGS_MOVED = {
    "completion_code": ("completion_codes", Outcome.COMPLETED),
    "late_code": ("completion_codes", Outcome.LATE),
    "partial_code": ("completion_codes", Outcome.RETURNED),
    "late_pay": ("pay_by_outcome", Outcome.LATE),
    "partial_pay": ("pay_by_outcome", Outcome.RETURNED),
}


def with_settings_by_outcome(crowd: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a crowd, with the settings of earlier files in their present places.

    Raises ValueError where a file has a setting in both places.
    """
    document = {name: value for name, value in crowd.items() if name not in SETTINGS_MOVED}
    for name, (group, outcome) in SETTINGS_MOVED.items():
        if name not in crowd or crowd[name] in ("", None):
            continue
        settings = document.get(group) or {}
        if not isinstance(settings, dict):
            continue  # reported later: this is not a group
        if settings.get(outcome) not in ("", None, crowd[name]):
            raise ValueError(f"{name} and {group}.{outcome} are the same setting: give one of them")
        document[group] = {**settings, str(outcome): crowd[name]}
    return document
