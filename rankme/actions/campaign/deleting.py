"""Delete a launched campaign with everything about it, after a time in which its owner can cancel.

A worker deletes some rows at a time, each step in a transaction of its own: where it stops, the
next one goes on. Rows of the record are deleted by a function of the database alone, which knows
the campaign and asks whether its deletion has begun (`0023_campaign_deletions`).
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, models, transaction
from django.db.models import Q, QuerySet
from django.db.models.fields.reverse_related import ForeignObjectRel
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from rankme.actions import jobs
from rankme.actions.audit import count_judgements, note
from rankme.actions.rows.stored_files import delete_files, delete_folders
from rankme.actions.runs.run_columns import drop_columns
from rankme.actions.sitting.erasing import why_not_yet
from rankme.errors import RefusedAction
from rankme.exporting import bundle
from rankme.models import (
    AnalysisRun,
    Assignment,
    Campaign,
    CampaignDeletion,
    CampaignVersion,
    MaterialImport,
    MediaFile,
    PanelEvent,
    PanelStudy,
    PanelSubmission,
    Participant,
    Record,
    Report,
    Track,
)
from rankme.models.jobs import Job

log = logging.getLogger(__name__)
ROWS_AT_ONCE = 2_000
SECONDS_AT_ONCE = 30.0
CAMPAIGNS_AT_ONCE = 20


# --- Asking, and changing one's mind ----------------------------------------------------------


@transaction.atomic
def ask_to_delete(campaign: Campaign, *, title: str, by: User | None) -> CampaignDeletion:
    """Begin the time after which the campaign is deleted; without an account, by an operator.

    Raises
    ------
    RefusedAction : the title is another, it is still open, part of a shared task, or unpaid
    """
    campaign = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if title.strip() != campaign.title.strip():
        raise RefusedAction(_("This is not the title of the campaign."))
    if reason := why_not_deleted(campaign):
        raise RefusedAction(reason)
    if waiting_deletion(campaign) is not None:
        raise RefusedAction(_("The campaign is already to be deleted."))
    deletion = CampaignDeletion.objects.create(campaign=campaign, code=campaign.code)
    deletion.refresh_from_db()
    due = deletion.due_at.isoformat(timespec="minutes")
    note(campaign, by, gettext_noop("deletion asked for"), due=due)
    note(None, by, gettext_noop("deletion asked for"), campaign_code=campaign.code, due=due)
    return deletion


@transaction.atomic
def keep_campaign(campaign: Campaign, *, by: User | None) -> None:
    """Cancel a deletion that has not begun.

    Raises
    ------
    RefusedAction : there is none
    """
    Campaign.objects.select_for_update().get(pk=campaign.pk)
    waiting = CampaignDeletion.objects.filter(campaign=campaign, cancelled_at=None, begun_at=None)
    if not waiting.update(cancelled_at=Now()):
        raise RefusedAction(_("The campaign is not to be deleted."))
    note(campaign, by, gettext_noop("deletion cancelled"))
    note(None, by, gettext_noop("deletion cancelled"), campaign_code=campaign.code)


def waiting_deletion(campaign: Campaign) -> CampaignDeletion | None:
    """The deletion that will come unless somebody cancels it."""
    return campaign.deletions.filter(cancelled_at=None, finished_at=None).first()


def why_not_deleted(campaign: Campaign) -> str:
    """Say what must be done before; empty if nothing."""
    if campaign.is_draft:
        return _("This is a draft: delete it as a draft.")
    if not campaign.is_over:
        return _("Close the campaign first.")
    if Track.objects.filter(campaign=campaign).exists():
        return _("The campaign is part of a shared task.")
    submissions = PanelSubmission.objects.filter(study__campaign=campaign)
    return why_not_yet(campaign.participants.all(), submissions)


# --- Deleting, by a worker --------------------------------------------------------------------


def delete_due() -> int:
    """Go on with all deletions that are due (periodic), for half a minute; return their number."""
    due = CampaignDeletion.objects.filter(
        due_at__lte=Now(), cancelled_at=None, finished_at=None
    ).order_by("due_at")
    ended = time.monotonic() + SECONDS_AT_ONCE
    finished = 0
    for deletion in due[:CAMPAIGNS_AT_ONCE]:
        while time.monotonic() < ended and go_on(deletion.pk):
            pass
        deletion.refresh_from_db()
        finished += deletion.finished_at is not None
    return finished


def go_on(pk: int) -> bool:
    """Take one step of a deletion; False when it waits, is over, or another worker has it."""
    with transaction.atomic():
        found = CampaignDeletion.objects.select_for_update(skip_locked=True).filter(
            pk=pk, cancelled_at=None, finished_at=None
        )
        if (deletion := found.first()) is None:
            return False
        campaign = Campaign.objects.get(pk=deletion.campaign_id)
        if deletion.begun_at is None:
            return _begin(campaign, deletion)
        for model in leading_to_a_campaign():
            if _delete_some(model, campaign):
                return True
        _finish(campaign, deletion)
        return False


def _begin(campaign: Campaign, deletion: CampaignDeletion) -> bool:
    """From here on it is final; False as long as something has to end before."""
    if reason := why_not_deleted(campaign):
        log.warning("campaign %s is not deleted yet: %s", campaign.code, reason)
        return False
    for model, path in leading_to_a_campaign().items():
        if issubclass(model, Job):
            states = [Job.State.QUEUED, Job.State.WORKING]
            of_it = model._default_manager.filter(Q((path, campaign)))
            under_way = of_it.filter(state__in=states)
            # The next visit begins, when their workers have noticed.
            if [jobs.cancel(row) for row in under_way]:
                return False
    reports = Report.objects.filter(run__campaign=campaign)
    note(
        None,
        None,
        gettext_noop("deletion begun"),
        campaign_code=campaign.code,
        raters=campaign.participants.count(),
        judgements=count_judgements(campaign),
        # Their readers have copies, which nobody can recall.
        published_reports=sorted(reports.values_list("code", flat=True)),
    )
    CampaignDeletion.objects.filter(pk=deletion.pk).update(begun_at=Now())
    return True


def _finish(campaign: Campaign, deletion: CampaignDeletion) -> None:
    code = campaign.code
    campaign.delete()
    CampaignDeletion.objects.filter(pk=deletion.pk).update(finished_at=Now())
    note(None, None, gettext_noop("campaign deleted"), campaign_code=code)


@cache
def leading_to_a_campaign() -> dict[type[models.Model], str]:
    """The models whose rows belong to one campaign, with the path to it: those that refer to
    others come first.

    From the models themselves, so that no table is forgotten.
    """
    paths: dict[type[models.Model], str] = {Campaign: ""}
    before: dict[type[models.Model], set[type[models.Model]]] = {}
    waiting = deque([Campaign])
    while waiting:
        model = waiting.popleft()
        before[model] = set()
        for field in _foreign_keys_to(model):
            before[model].add(field.model)
            # An empty key leads to no campaign; but events of the site have none.
            if field.model not in paths and (not field.null or model is Campaign):
                paths[field.model] = f"{field.name}__{paths[model]}".removesuffix("__")
                waiting.append(field.model)
    # The database's own foreign keys, of two columns.
    before[CampaignVersion] |= {Participant, Assignment}
    ordered = TopologicalSorter(before).static_order()
    return {model: paths[model] for model in ordered if model in paths and model is not Campaign}


def _foreign_keys_to(model: type[models.Model]) -> list[Any]:
    # A deletion outlives its campaign, and campaigns of shared tasks are not deleted.
    kept = (CampaignDeletion, Track)
    found = model._meta.get_fields(include_hidden=True)
    relations = [each for each in found if isinstance(each, ForeignObjectRel)]
    fields = [each.field for each in relations if not each.many_to_many]
    return [field for field in fields if field.model not in kept]


def _delete_some(model: type[models.Model], campaign: Campaign) -> int:
    """Delete some rows of a model, and the files that they name; return their number."""
    if issubclass(model, Record):
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT rankme_delete_of_campaign(%s, %s, %s)",
                [campaign.pk, model._meta.db_table, ROWS_AT_ONCE],
            )
            return int(cursor.fetchone()[0])
    path = leading_to_a_campaign()[model]
    rows = list(model._base_manager.filter(Q((path, campaign)))[:ROWS_AT_ONCE])
    if not rows:
        return 0
    for row in rows:
        # Before the row: a step that is repeated finds no file, and goes on.
        if forget := BEFORE_A_ROW.get(model):
            forget(row)
    chosen: QuerySet[Any] = model._base_manager.filter(pk__in=[row.pk for row in rows])
    chosen.delete()
    return len(rows)


def _forget_files_of_a_run(run: AnalysisRun) -> None:
    # Also those of earlier formats.
    delete_folders(bundle.FOLDER, f"{run.pk}-")
    drop_columns(run)


def _forget_events(study: str) -> None:
    """A panel's messages name a study or a submission, and refer to no row."""
    PanelEvent.objects.filter(resource=study).delete()


BEFORE_A_ROW: dict[type[models.Model], Callable[[Any], None]] = {
    MediaFile: lambda media: delete_files([media.stored]),
    MaterialImport: lambda row: delete_files(row.files.values()),
    AnalysisRun: _forget_files_of_a_run,
    PanelStudy: lambda study: _forget_events(study.external_id),
    PanelSubmission: lambda submission: _forget_events(submission.external_id),
}
