"""Publishing: a run's report gets a page that anybody with its address can read, or loses it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.models import AnalysisRun, Campaign, Report
from rankme.models.jobs import Job


@transaction.atomic
def publish_report(run: AnalysisRun, *, by: User) -> Report:
    """Give the run a page that anybody with its address can read; again after a withdrawal."""
    # Of two clicks the second waits here, finds the first one's report, and notes nothing.
    run = AnalysisRun.objects.select_for_update(of=("self",)).get(pk=run.pk)
    if run.state != Job.State.DONE:
        raise RefusedAction(_("Only an analysis that is done can be published."))
    report, created = Report.objects.get_or_create(run=run, defaults={"published_by": by})
    if created or report.withdrawn_at is not None:
        Report.objects.filter(pk=report.pk).update(
            withdrawn_at=None, published_by=by, published_at=Now()
        )
        _move(run.campaign_id, Campaign.State.CLOSED, to=Campaign.State.PUBLISHED)
        note(run.campaign, by, gettext_noop("report published"), run=run.pk, report=report.code)
        report.refresh_from_db()
    return report


@transaction.atomic
def withdraw_report(report: Report, *, by: User) -> None:
    """Take the public page away; the run and its numbers stay."""
    # The condition is in the UPDATE: of two withdrawals at once, one changes the row and is noted.
    if Report.objects.filter(pk=report.pk, withdrawn_at=None).update(withdrawn_at=Now()):
        standing = Report.objects.filter(run__campaign=report.run.campaign, withdrawn_at=None)
        if not standing.exists():
            _move(report.run.campaign_id, Campaign.State.PUBLISHED, to=Campaign.State.CLOSED)
        note(
            report.run.campaign,
            by,
            gettext_noop("report withdrawn"),
            run=report.run_id,
            report=report.code,
        )


def _move(campaign_id: int, state: str, *, to: str) -> None:
    """A closed campaign is published while a report of it is; one that still runs is not."""
    Campaign.objects.filter(pk=campaign_id, state=state).update(state=to)
