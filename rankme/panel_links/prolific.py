"""Prolific: PROLIFIC_PID and SESSION_ID in, a redirect with the completion code out."""

from .base import Panel

PROLIFIC = Panel(
    name="prolific",
    id_parameter="PROLIFIC_PID",
    session_parameter="SESSION_ID",
    study_parameter="STUDY_ID",
    return_url="https://app.prolific.com/submissions/complete?cc={code}",
    hosts=frozenset({"app.prolific.com"}),
    is_platform=True,
    least_per_hour={"GBP": 6.0, "USD": 8.0},
    has_api=True,
)
