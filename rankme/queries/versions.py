"""The versions of a campaign with what was collected under each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection

from rankme.models import Campaign, CampaignVersion

from .counting import COUNTED

# Sittings say how many raters worked under a version, and judgements what they said.
UNDER_EACH = f"""
    SELECT a.version, count(DISTINCT a.participant_id), count(j.id)
    FROM rankme_assignment a
    LEFT JOIN rankme_submission s ON s.assignment_id = a.id AND {COUNTED}
    LEFT JOIN rankme_judgement j ON j.submission_id = s.id
    WHERE a.campaign_id = %s
    GROUP BY a.version"""


@dataclass(frozen=True)
class VersionLine:
    """A version, and how many raters and counted judgements there are under it."""

    version: CampaignVersion
    raters: int
    judgements: int


def version_lines(campaign: Campaign) -> list[VersionLine]:
    """All versions of a campaign, the first one first."""
    with connection.cursor() as cursor:
        cursor.execute(UNDER_EACH, [campaign.pk])
        counts = {number: (raters, judgements) for number, raters, judgements in cursor.fetchall()}
    rows = campaign.versions.defer("definition").select_related("author").order_by("number")
    return [VersionLine(row, *counts.get(row.number, (0, 0))) for row in rows]


def versions_for_a_report(campaign: Campaign) -> list[dict[str, Any]]:
    """What a report says of each version: number, time and reason, without the author."""
    return [
        {
            "number": line.version.number,
            "change": line.version.change,
            "created_at": line.version.created_at.isoformat(),
            "reason": line.version.reason,
            "definition_sha256": line.version.definition_sha256,
        }
        for line in version_lines(campaign)
    ]
