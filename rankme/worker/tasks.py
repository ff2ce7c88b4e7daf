"""The Celery tasks: each gets the number of a row and calls one action."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from celery import shared_task
from django.core.management import call_command

from rankme.actions import jobs, operators, rate_limits
from rankme.actions.accounts.link_mails import send_reminders
from rankme.actions.accounts.sessions import forget_ended_sessions
from rankme.actions.campaign import (
    deleting,
    large_extensions,
    launches,
    pausing,
    plan_simulations,
)
from rankme.actions.imports import import_jobs
from rankme.actions.material import materials, metric_jobs, metric_parts
from rankme.actions.panel import entry, following, sync
from rankme.actions.runs import analysis_runs, looks, report_files, run_chunks, run_columns
from rankme.actions.shared_task import checks, reminders, uploads
from rankme.actions.sitting import assignments, credits, erasing
from rankme.actions.webhooks import delivering, events
from rankme.management import made_up
from rankme.models import Heartbeat, PanelStudy
from rankme.verification import nightly

JUST_NOW = timedelta(seconds=0.5)


def worker_name() -> str:
    """Name this process so that an organiser can find it."""
    return f"{socket.gethostname()}:{os.getpid()}"


# Jobs that are rows (`rankme.actions.jobs`).
JOBS: dict[str, Callable[[int, str], bool]] = {
    "rankme.tasks.execute_import": import_jobs.execute_import,
    "rankme.tasks.check_upload": checks.execute,
    "rankme.tasks.execute_run": analysis_runs.execute,
    "rankme.tasks.take_look": looks.execute,
    "rankme.tasks.execute_launch": launches.execute,
    "rankme.tasks.extend_plan": large_extensions.execute,
    "rankme.tasks.compute_metrics": metric_jobs.execute,
    "rankme.tasks.make_report_files": report_files.execute,
}


def _add_task(name: str, execute: Callable[[int, str], bool]) -> None:
    @shared_task(name=name)
    def work_on(row_id: int) -> None:
        execute(row_id, worker_name())


for name, execute in JOBS.items():
    _add_task(name, execute)


# Acknowledged before it runs: nobody has to replace a helper that is lost.
@shared_task(name="rankme.tasks.compute_chunks", acks_late=False)
def compute_chunks(run_id: int) -> None:
    """Help with a run that another worker leads."""
    run_chunks.compute_chunks(run_id, worker_name())


# Acknowledged before it runs, as helpers of an analysis are.
@shared_task(name="rankme.tasks.compute_metric_parts", acks_late=False)
def compute_metric_parts(row_id: int) -> None:
    """Help with a computation of metrics that another worker leads."""
    metric_parts.help_with(row_id)


# Acknowledged before it runs: a lost try is asked for again by a click.
@shared_task(name="rankme.tasks.try_out", acks_late=False)
def try_out(campaign_id: int, user_id: int) -> None:
    made_up.try_out(campaign_id, user_id)


# The same: nothing of it is in the record.
@shared_task(name="rankme.tasks.simulate_plan", acks_late=False)
def simulate_plan(key: str, size: dict[str, Any], spreads: dict[str, Any]) -> None:
    """Check the planner's formulas by simulated campaigns."""
    plan_simulations.execute(key, size, spreads)


@shared_task(name="rankme.tasks.reconcile")
def reconcile() -> None:
    """Every few seconds: re-send unclaimed jobs, release expired leases.

    Once for all the messages that have waited for a worker, and for those of a second beat.
    """
    if Heartbeat.was_noted("beat", within=JUST_NOW):
        return
    jobs.resend_unclaimed()
    assignments.expire_overdue()
    rate_limits.forget_full()
    Heartbeat.note("beat")


@shared_task(name="rankme.tasks.visit_panels")
def visit_panels() -> None:
    """Every minute: process reported webhooks, and ask the panels that are due."""
    sync.visit_panels()
    credits.report_credits()


@shared_task(name="rankme.tasks.send_webhooks")
def send_webhooks() -> None:
    """Every few seconds: note what happened to campaigns, and tell those who want to know.

    Once for all the messages that have waited, as above.
    """
    if Heartbeat.was_noted("webhooks", within=JUST_NOW):
        return
    events.record_all()
    delivering.deliver_due()
    Heartbeat.note("webhooks")


@shared_task(name="rankme.tasks.delete_campaigns")
def delete_campaigns() -> None:
    """Every minute: go on with deletions of campaigns whose time has come."""
    deleting.delete_due()


@shared_task(name="rankme.tasks.pause_campaigns")
def pause_campaigns() -> None:
    """Every minute: pause campaigns that have reached a limit of their organisers."""
    pausing.pause_due()


@shared_task(name="rankme.tasks.look_at_panel_events")
def look_at_panel_events(account_id: int) -> None:
    """After a webhook: fetch what it points to."""
    sync.look_at_events(account_id)


@shared_task(name="rankme.tasks.visit_study")
def visit_study(study_id: int) -> None:
    """After an organiser's decision: pay what is drafted, without waiting for the next minute."""
    sync.visit(PanelStudy.objects.select_related("account", "campaign").get(pk=study_id))


@shared_task(name="rankme.tasks.follow_campaign")
def follow_campaign(study_id: int) -> None:
    """After a campaign was paused, resumed or closed: have its study do the same."""
    following.follow_at_once(study_id)


@shared_task(name="rankme.tasks.read_panel_keys")
def read_panel_keys(study_id: int) -> None:
    """After a link with an unknown key: read the panel's keys, which pages never do."""
    entry.read_panel_keys()


@shared_task(name="rankme.tasks.report_credit")
def report_credit(participant_id: int) -> None:
    """Report a finished rater to a panel that gives credit."""
    credits.report_credits(participant_id)


# Acknowledged before it runs: a check that ended its worker would end the next one too.
@shared_task(name="rankme.tasks.check_record", acks_late=False)
def check_record() -> None:
    """Nightly: compare the record with its hashes, payloads and exports."""
    nightly.check_backup()
    nightly.check_record()
    Heartbeat.note("verify")


@shared_task(name="rankme.tasks.remind_teams")
def remind_teams() -> None:
    """Every ten minutes: remind teams of shared tasks that close soon."""
    reminders.remind_due()


@shared_task(name="rankme.tasks.remind_raters")
def remind_raters(campaign_id: int | None = None) -> None:
    """After an organiser's press, and every ten minutes: send the reminders that wait."""
    send_reminders(campaign_id)


@shared_task(name="rankme.tasks.sweep_leftovers")
def sweep_leftovers() -> None:
    """Every hour: erase identities whose time has come, files that killed processes have left, and
    sessions that have ended.
    """
    erasing.erase_due()
    materials.sweep_uploads()
    uploads.sweep_files()
    run_columns.sweep_columns()
    operators.forget_processes()
    call_command("clearsessions")
    forget_ended_sessions()
