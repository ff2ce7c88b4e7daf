"""One campaign's record, and the audit trail of the site, checked in one snapshot each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.db import connection, transaction

from rankme.models import Campaign

from .anchor import anchors_of
from .audit import check_campaign_audit, check_other_audit
from .counting import check_counting
from .exports import check_exports
from .fault import Fault
from .files import check_declined, check_media
from .history import check_looks, check_preregistration, check_settlements, check_versions
from .sittings import check_sittings


@dataclass(frozen=True)
class Findings:
    """The number of checked rows, and the first fault.

    `not_recomputed` submissions were accepted under rules that no longer hold, or imported by
    version 1: their hashes were checked, but their values could not be computed again. Anchors of
    `not_comparable` sittings are of hashes that were erased with words of their raters.
    """

    campaign: str = ""
    submissions: int = 0
    judgements: int = 0
    counted: int = 0
    not_recomputed: int = 0
    not_comparable: int = 0
    settled: int = 0
    files: int = 0
    audit_events: int = 0
    fault: str = ""


def verify_campaign(campaign: Campaign, anchors: Iterable[Mapping[str, Any]] = ()) -> Findings:
    """Check all of a campaign's record against its hashes and its payloads."""

    def check(findings: Findings) -> Findings:
        known = anchors_of(campaign, anchors)
        check_versions(campaign)
        check_preregistration(campaign)
        check_looks(campaign)
        tally = check_sittings(campaign, known)
        check_counting(campaign)
        check_exports(campaign, tally)
        return replace(
            findings,
            submissions=tally.submissions,
            judgements=tally.judgements,
            counted=tally.counted.rows,
            not_recomputed=tally.not_recomputed,
            not_comparable=tally.not_comparable,
            audit_events=check_campaign_audit(campaign.pk, known.audit),
            settled=check_settlements(campaign),
        )

    findings = _in_a_snapshot(Findings(campaign=campaign.code), check)
    return findings if findings.fault else _with_files(campaign, findings)


def _with_files(campaign: Campaign, findings: Findings) -> Findings:
    """After the snapshot, which should not be held while files are read: they never change."""
    try:
        check_declined(campaign)
        return replace(findings, files=check_media(campaign))
    except Fault as fault:
        return replace(findings, fault=str(fault))


def verify_audit_trail() -> Findings:
    """Check the events that are of no campaign."""
    return _in_a_snapshot(
        Findings(), lambda findings: replace(findings, audit_events=check_other_audit())
    )


def _in_a_snapshot(findings: Findings, check: Callable[[Findings], Findings]) -> Findings:
    """Check while raters submit: all statements see the same moment."""
    is_outermost = not connection.in_atomic_block
    try:
        with transaction.atomic():
            if is_outermost:
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            return check(findings)
    except Fault as fault:
        return replace(findings, fault=str(fault))
