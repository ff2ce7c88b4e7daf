"""Who read judgements before the close: a sentence for the report, and a file of its bundle."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection
from typing import Any

from django.db.models import QuerySet

from rankme.models import AnalysisRun, AuditEvent, Look
from rankme.models.campaigns import ANALYSED, SEEN
from rankme.models.looks import LOOKED

from .registered import registered_sha256

FILE_NAME = "looks.json"
# What no program sees of what was done otherwise than planned.
CANNOT_BE_SEEN = (
    "Whether the hypotheses were written before anybody knew results, of a pilot for example.",
    "Analyses outside this site, of exported files, and which of all analyses was chosen.",
    "Looks into the database, at a file that somebody else had exported, or at a public report.",
    "What was said to raters elsewhere, and other campaigns with the same items.",
)
NOBODY = "Nobody looked at judgements before the close, as far as this site can see."


def events_known_to(run: AnalysisRun) -> QuerySet[AuditEvent]:
    """The campaign's history when the run read its judgements, which stays the same."""
    known = [number for number, _hash in (run.anchor or {}).get("audit_events", ())]
    return run.campaign.audit_events.filter(number__lte=max(known, default=0)).order_by("number")


def closed_by(run: AnalysisRun) -> int | None:
    """The number of the event that closed the campaign for good, as far as the run knows."""
    ends = events_known_to(run).filter(verb__in=["closed", "reopened"])
    last = ends.order_by("-number").first()
    return last.number if last is not None and last.verb == "closed" else None


def looks_of_run(run: AnalysisRun) -> list[dict[str, Any]]:
    """Each look before the close; people have numbers, as a bundle is public."""
    found = events_known_to(run).filter(verb__in=[SEEN, ANALYSED])
    if (end := closed_by(run)) is not None:
        found = found.filter(number__lt=end)
    people: dict[int | None, int] = {}
    return [
        {
            "person": people.setdefault(event.actor_id, len(people) + 1),
            "when": event.happened_at.isoformat(),
            "what": event.detail.get("what", "analysis"),
            "judgements": event.detail.get("judgements"),
        }
        for event in found
    ]


def planned_looks_known_to(run: AnalysisRun) -> list[Look]:
    """The looks of the campaign's plan that were taken before the run read its judgements."""
    number = events_known_to(run).filter(verb=LOOKED).count()
    return list(run.campaign.looks.filter(number__lte=number).order_by("number"))


def stopped_by_look(run: AnalysisRun) -> Look | None:
    """The newest look, if it proposed to stop and the campaign was closed then."""
    looks = planned_looks_known_to(run)
    is_stopped = looks and looks[-1].proposes_to_stop and closed_by(run) is not None
    return looks[-1] if is_stopped else None


def looks_sentence(looks: list[dict[str, Any]]) -> str:
    if not looks:
        return NOBODY
    kinds = Counter(look["what"] for look in looks)
    named = "; ".join(f"{what} {number}" for what, number in kinds.most_common())
    people = len({look["person"] for look in looks})
    return (
        f"Before the close, judgements were looked at {times(len(looks))} by "
        f"{people} {'person' if people == 1 else 'people'} ({named})."
    )


def all_looks_sentence(run: AnalysisRun, said: Collection[str] = ()) -> str:
    """Count the looks that the plan has, and all others if that is not said yet."""
    others = looks_sentence(looks_of_run(run))
    if others in said:
        others = ""
    if not (planned := len(planned_looks_known_to(run))):
        return others
    if others == NOBODY:
        others = "Nobody looked at judgements at another time, as far as this site can see."
    return f"Looks that the plan allows were taken {times(planned)}. {others}".strip()


def times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def files_of_plan(run: AnalysisRun, deviations: list[str]) -> dict[str, bytes]:
    """The looks, and the deviations from the plan with its hash, as files of the bundle.

    The preregistration itself names the answers that let raters in, so organisers decide when it is
    public. Imported judgements were never planned nor closed here.
    """
    if run.campaign.is_archive:
        return {}
    found = {
        "preregistration_sha256": registered_sha256(run.campaign),
        "deviations": deviations,
        "cannot_be_seen": CANNOT_BE_SEEN,
    }
    files: dict[str, Any] = {FILE_NAME: looks_of_run(run), "deviations.json": found}
    if planned := planned_looks_known_to(run):
        files["planned_looks.json"] = [
            {
                "number": look.number,
                "when": look.taken_at.isoformat(),
                "raters": look.raters,
                "data_sha256": look.data_sha256,
                "proposes_to_stop": look.proposes_to_stop,
                "criteria": look.result,
                "sha256": look.sha256,
            }
            for look in planned
        ]
    return {
        name: json.dumps(each, indent=1, ensure_ascii=False).encode()
        for name, each in files.items()
    }
