"""The last page of a visit: a code, a way back to the panel, and the pay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format

from rankme.models import Participant
from rankme.panel_links import PANELS
from rankme.panel_links.base import NO_IDS
from rankme.panel_links.outcomes import ENDED_BY_RULES, Outcome
from rankme.protocols.crowd import Crowd
from rankme.protocols.definition import Definition

# The outcomes of the pages that only say why there is nothing (more) to do.
OUTCOME_OF_REASON = {
    "declined": Outcome.NO_CONSENT,
    "device": Outcome.INCOMPATIBLE_DEVICE,
    "complete": Outcome.QUOTA_FULL,
    "closed": Outcome.QUOTA_FULL,
    "group-full": Outcome.QUOTA_FULL,
    "timed-out": Outcome.TIMED_OUT,
    "screened-out": Outcome.SCREENED_OUT,
    "failed-checks": Outcome.FAILED_CHECKS,
    "failed-quiz": Outcome.FAILED_QUIZ,
    "too-fast": Outcome.TOO_FAST,
}
# Pages that end a visit after the consent: without a code they say that there is none.
ENDED_REASONS = (
    "screened-out", "group-full", "practice-failed", "failed-checks", "failed-quiz", "too-fast",
    "timed-out",
)  # fmt: skip
REASON_OF_OUTCOME = {
    outcome: reason for reason, outcome in OUTCOME_OF_REASON.items() if outcome in ENDED_BY_RULES
}  # of those with one outcome the last: that of raters who have answered


def ending(
    crowd: Crowd,
    outcome: Outcome,
    *,
    arrived_by: str,
    code: str | None = None,
    ids: Mapping[str, str] = NO_IDS,
) -> dict[str, Any]:
    """The code (the study's own, if none is given), address and pay of an outcome.

    `arrived_by` is the panel of the link, and `ids` what it called the person, the session and the
    study. Only people whom a panel sent are led back to it.
    """
    code = crowd.code_for(outcome, arrived_by=arrived_by) if code is None else code
    is_sent = arrived_by == crowd.panel
    address = crowd.return_address(outcome, code, ids) if is_sent else ""
    is_platform = PANELS[crowd.panel].is_platform
    return {
        "code": code,
        # A platform counts the time until the code reaches it.
        "goes_back": is_platform,
        "return_url": address,
        "returns_the_place": is_sent and is_platform and not (code or address),
        "pay": money(crowd.pay_by_outcome.of(outcome), crowd.currency),
    }


def ending_of_rater(rater: Participant, definition: Definition) -> dict[str, Any]:
    """The same for a visit that has ended; nothing while it goes on."""
    if not rater.outcome:
        return {"code": "", "return_url": "", "pay": ""}
    return ending(
        definition.crowd,
        Outcome(rater.outcome),
        arrived_by=rater.panel,
        code=rater.completion_code,
        ids={"id": rater.external_id, "session": rater.session_id, "study": rater.study_id},
    )


def money(amount: float | None, currency: str) -> str:
    """An amount as people read it; empty: nothing is said about pay."""
    return f"{number_format(amount, 2)} {currency}" if amount else ""
