"""A study as the site sends it to a panel."""

from typing import Any

LINK = (
    "https://eval.example.org/r/CODE/?PROLIFIC_PID={{%PROLIFIC_PID%}}"
    "&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
)


def study_document(project: str, **changes: Any) -> dict[str, Any]:
    return {
        "project": project,
        "name": "Rate short texts",
        "internal_name": "rankme CODE",
        "description": "You read five texts and rate them.",
        "external_study_url": LINK,
        "prolific_id_option": "url_parameters",
        "completion_codes": [
            {
                "code": "DONE",
                "code_type": "COMPLETED",
                "actor": "participant",
                "actions": [{"action": "MANUALLY_REVIEW"}],
            }
        ],
        "total_available_places": 2,
        "estimated_completion_time": 15,
        "reward": 225,
        "device_compatibility": ["desktop"],
        "filters": [],
    } | changes
