"""Extensions that are too large for a request: a worker draws them, then stores them."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, connection, transaction
from django.utils.translation import gettext as _

from rankme.actions import jobs
from rankme.actions.rows.versions import checked_reason
from rankme.designs.growth import MIXED_PERCENT
from rankme.errors import ChangedMeanwhile, RefusedAction
from rankme.models import Campaign, PlanExtension

from .changes import refuse_unless_changeable
from .extensions import draw_extension, extend_campaign

Phase, State = PlanExtension.Phase, PlanExtension.State
STATEMENT_TIMEOUT = "10min"  # longer than a page's statement may take


def request_drawing(
    campaign: Campaign, raters_per_trial: int, *, by: User, mixed_percent: int = MIXED_PERCENT
) -> PlanExtension:
    """Let a worker draw what an extension would add."""
    return _queue(campaign, raters_per_trial, mixed_percent, by=by, phase=Phase.DRAW)


def request_extension(
    campaign: Campaign,
    raters_per_trial: int,
    *,
    reason: str,
    by: User,
    base: int,
    mixed_percent: int = MIXED_PERCENT,
) -> PlanExtension:
    """Let a worker draw and store an extension, without a look at it in between."""
    if base != campaign.version:
        raise ChangedMeanwhile(_("Somebody has changed the campaign in the meantime."))
    reason = checked_reason(reason)
    return _queue(
        campaign, raters_per_trial, mixed_percent, by=by, phase=Phase.STORE, reason=reason
    )


def _queue(
    campaign: Campaign,
    raters_per_trial: int,
    mixed_percent: int,
    *,
    by: User,
    phase: str,
    reason: str = "",
) -> PlanExtension:
    refuse_unless_changeable(campaign)
    try:
        with transaction.atomic():
            row = PlanExtension.objects.create(
                campaign=campaign,
                phase=phase,
                raters_per_trial=raters_per_trial,
                mixed_percent=mixed_percent,
                base=campaign.version,
                items=campaign.items.count(),
                systems=campaign.systems.count(),
                reason=reason,
                requested_by=by,
            )
    except IntegrityError as error:
        raise RefusedAction(_("Another extension of this plan is still running.")) from error
    jobs.enqueue(row)
    return row


def request_storing(row: PlanExtension, *, reason: str, by: User) -> None:
    """Let a worker store the extension that was drawn and reviewed.

    Raises
    ------
    ChangedMeanwhile : the campaign or its material is not that for which it was drawn
    """
    reason = checked_reason(reason)
    if row.phase != Phase.DRAW or row.state != State.DONE:
        raise RefusedAction(_("Only an extension that is drawn can be stored."))
    if not is_current(row):
        raise ChangedMeanwhile(_("Somebody has changed the campaign in the meantime."))
    jobs.enqueue_again(row, phase=Phase.STORE, reason=reason, requested_by=by)


def newest_extension(campaign: Campaign) -> PlanExtension | None:
    """The newest request, if the campaign is still what it was made for."""
    newest = campaign.extensions.select_related("campaign", "requested_by").first()
    return newest if newest is not None and is_current(newest) else None


def stored_as(campaign: Campaign) -> int | None:
    """The number of the newest version, if a worker has made it by an extension."""
    newest = campaign.extensions.filter(phase=Phase.STORE, state=State.DONE).first()
    is_newest = newest is not None and newest.base + 1 == campaign.version
    return campaign.version if is_newest else None


def is_current(row: PlanExtension) -> bool:
    campaign = row.campaign
    found = (campaign.version, campaign.items.count(), campaign.systems.count())
    return found == (row.base, row.items, row.systems)


def execute(row_id: int, worker: str) -> bool:
    """Do what a request waits for; False when another worker has it."""
    return jobs.perform(PlanExtension, row_id, _work, worker=worker)


def _work(row: PlanExtension) -> None:
    jobs.heartbeat(row, step=_("Computing the plan"))
    if row.phase == Phase.STORE:
        _store(row)
        return
    drawn = draw_extension(row.campaign, row.raters_per_trial, row.mixed_percent).as_document()
    jobs.finish(row, drawn=drawn)


def _store(row: PlanExtension) -> None:
    if row.requested_by is None:
        raise RefusedAction(_("The account that asked for this extension is gone."))

    def progress(share: float) -> None:
        jobs.heartbeat_while_copying(row, progress=share, step=_("Storing the plan"))

    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = '{STATEMENT_TIMEOUT}'")
        version = extend_campaign(
            row.campaign,
            raters_per_trial=row.raters_per_trial,
            mixed_percent=row.mixed_percent,
            reason=row.reason,
            by=row.requested_by,
            base=row.base,
            items=row.items,
            systems=row.systems,
            progress=progress,
        )
        jobs.finish(row, drawn=version.extension)
