"""Publishing the results of a shared task on a page that everybody can read."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.errors import RefusedAction
from rankme.models import SharedTask
from rankme.queries.shared_task.system_names import is_for_teams_first, reports_missing

from .events import note
from .tasks import locked


@transaction.atomic
def publish_results(task: SharedTask, *, by: User) -> SharedTask:
    """Let everybody read the results, under the names that the task publishes.

    Raises
    ------
    RefusedAction : the names are unknown, teams may still object, or a track has no report
    """
    task = locked(task)
    if task.unsealed_at is None:
        raise RefusedAction(_("The task is not unsealed: there are no results yet."))
    if is_for_teams_first(task):
        raise RefusedAction(
            _("Teams may object until %(end)s (UTC). Publish the results after that.")
            % {"end": f"{task.teams_first_until:%Y-%m-%d %H:%M}"}
        )
    if missing := reports_missing(task):
        raise RefusedAction(
            _("These tracks have no finished report: %(tracks)s. Analyse their campaigns first.")
            % {"tracks": ", ".join(missing)}
        )
    if task.published_at is None:
        SharedTask.objects.filter(pk=task.pk).update(published_at=Now())
        note(task, gettext_noop("results published"), by=by)
    task.refresh_from_db()
    return task


@transaction.atomic
def withdraw_results(task: SharedTask, *, by: User) -> SharedTask:
    """Take the public page down. What people have downloaded stays with them."""
    task = locked(task)
    if task.published_at is not None:
        SharedTask.objects.filter(pk=task.pk).update(published_at=None)
        note(task, gettext_noop("published results taken down"), by=by)
    task.refresh_from_db()
    return task
