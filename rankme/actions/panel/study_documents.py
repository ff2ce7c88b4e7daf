"""A study as the panel takes it: address, codes with their actions, filters."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse

from rankme.models import Campaign, PanelStudy
from rankme.panel_calls.entry_tokens import IDS
from rankme.panel_links.outcomes import OUTCOME_TITLES, Outcome
from rankme.protocols.crowd import Crowd
from rankme.queries.definitions import frozen_definition

from .bounds import MINOR_UNITS

REVIEW: dict[str, Any] = {"action": "MANUALLY_REVIEW"}
# What happens to somebody who comes back with the code of an outcome.
CODE_TYPES = {
    Outcome.COMPLETED: "COMPLETED",
    Outcome.NO_CONSENT: "NO_CONSENT",
    Outcome.INCOMPATIBLE_DEVICE: "INCOMPATIBLE_DEVICE",
    Outcome.FAILED_CHECKS: "FAILED_ATTENTION_CHECK",
}
ASKED_TO_RETURN = {
    Outcome.NO_CONSENT,
    Outcome.INCOMPATIBLE_DEVICE,
    Outcome.QUOTA_FULL,
    Outcome.SCREENED_OUT,
    Outcome.FAILED_QUIZ,
    Outcome.TIMED_OUT,
}


def entry_address(campaign: Campaign) -> str:
    """The study's address, in which the panel fills in its ids."""
    path = reverse("rankme:enter", args=[campaign.code])
    own = own_names(campaign)
    query = "&".join(f"{own.get(name, name)}={{{{%{name}%}}}}" for name in IDS)
    return f"{settings.SITE_URL}{path}?{query}"


def own_names(campaign: Campaign) -> dict[str, str]:
    """The campaign's own parameters for the panel's ids, where it has some."""
    crowd = frozen_definition(campaign).definition.crowd
    own = {"PROLIFIC_PID": crowd.id_parameter, "SESSION_ID": crowd.session_parameter}
    return {name: parameter for name, parameter in own.items() if parameter}


def screened_out_pay(crowd: Crowd) -> int:
    """Return the panel's immediate pay for screened-out people, in minor units."""
    has_code = bool(crowd.completion_codes.of(Outcome.SCREENED_OUT))
    pay = crowd.pay_by_outcome.of(Outcome.SCREENED_OUT) or 0
    return round(pay * MINOR_UNITS) if has_code else 0


def screened_out_slots(places: int) -> int:
    """Return the number of screened-out people at which the panel pauses the study."""
    return max(1, places // 2)


def completion_codes(crowd: Crowd, *, places: int, share_code: str) -> list[dict[str, Any]]:
    """The codes of the campaign, each with what the panel does when it is entered."""
    codes: list[dict[str, Any]] = []
    seen: set[str] = set()
    for outcome in Outcome:
        code = crowd.completion_codes.of(outcome)
        if code and code not in seen:
            seen.add(code)
            codes.append(_code(crowd, outcome, code, places))
    if share_code:
        codes.append(
            {
                "code": share_code,
                "code_type": "OTHER",
                "actor": "researcher",
                "actions": [{"action": "DYNAMIC_PAYMENT"}],
            }
        )
    return codes


def _code(crowd: Crowd, outcome: Outcome, code: str, places: int) -> dict[str, Any]:
    code_type, action = CODE_TYPES.get(outcome, "OTHER"), REVIEW
    if outcome == Outcome.SCREENED_OUT and (pay := screened_out_pay(crowd)):
        code_type = "FIXED_SCREENOUT"
        action = {
            "action": "FIXED_SCREEN_OUT_PAYMENT",
            "fixed_screen_out_reward": pay,
            "slots": screened_out_slots(places),
        }
    elif outcome in ASKED_TO_RETURN:
        # The panel shows its reason to the rater, in English as its own pages.
        action = {"action": "REQUEST_RETURN", "return_reason": OUTCOME_TITLES[outcome]}
    return {"code": code, "code_type": code_type, "actor": "participant", "actions": [action]}


def study_document(study: PanelStudy) -> dict[str, Any]:
    """Build the request that creates a study; `internal_name` finds it after a lost answer."""
    crowd = frozen_definition(study.campaign).definition.crowd
    return {
        "name": study.name,
        "internal_name": f"rankme {study.key}",
        "description": study.description,
        "external_study_url": entry_address(study.campaign),
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes(
            crowd, places=study.places, share_code=study.codes.get("share", "")
        ),
        "total_available_places": study.places,
        "estimated_completion_time": study.minutes,
        "maximum_allowed_time": study.longest_minutes,
        "reward": study.reward,
        "device_compatibility": study.devices,
        "peripheral_requirements": [],
        "filters": study.filters,
        "submissions_config": {
            "max_submissions_per_participant": 1,
            "max_concurrent_submissions": -1,
        },
        "study_labels": ["ai_evaluation"],
        "project": study.account.project,
        "metadata": f"rankme:{study.campaign.code}",
        "is_external_study_url_secure": study.is_secure,
    }
