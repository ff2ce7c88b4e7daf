"""The versions of a campaign, with the raters and judgements under each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from analysis.table import JudgementTable
from rankme.models import Campaign, CampaignVersion

from .counting import ANALYSED
from .judgement_table import VERSION
from .sql import rows_of

# Sittings say how many raters worked under a version, and judgements what they said; the counting
# rule is in the join, because a sitting without a counted answer is a row too.
UNDER_EACH = f"""
    SELECT a.version, count(DISTINCT a.participant_id), count(j.id)
    FROM rankme_assignment a
    LEFT JOIN rankme_submission s ON s.assignment_id = a.id AND {ANALYSED}
    LEFT JOIN rankme_judgement j ON j.submission_id = s.id
    WHERE a.campaign_id = %s
    GROUP BY a.version"""


@dataclass(frozen=True)
class VersionLine:
    """A version, and how many raters and judgements for analyses there are under it."""

    version: CampaignVersion
    raters: int
    judgements: int


def version_lines(campaign: Campaign) -> list[VersionLine]:
    """All versions of a campaign, the first one first."""
    counts = {number: under for number, *under in rows_of(UNDER_EACH, [campaign.pk])}
    rows = campaign.versions.defer("definition").select_related("author").order_by("number")
    return [VersionLine(row, *counts.get(row.number, (0, 0))) for row in rows]


def balance_of(campaign: Campaign) -> dict[str, Any]:
    """The balance of the plan as it is now, after its extensions; nothing for a draft."""
    extended = campaign.versions.exclude(extension={}).order_by("-number").first()
    if extended is not None:
        return dict(extended.extension["balance_after"])
    plan = getattr(campaign, "plan", None)
    return dict(plan.balance) if plan else {}


def has_unplanned_material(campaign: Campaign) -> bool:
    """Whether items or systems were added that no extension of the plan has taken up yet."""
    covered = campaign.versions.filter(number=campaign.version).first()
    if covered is None or campaign.is_archive:
        return False
    now = (campaign.items.count(), campaign.systems.count())
    return now != (covered.items, covered.systems)


def versions_of_table(campaign: Campaign, upto: int, table: JudgementTable) -> list[dict[str, Any]]:
    """Describe each version for a report: number, time, reason and judgements, without its author.

    `upto` is the version that was the newest when the judgements were read.
    """
    shown = table.factors.get(VERSION)
    counts = {}
    if shown is not None:
        numbers = np.bincount(shown.codes, minlength=len(shown.labels)).tolist()
        counts = dict(zip(shown.labels, numbers, strict=True))
    return [
        {
            "number": version.number,
            "change": version.change,
            "created_at": version.created_at.isoformat(),
            "reason": version.reason,
            "definition_sha256": version.definition_sha256,
            "judgements": counts.get(str(version.number), 0),
        }
        for version in campaign.versions.filter(number__lte=upto).order_by("number")
    ]


def of_versions(table: JudgementTable, numbers: Collection[int]) -> JudgementTable:
    """The judgements under these versions; without numbers, all."""
    shown = table.factors.get(VERSION)
    if not numbers or shown is None:
        return table
    wanted = np.array([int(label) in numbers for label in shown.labels], dtype=bool)
    return table.rows(wanted[shown.codes])
