"""Everything that the site stores about one rater, for the rater."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db.models import Model

from rankme.models import PanelPayment, Participant, Report, Submission
from rankme.queries.definitions import frozen_definition
from rankme.queries.watching.kept_addresses import kept_address
from rankme.queries.watching.own_words import payload_as_sent

FORMAT = 1
# Only for the site's own use, and no fact about the rater.
WITHOUT = {"id", "campaign", "browser", "generation", "ticked"}


def own_data(rater: Participant) -> dict[str, Any]:
    """Build the document of a rater's data: what they are called, what they sent, what was decided.

    It names no system and no expected answer, so that it tells nothing which a rater at work must
    not know.
    """
    campaign = rater.campaign
    consent = rater.consent_version or rater.version
    names = {field.name for field in rater._meta.concrete_fields}
    return {
        "format": FORMAT,
        "study": {
            "title": campaign.title,
            "contact": frozen_definition(campaign).definition.texts.contact,
        },
        "consent": {
            "given_at": rater.consented_at,
            "version": rater.consent_version,
            "text": frozen_definition(campaign, consent).definition.texts.consent,
            "ticked": rater.ticked,
        },
        "you": _fields(rater, *sorted(names - WITHOUT)) | _of_the_link(rater),
        "batches": [
            _fields(each, "state", "counts", "claimed_at", "ended_at")
            | {
                "batch": each.batch.number + 1,
                "screens": [
                    _fields(sent, "screen", "revision", "late", "surplus", "flags", "received_at")
                    | {"payload": payload_as_sent(sent)}
                    | _trace(sent)
                    for sent in each.submissions.all()
                ],
            }
            for each in rater.assignments.select_related("batch").prefetch_related(
                "submissions__own_words", "submissions__trace"
            )
        ],
        "unreadable_answers": _rows(rater.quarantined.all(), "body", "received_at"),
        "quiz": _rows(rater.quiz_attempts.all(), "number", "answers", "sent_at"),
        "reported_problems": _rows(rater.complaints.all(), "text", "received_at", "dealt_with_at"),
        "decisions_of_rules": _rows(
            rater.rule_decisions.all(), "action", "parts", "measures", "decided_at"
        ),
        "exclusions": _rows(rater.exclusions.all(), "reason", "decided_at", "withdrawn_at"),
        "panel": [
            _fields(
                each, "external_id", "person", "state", "entered_code", "started_at",
                "completed_at", "seconds", "return_requested_at",
            )
            for each in rater.panel_submissions.all()
        ],
        "payments": _rows(
            PanelPayment.objects.filter(submission__participant=rater),
            "kind", "amount", "currency", "reason", "state", "created_at", "settled_at",
        ),
        "credit_at_the_panel": [each.state for each in _credits(rater)],
        "published_reports": [
            {"address": f"/reports/{each.code}/", "published_at": each.published_at}
            for each in reports_with(rater)
        ],
    }  # fmt: skip


def name_of(rater: Participant) -> str:
    """The name that an organiser stored with the rater's personal link."""
    if rater.panel != "invitation":
        return ""
    found = rater.campaign.invitations.filter(pk=rater.external_id).values_list("name", flat=True)
    return found.first() or ""


def _of_the_link(rater: Participant) -> dict[str, str]:
    """What is stored with the rater's personal link: the name, and an address for reminders."""
    found = {"name": name_of(rater)}
    if rater.panel == "invitation":
        link = rater.campaign.invitations.exclude(mail="").filter(pk=rater.external_id).first()
        if link is not None:
            found["mail"] = kept_address(link)
    return found


def reports_with(rater: Participant) -> list[Report]:
    """The published reports that may contain this rater's answers: nobody can recall them."""
    first = rater.assignments.order_by("claimed_at").first()
    if first is None:
        return []
    reports = Report.objects.filter(
        run__campaign=rater.campaign, published_at__gte=first.claimed_at
    )
    return list(reports.order_by("published_at"))


def _trace(sent: Submission) -> dict[str, Any]:
    found = getattr(sent, "trace", None)
    return {} if found is None else {"trace": found.summary}


def _credits(rater: Participant) -> list[Any]:
    found = getattr(rater, "panel_credit", None)
    return [] if found is None else [found]


def _fields(row: Model, *names: str) -> dict[str, Any]:
    return {name: getattr(row, name) for name in names}


def _rows(rows: Iterable[Model], *names: str) -> list[dict[str, Any]]:
    return [_fields(row, *names) for row in rows]
