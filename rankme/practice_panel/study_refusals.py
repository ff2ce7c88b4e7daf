"""Refuse studies as Prolific does, and list its filters."""

from __future__ import annotations

import math
import re
from typing import Any

from .wire import Refusal

LEAST_PER_HOUR = 600
EVERYBODY = 160_000
FILTERS: list[dict[str, Any]] = [
    {
        "filter_id": "first-language_old",
        "title": "First language",
        "description": "What is your first language?",
        "type": "select",
        "data_type": "ChoiceID",
        "choices": {"0": "English", "1": "German", "2": "Czech", "3": "Arabic"},
    },
    {
        "filter_id": "current-country-of-residence",
        "title": "Current country of residence",
        "description": "In what country do you currently live?",
        "type": "select",
        "data_type": "ChoiceID",
        "choices": {"0": "United Kingdom", "1": "United States", "2": "Germany"},
    },
    {
        "filter_id": "age",
        "title": "Age",
        "description": "How old are you?",
        "type": "range",
        "data_type": "integer",
        "min": 18,
        "max": 100,
    },
    {
        "filter_id": "approval_rate",
        "title": "Approval rate",
        "description": "Share of submissions that were approved",
        "type": "range",
        "data_type": "integer",
        "min": 0,
        "max": 100,
    },
    {
        "filter_id": "date-joined",
        "title": "Joined",
        "description": "When did you join?",
        "type": "range",
        "data_type": "date",
        "min": "2014-01-01",
        "max": "2026-11-01",
    },
    {
        "filter_id": "household-size",
        "title": "Household",
        "description": "How many rooms per person?",
        "type": "range",
        "data_type": "float",
        "min": 0.5,
        "max": 9.5,
    },
    {
        "filter_id": "participant_group_allowlist",
        "title": "Participant group allowlist",
        "description": "Only members of these groups",
        "type": "select",
        "data_type": "ParticipantGroupID",
        "choices": {},
    },
    {
        "filter_id": "participant_group_blocklist",
        "title": "Participant group blocklist",
        "description": "No members of these groups",
        "type": "select",
        "data_type": "ParticipantGroupID",
        "choices": {},
    },
]


def check_study(document: dict[str, Any]) -> None:
    """Refuse what has the published shape (`published.yaml`), and the panel refuses nevertheless."""
    codes = document["completion_codes"]
    check_codes(codes)
    check_filters(document["filters"])
    reward, minutes = int(document["reward"]), int(document["estimated_completion_time"])
    check_longest_time(document.get("maximum_allowed_time"), minutes)
    check_screen_outs(codes, reward)
    if reward * 60 < LEAST_PER_HOUR * minutes:
        least = f"Pay at least {LEAST_PER_HOUR / 100:.2f} an hour."
        raise Refusal(400, "Bad request", {"reward": [least]}, 140002)


def check_codes(codes: list[dict[str, Any]]) -> None:
    if len({sent["code"] for sent in codes}) < len(codes):
        raise Refusal(400, "Bad request", {"completion_codes": ["Codes must differ."]})
    if not any(sent["code_type"] == "COMPLETED" for sent in codes):
        raise Refusal(400, "Bad request", {"completion_codes": ["One must be COMPLETED."]})


def check_longest_time(longest: int | None, minutes: int) -> None:
    """As published: two minutes, twice the expected time, and twice its square root."""
    least = 2 + 2 * minutes + 2 * math.sqrt(minutes)
    if longest is not None and longest < least:
        reason = {"maximum_allowed_time": [f"At least {least:.1f} minutes."]}
        raise Refusal(400, "Bad request", reason, 140004)


def check_screen_outs(codes: list[dict[str, Any]], reward: int) -> None:
    """As published: being screened out pays less than the study."""
    for action in (each for sent in codes for each in sent["actions"]):
        if int(action.get("fixed_screen_out_reward", 0)) >= reward:
            reason = {"completion_codes": ["Being screened out must pay less than the reward."]}
            raise Refusal(400, "Bad request", reason, 140005)


def check_filters(filters: list[dict[str, Any]]) -> None:
    known = {row["filter_id"]: row for row in FILTERS}
    for entry in filters:
        found = known.get(entry["filter_id"])
        if found is None:
            raise Refusal(400, "Bad request", {"filters": [f"Unknown: {entry['filter_id']}"]})
        choices = set(found.get("choices") or ())
        if choices and set(entry.get("selected_values", ())) - choices:
            raise Refusal(400, "Bad request", {"filters": ["Unknown choice."]})
        limits = dict(entry.get("selected_range") or {}).values()
        if found["type"] == "range" and not all(_fits(found["data_type"], each) for each in limits):
            raise Refusal(400, "Bad request", {"filters": [f"{found['title']}: wrong type."]})


def _fits(data_type: str, limit: object) -> bool:
    if data_type == "date":
        return isinstance(limit, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", limit) is not None
    return isinstance(limit, int) or (data_type == "float" and isinstance(limit, float))
