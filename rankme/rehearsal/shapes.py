"""The practice panel's answers, in the shapes that Prolific publishes."""

from __future__ import annotations

from collections import Counter
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
    return record.document | {
        "id": record.id,
        "status": record.status,
        "places_taken": record.places_taken,
        "number_of_submissions": len(record.submissions),
        "date_created": _moment(record.created_at),
        "presentment_currency_code": CURRENCY,
    }


def _submission(record: Submission) -> dict[str, Any]:
    return {
        "id": record.id,
        "started_at": _moment(record.started_at),
        "completed_at": _moment(record.completed_at),
        "is_complete": record.completed_at is not None,
        "time_taken": record.seconds,
        "reward": record.study.reward,
        "status": record.status,
        "strata": {},
        "study_code": record.code or None,
        "star_awarded": False,
        "bonus_payments": record.bonuses,
        "ip": "",
        "return_requested": _moment(record.return_requested),
    }


def row(record: Submission) -> dict[str, Any]:
    """A submission in a list: the person is `participant_id`."""
    return _submission(record) | {"participant_id": record.participant}


def single(record: Submission) -> dict[str, Any]:
    """The same submission alone: there the person is `participant`, and the study is named."""
    return _submission(record) | {"participant": record.participant, "study_id": record.study.id}


def counts(record: Study) -> dict[str, int]:
    found = Counter(submission.status for submission in record.submissions)
    return {**found, "TOTAL": len(record.submissions)}


def amount(minor: int) -> dict[str, Any]:
    return {"amount": minor, "currency": CURRENCY}


def cost(record: Study) -> dict[str, Any]:
    parts = with_fees(record.reward * record.places)
    bonuses = with_fees(sum(sum(each.bonuses) for each in record.submissions))
    return {
        "rewards": {key: amount(value) for key, value in _named(parts).items()},
        "bonuses": {key: amount(value) for key, value in _named(bonuses).items()},
    }


def _named(parts: dict[str, int]) -> dict[str, int]:
    return {"rewards": parts["rewards"], "fees": parts["fees"], "tax": parts["vat"]}


def estimate(reward: int, places: int) -> dict[str, int]:
    parts = with_fees(reward * places)
    total = parts.pop("total")
    return parts | {"total_cost": total, "base_cost": total}


def balance(books: Books) -> dict[str, Any]:
    return {
        "currency_code": CURRENCY,
        "total_balance": books.wallet - books.spent,
        "available_balance": books.available,
        "balance_breakdown": {"rewards": books.available, "fees": 0, "vat": 0},
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
