"""Refuse studies as Prolific does, and list its filters."""

from __future__ import annotations

import math
import re
from typing import Any

from .wire import Refusal

LEAST_PER_HOUR = 600
EVERYBODY = 160_000


def _choice(pk: str, title: str, question: str, *choices: str, of: str = "ChoiceID") -> Any:
    numbered = {str(number): choice for number, choice in enumerate(choices)}
    said = {"filter_id": pk, "title": title, "description": question}
    return said | {"type": "select", "data_type": of, "choices": numbered}


def _range(pk: str, title: str, question: str, of: str, *limits: object) -> Any:
    said = {"filter_id": pk, "title": title, "description": question}
    return said | {"type": "range", "data_type": of, "min": limits[0], "max": limits[1]}


LANGUAGES = ("English", "German", "Czech", "Arabic")
COUNTRIES = ("United Kingdom", "United States", "Germany")
COUNTRY = "In what country do you currently live?"
APPROVED = "Share of submissions that were approved"
ALLOWED, BLOCKED = "Only members of these groups", "No members of these groups"
GROUP = "ParticipantGroupID"
FILTERS: list[dict[str, Any]] = [
    _choice("first-language_old", "First language", "What is your first language?", *LANGUAGES),
    _choice("current-country-of-residence", "Current country of residence", COUNTRY, *COUNTRIES),
    _range("age", "Age", "How old are you?", "integer", 18, 100),
    _range("approval_rate", "Approval rate", APPROVED, "integer", 0, 100),
    _range("date-joined", "Joined", "When did you join?", "date", "2014-01-01", "2026-11-01"),
    _range("household-size", "Household", "How many rooms per person?", "float", 0.5, 9.5),
    _choice("participant_group_allowlist", "Participant group allowlist", ALLOWED, of=GROUP),
    _choice("participant_group_blocklist", "Participant group blocklist", BLOCKED, of=GROUP),
]


def check_study(document: dict[str, Any]) -> None:
    """Refuse what the panel would refuse although it has the published shape."""
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
