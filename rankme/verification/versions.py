"""The versions of a campaign: their definitions, hashes and numbers."""

from __future__ import annotations

from rankme.actions.rows.versions import definition_sha256
from rankme.models import Campaign

from .fault import Fault


def check_versions(campaign: Campaign) -> None:
    """Compare each definition with its hash, and the hash with the audit event of the change."""
    noted = {
        event.detail["version"]: event.detail["definition_sha256"]
        for event in campaign.audit_events.filter(detail__has_key="definition_sha256")
    }
    for expected, version in enumerate(campaign.versions.order_by("number"), start=1):
        place = f"version {version.number}"
        if version.number != expected:
            raise Fault(place, f"version {expected} is missing.")
        if definition_sha256(version.definition) != version.definition_sha256:
            raise Fault(place, "the definition does not match its hash.")
        if noted.get(version.number, version.definition_sha256) != version.definition_sha256:
            raise Fault(place, "the definition differs from the one in the history.")
