"""Look at a campaign while it runs, as its launch planned it."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.errors import AnalysisError, Undefined
from analysis.plain import plain
from analysis.report.make import sequential_sections
from analysis.report.options import ReportOptions
from rankme.actions import jobs
from rankme.actions.audit import note
from rankme.errors import RefusedAction
from rankme.exporting.bundle import SITE_OPTIONS
from rankme.models import Campaign, Look, LookRequest
from rankme.models.looks import LOOKED
from rankme.queries.judgement_table import judgement_table
from rankme.queries.watching.looks import why_no_look

from .run_options import checked_options, default_options


def request_look(campaign: Campaign, *, by: User) -> LookRequest:
    """Ask for a look.

    Raises
    ------
    RefusedAction : the plan has none now, or one is being computed
    """
    require_raters(campaign)
    if reason := why_no_look(campaign):
        raise RefusedAction(reason)
    try:
        with transaction.atomic():
            row = LookRequest.objects.create(campaign=campaign, requested_by=by)
            note(campaign, by, gettext_noop("look requested"))
            jobs.enqueue(row)
    except IntegrityError as error:
        raise RefusedAction(_("A look is already being computed.")) from error
    return row


def require_raters(campaign: Campaign) -> None:
    """Refuse drafts and archives, which nobody rates."""
    if campaign.is_draft or campaign.is_archive:
        raise RefusedAction(_("Only a campaign with raters can be looked at."))


def execute(request_id: int, worker: str) -> bool:
    """Take a look; False when another worker has it."""
    return jobs.perform(LookRequest, request_id, _look, worker=worker, understood=(AnalysisError,))


def _look(request: LookRequest) -> None:
    """Compute a look and store it; without a claim nothing was seen, and nothing is stored."""
    campaign = request.campaign
    # Once more: others may have looked, or opened batches again, since it was asked for.
    if reason := why_no_look(campaign):
        raise RefusedAction(reason)
    whole = checked_options(campaign, default_options(campaign))
    options = ReportOptions.from_dict(
        {name: value for name, value in whole.items() if name not in SITE_OPTIONS}
    )
    jobs.heartbeat(request, step="Reading the judgements")
    table = judgement_table(campaign)
    jobs.heartbeat(request, step="Comparing the systems")
    sections = sequential_sections(table, options)
    main = sections.get(options.primary) or next(iter(sections.values()), None)
    if main is None:
        raise Undefined("There is no criterion whose systems could be compared.")
    if main.reason:
        raise Undefined(main.reason)
    row = Look(
        campaign=campaign,
        number=campaign.looks.count() + 1,
        raters=len(options.look_plan.order),
        data_sha256=table.sha256,
        result={name: plain(section) for name, section in sections.items()},
        proposes_to_stop=main.reached or main.futile,
        taken_by=request.requested_by,
    )
    with transaction.atomic():
        jobs.confirm(request)
        event = note(campaign, request.requested_by, LOOKED, number=row.number, sha256=row.sha256)
        event.refresh_from_db(fields=["happened_at"])
        row.taken_at = event.happened_at
        row.save(force_insert=True)
        jobs.finish(request)
