"""Anchors: how long each hash chain was at some time, and its last hash.

A chain whose end was removed is still a valid chain. Only its former length gives that away.
Each analysis keeps an anchor, and its bundle carries it out of the database.
"""

from __future__ import annotations

import json
from typing import Any

from django.db import connection

from rankme.models import AnalysisRun, Campaign

FILE_NAME = "anchor.json"
SITTINGS = """
    SELECT DISTINCT ON (s.assignment_id) s.assignment_id,
        count(*) OVER (PARTITION BY s.assignment_id), s.chain_sha256
    FROM rankme_submission s JOIN rankme_assignment a ON a.id = s.assignment_id
    WHERE a.campaign_id = %s
    ORDER BY s.assignment_id, s.id DESC"""
AUDIT = """
    SELECT number, chain_sha256 FROM rankme_auditevent
    WHERE campaign_id = %s ORDER BY number DESC LIMIT 1"""


def anchor_of(campaign: Campaign) -> dict[str, Any]:
    """The campaign's newest version, and for each chain its length and its last hash."""
    with connection.cursor() as cursor:
        cursor.execute(SITTINGS, [campaign.pk])
        sittings = [list(row) for row in cursor.fetchall()]
        cursor.execute(AUDIT, [campaign.pk])
        audit = [list(row) for row in cursor.fetchall()]
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
