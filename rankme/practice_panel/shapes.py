"""The practice panel's answers, in the shapes that Prolific publishes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from .books import Bonuses, Books, Study, Submission, with_fees
from .wire import Request, not_found

CURRENCY = "GBP"


def _moment(moment: datetime | None) -> str | None:
    return moment.isoformat().replace("+00:00", "Z") if moment else None


def study(record: Study) -> dict[str, Any]:
    """A study alone: as it was sent, with its state."""
    return record.document | {
        "id": record.id,
        "status": record.status,
        "is_ready_to_publish": True,
    }


def study_row(record: Study) -> dict[str, Any]:
    """A study in a list, where the number of people who have come is named too."""
    sent = record.document
    return {
        "id": record.id,
        "name": sent["name"],
        "internal_name": sent.get("internal_name"),
        "status": record.status,
        "study_type": "SINGLE",
        "estimated_completion_time": sent["estimated_completion_time"],
        "total_available_places": record.places,
        "places_taken": record.places_taken,
        "number_of_submissions": len(record.submissions),
        "reward": record.reward,
        "total_cost": with_fees(record.reward * record.places)["total"],
        "published_at": None,
        "publish_at": None,
        "date_created": _moment(record.created_at),
        "is_ready_to_publish": True,
    }


def row(record: Submission) -> dict[str, Any]:
    """A submission in a list: the person is `participant_id`, the code `study_code`."""
    return {
        "id": record.id,
        "participant_id": record.participant,
        "status": record.status,
        "started_at": _moment(record.started_at),
        "completed_at": _moment(record.completed_at),
        "has_siblings": False,
        "study_code": record.code or None,
        "return_requested": _moment(record.return_requested),
    }


def moved(record: Submission) -> dict[str, Any]:
    """A submission after a transition: the person is `participant`, the code `entered_code`."""
    return {
        "id": record.id,
        "participant": record.participant,
        "status": record.status,
        "started_at": _moment(record.started_at),
        "completed_at": _moment(record.completed_at),
        "entered_code": record.code or None,
        "study_id": record.study.id,
    }


def single(record: Submission) -> dict[str, Any]:
    """A submission alone, the only place that names its bonuses."""
    return moved(record) | {
        "parent_study_id": None,
        "bonus_payments": record.bonuses,
        "return_requested": _moment(record.return_requested),
    }


def return_requested(record: Submission) -> dict[str, Any]:
    return {
        "id": record.id,
        "status": record.status,
        "participant": record.participant,
        "return_requested": _moment(record.return_requested),
    }


def estimate(reward: int, places: int) -> dict[str, int]:
    return {"total_cost": with_fees(reward * places)["total"]}


def balance(books: Books) -> dict[str, Any]:
    return {
        "currency_code": CURRENCY,
        "total_balance": books.wallet - books.spent,
        "available_balance": books.available,
        "balance_breakdown": {"rewards": books.available, "fees": 0, "vat": 0},
        "available_balance_breakdown": {"rewards": books.available, "fees": 0, "vat": 0},
    }


def bonuses(record: Bonuses) -> dict[str, Any]:
    parts = record.cost
    return {
        "id": record.id,
        "study": record.study.id,
        "amount": parts["rewards"],
        "fees": parts["fees"],
        "vat": parts["vat"],
        "total_amount": parts["total"],
    }


def message(number: int, sent: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": f"m{number}",
        "sender_id": sent.get("sender_id", "practice"),
        "body": sent["body"],
        "sent_at": sent.get("sent_at", "2026-11-01T12:00:00Z"),
        "type": "message",
        "channel_id": f"c{number}",
        "data": {"study_id": sent["study_id"]},
    }


def group(workspace: str, record: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": record["id"],
        "name": record["name"],
        "project_id": None,
        "workspace_id": workspace,
        "organisation_id": None,
        "description": record["name"],
        "participant_count": len(record["participants"]),
        "is_deleted": False,
        "feeder_studies": [],
    }


def member(participant: str, now: datetime) -> dict[str, Any]:
    return {"participant_id": participant, "datetime_created": _moment(now)}


def pages(request: Request, rows: Sequence[Any], *, has_false_next: bool = False) -> dict[str, Any]:
    """One page of a list. A page past the end is 404, as with the real panel."""
    limit = max(1, int(request.query.get("limit", request.query.get("page_size", "20"))))
    offset = int(request.query.get("offset", "0"))
    if "page" in request.query:
        offset = (int(request.query["page"]) - 1) * limit
    if offset and offset >= len(rows):
        raise not_found()
    more = offset + limit < len(rows) or has_false_next
    query = urlencode({**request.query, "limit": limit, "offset": offset + limit})
    return {
        "results": list(rows[offset : offset + limit]),
        "meta": {"count": len(rows)},
        "_links": {"next": {"href": f"{request.path}?{query}" if more else None}},
    }
