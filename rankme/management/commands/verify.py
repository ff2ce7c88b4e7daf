"""Check that the record is still what was sent."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from rankme.models import Campaign, CampaignDeletion
from rankme.models.campaigns import BEING_DELETED
from rankme.verification import (
    Findings,
    InvalidAnchor,
    read_anchor,
    verify_audit_trail,
    verify_campaign,
)


class Command(BaseCommand):
    help = (
        "Recompute the hashes, the hash chains, the values of judgements from their payloads, the "
        "counts, the audit trail, the exports, and pictures, sounds and films. Prints the first "
        "problem of each campaign, and exits with status 1 if there is any."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("campaigns", nargs="*", metavar="code", help="default: all campaigns")
        parser.add_argument(
            "--anchor",
            type=Path,
            action="append",
            default=[],
            help="anchor.json, or a bundle with one: shows whether later submissions were cut off",
        )
        parser.add_argument("--json", action="store_true", help="one line of JSON per campaign")

    def handle(
        self, *, campaigns: list[str], anchor: list[Path], json: bool, **options: Any
    ) -> None:
        try:
            anchors = [read_anchor(path) for path in anchor]
        except InvalidAnchor as error:
            raise CommandError(str(error)) from error
        found = Campaign.objects.exclude(BEING_DELETED).order_by("pk")
        if campaigns:
            found = found.filter(code__in=campaigns)
        known = set(found.values_list("code", flat=True))
        for code in [*campaigns, *(anchor["campaign"] for anchor in anchors)]:
            if code not in known:
                raise CommandError(_why_unknown(code))
        faults = 0
        for findings in self._checked(found, anchors, with_the_site=not campaigns):
            faults += bool(findings.fault)
            self.stdout.write(as_json(findings) if json else as_line(findings))
        if faults:
            raise CommandError("The record is damaged.", returncode=1)

    def _checked(
        self, campaigns: Any, anchors: list[dict[str, Any]], *, with_the_site: bool
    ) -> Iterator[Findings]:
        for campaign in campaigns:
            yield verify_campaign(campaign, anchors)
        if with_the_site:
            yield verify_audit_trail()


def _why_unknown(code: str) -> str:
    deletion = CampaignDeletion.objects.filter(code=code, begun_at__isnull=False).first()
    if deletion is None or deletion.begun_at is None:
        return f"There is no campaign {code}."
    return f"The campaign {code} was deleted on {deletion.begun_at:%Y-%m-%d}."


def as_json(findings: Findings) -> str:
    return json.dumps(asdict(findings))


def as_line(findings: Findings) -> str:
    name = findings.campaign or "the site's own audit trail"
    if findings.fault:
        return f"DAMAGED  {name}: {findings.fault}"
    checked = [f"{findings.audit_events} audit events"]
    if findings.campaign:
        checked = [
            f"{findings.submissions} submissions",
            f"{findings.judgements} judgements, of which {findings.counted} count",
            *checked,
        ]
    if findings.settled:
        checked.append(f"{findings.settled} settled disagreements")
    if findings.files:
        checked.append(f"{findings.files} files")
    if findings.not_recomputed:
        checked.append(f"the values of {findings.not_recomputed} submissions not recomputed")
    if findings.not_comparable:
        checked.append(f"older anchors of {findings.not_comparable} sittings not comparable")
    return f"ok       {name}: {', '.join(checked)}"
