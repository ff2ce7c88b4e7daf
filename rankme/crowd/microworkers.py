"""Microworkers: ids of worker, campaign and slot in; a code (VCODE) out, which is typed in."""

from .base import Panel

MICROWORKERS = Panel(
    name="microworkers",
    id_parameter="mw_id",
    session_parameter="slot_id",
    study_parameter="campaign_id",
    return_url="",
    is_platform=True,
)
