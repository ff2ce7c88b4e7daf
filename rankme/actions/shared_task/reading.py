"""Reading the results of an unsealed task, with a note in the histories of its campaigns."""

from __future__ import annotations

from django.contrib.auth.models import User

from rankme.actions.audit import note_seen
from rankme.exporting.shared_task.results import TaskResults, results_of
from rankme.models import SharedTask


def seen_results(task: SharedTask, *, by: User) -> TaskResults:
    """The results as the task publishes them.

    Raises
    ------
    RefusedAction : the task is not unsealed
    """
    results = results_of(task)
    for each in results.tracks:
        note_seen(each.track.campaign, "results of the shared task", by=by)
    return results
