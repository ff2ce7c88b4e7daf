"""The nightly check of the record, and the report of its findings."""

from __future__ import annotations

import logging

from rankme.actions.audit import DAMAGED, INTACT, last_fault, note
from rankme.actions.operators import is_late, last_backup
from rankme.models import Campaign
from rankme.models.campaigns import BEING_DELETED

from .record import Findings, verify_audit_trail, verify_campaign

log = logging.getLogger(__name__)


def check_record() -> bool:
    """Check every campaign that was launched, and the site's audit trail; say what is wrong.

    A fault goes to the log and into the campaign's history, where its organisers see it.
    """
    intact = True
    launched = Campaign.objects.exclude(launched_at=None).exclude(BEING_DELETED)
    for campaign in launched.order_by("pk"):
        intact &= _tell(campaign, verify_campaign(campaign))
    return _tell(None, verify_audit_trail()) and intact


def check_backup() -> bool:
    """Say that no backup was made tonight. Sites that never recorded one are told by `doctor`."""
    made = last_backup()
    if made and is_late(made):
        log.critical("The last recorded backup is of %s", made.isoformat(timespec="minutes"))
        return False
    return True


def _tell(campaign: Campaign | None, findings: Findings) -> bool:
    name = findings.campaign or "the site's audit trail"
    if findings.fault:
        log.critical("The record of %s is damaged: %s", name, findings.fault)
    else:
        log.info("The record of %s is intact", name)
    # Once for each fault, not every night.
    if findings.fault != last_fault(campaign):
        if findings.fault:
            note(campaign, None, DAMAGED, fault=findings.fault)
        else:
            note(campaign, None, INTACT)
    return not findings.fault
