"""Anchors: how long each hash chain was at some time, and its last hash.

A chain whose end was removed is still a valid chain. Only its former length gives that away.
Each analysis keeps an anchor, and its bundle carries it out of the database.
"""

from __future__ import annotations

import json
from typing import Any

from django.db.models import Count, Window

from rankme.models import AnalysisRun, Campaign, Submission

FILE_NAME = "anchor.json"


def anchor_of(campaign: Campaign) -> dict[str, Any]:
    """The campaign's newest version, and for each chain its length and its last hash."""
    newest = (
        Submission.objects.filter(assignment__campaign=campaign)
        .annotate(length=Window(Count("id"), partition_by="assignment_id"))
        .order_by("assignment_id", "-id")
        .distinct("assignment_id")
    )
    sittings = [list(row) for row in newest.values_list("assignment_id", "length", "chain_sha256")]
    events = campaign.audit_events.order_by("-number")[:1]
    audit = [list(row) for row in events.values_list("number", "chain_sha256")]
    return {
        "campaign": campaign.code,
        "version": campaign.versions.count(),
        "submissions": sum(length for _, length, _ in sittings),
        "sittings": sittings,
        "audit_events": audit,
    }


def anchor_file(run: AnalysisRun) -> dict[str, bytes]:
    """The anchor of a run as a file of its bundle; analyses of version 1 have none."""
    return {FILE_NAME: json.dumps(run.anchor).encode()} if run.anchor else {}
