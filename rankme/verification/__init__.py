"""Check the record against what raters sent: hashes, chains, values, counts, audit, exports."""

from .anchor import InvalidAnchor, read_anchor
from .record import Findings, verify_audit_trail, verify_campaign

__all__ = [
    "Findings",
    "InvalidAnchor",
    "read_anchor",
    "verify_audit_trail",
    "verify_campaign",
]
