"""The preregistration: its hash, and the definition that it was written from."""

from __future__ import annotations

from analysis.signature import VERSION
from rankme.exporting.paper.preregistration import preregistration
from rankme.exporting.registered import document_sha256, registration_of
from rankme.models import Campaign

from .fault import Fault


def check_preregistration(campaign: Campaign) -> None:
    """Compare the stored document with its hash, and write it again from the first version.

    Another release may word it differently, so that only its own release can write it again.
    """
    event = registration_of(campaign)
    if event is None:
        return
    document = event.detail["document"]
    if document_sha256(document) != event.detail["sha256"]:
        raise Fault("the preregistration", "it does not match its hash.")
    if event.detail["program"] != VERSION:
        return
    first = campaign.versions.get(number=1)
    if preregistration(campaign, campaign.plan.balance, first) != document:
        raise Fault("the preregistration", "it differs from the campaign that was launched.")
