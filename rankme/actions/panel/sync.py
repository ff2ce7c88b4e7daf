"""Update studies and people from the panel, by webhooks and by asking."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import timedelta

from django.core.cache import cache
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.db.models.functions import Now
from django.utils import timezone

from rankme.actions import jobs
from rankme.actions.sitting.participation import give_back
from rankme.errors import RankmeError
from rankme.models import PanelAccount, PanelEvent, PanelPayment, PanelStudy, PanelSubmission
from rankme.models.record import ERASED
from rankme.panel_calls.calls import PanelRefused
from rankme.panel_calls.prolific import SubmissionThere
from rankme.panel_links.prolific import PROLIFIC

from . import accounts, entry, following, groups, money, paying, studies
from .accounts import panel_of

log = logging.getLogger(__name__)
ACTIVE_EVERY, OTHERS_EVERY = timedelta(minutes=2), timedelta(minutes=10)
OVER_FOR_GOOD = timedelta(days=30)
EVENTS_AT_ONCE = 200
BONUSES_ARE_COMPARED_FOR, BONUSES_EVERY, BONUSES_AT_ONCE = timedelta(days=3), timedelta(hours=1), 50
State = PanelStudy.State
There = PanelSubmission.State
UNDECIDED = (There.RESERVED, There.ACTIVE, There.AWAITING_REVIEW)


def receive_event(account: PanelAccount, event_id: str, event_type: str, resource: str) -> bool:
    """Note a webhook; False when it came before."""
    _event, is_new = PanelEvent.objects.get_or_create(
        account=account,
        event_id=event_id,
        defaults={"event_type": event_type[:60], "resource": resource[:64]},
    )
    return is_new


def call_a_worker(account: PanelAccount) -> None:
    """Have a worker look at the account's events soon; without one, beat does it."""
    jobs.send([("rankme.tasks.look_at_panel_events", account.pk)])


def let_a_worker_visit(study: PanelStudy) -> None:
    """Let a worker update the study and make its drafted payments."""
    jobs.send([("rankme.tasks.visit_study", study.pk)])


def refresh(study: PanelStudy) -> None:
    """Ask the panel at once, and let a worker do what the rules say."""
    try:
        sync_study(study)
    finally:
        # Which has more patience than a page, and goes on where that ended.
        let_a_worker_visit(study)


def look_at_events(account_id: int | None = None) -> None:
    """Fetch what webhooks pointed to. What they say themselves is not trusted."""
    waiting = PanelEvent.objects.filter(done_at=None, account__panel=PROLIFIC.name)
    waiting = waiting.select_related("account").order_by("id")
    if account_id is not None:
        waiting = waiting.filter(account=account_id)
    seen: set[tuple[int, str]] = set()
    for event in waiting[:EVENTS_AT_ONCE]:
        try:
            if (event.account_id, event.resource) not in seen:
                _look_at(event)
                seen.add((event.account_id, event.resource))
        except RankmeError as error:
            log.info("event %s waits: %s", event.pk, error)
            continue
        PanelEvent.objects.filter(pk=event.pk).update(done_at=Now())
    # A place that somebody left is open at once, and perhaps without a batch.
    touched = PanelStudy.objects.filter(account__in={account for account, _ in seen})
    for study in touched.filter(state__in=[State.ACTIVE, State.PAUSED]):
        following.follow_at_once(study.pk)


def _look_at(event: PanelEvent) -> None:
    panel = panel_of(event.account)
    if event.event_type.startswith("study."):
        for study in event.account.studies.filter(external_id=event.resource):
            studies.take_state(study, panel.study(study.external_id))
        return
    try:
        there = panel.submission(event.resource)
    except PanelRefused as refusal:
        if refusal.status == 404:
            return
        raise
    for study in event.account.studies.exclude(external_id="").filter(external_id=there.study):
        if not was_forgotten(study, there):
            take_submission(study, there)


def visit_panels() -> None:
    """Sync all panels, and apply the rules for payments (periodic)."""
    look_at_events()
    try:
        entry.read_keys_that_are_due()
    except RankmeError as error:
        log.info("the panel's keys: %s", error)
    now = timezone.now()
    is_active = Q(state=State.ACTIVE)
    recent = (
        Q(synced_at=None)
        | is_active & Q(synced_at__lt=now - ACTIVE_EVERY)
        | ~is_active & Q(synced_at__lt=now - OTHERS_EVERY)
    )
    submissions = PanelSubmission.objects.filter(study=OuterRef("pk"))
    payments = PanelPayment.objects.filter(study=OuterRef("pk"))
    undecided = Exists(submissions.filter(state__in=UNDECIDED)) | Exists(
        payments.filter(state__in=[PanelPayment.State.DRAFTED, PanelPayment.State.ASKED])
    )
    unfinished = ~Q(state=State.COMPLETED) | Q(created_at__gt=now - OVER_FOR_GOOD) | undecided
    # Not those of a rehearsal, whose panel only the rehearsal itself can reach.
    due = PanelStudy.objects.filter(recent, unfinished, account__panel=PROLIFIC.name)
    for study in due.select_related("account", "campaign"):
        visit(study)
    accounts.notice_lost_webhooks()


def visit(study: PanelStudy) -> str:
    """Bring one study up to date. A panel that is away is visited again later.

    What one step is refused holds up none of the others: a study that cannot be paused pays.
    """
    problems: list[str] = []
    steps = (
        following.follow_campaign,
        _pay,
        compare_bonuses,
        groups.feed_group,
        following.top_up,
    )
    try:
        sync_study(study)
    except RankmeError as error:
        problems.append(str(error))
    for step in steps if not problems else ():
        study.refresh_from_db()
        try:
            step(study)
        except RankmeError as error:
            problems.append(str(error))
    problem = " ".join(dict.fromkeys(problems))
    PanelStudy.objects.filter(pk=study.pk).update(problem=problem, synced_at=Now())
    return problem


def _pay(study: PanelStudy) -> None:
    money.draft_approvals(study)
    paying.pay_drafted(study)


def sync_study(study: PanelStudy) -> None:
    """Read the study and all its submissions."""
    if not study.external_id:
        study = studies.find_new(study)
        if not study.external_id:
            return
    there = panel_of(study.account).study(study.external_id)
    studies.take_state(study, there)
    if study.is_published:
        sync_submissions(study)


def sync_submissions(study: PanelStudy) -> None:
    for there in panel_of(study.account).submissions(study.external_id):
        if not was_forgotten(study, there):
            take_submission(study, there)


def was_forgotten(study: PanelStudy, there: SubmissionThere) -> bool:
    """Whether it was erased here who came, which the panel's list must not bring back.

    Nobody new comes to a study that is over, so whom it names and we do not know was erased.
    """
    if not study.is_over or study.submissions.filter(external_id=there.id).exists():
        return False
    erased = study.campaign.participants.filter(panel=PROLIFIC.name, erased_at__isnull=False)
    return study.campaign.identities_erased_at is not None or erased.exists()


@transaction.atomic
def take_submission(study: PanelStudy, there: SubmissionThere) -> PanelSubmission:
    """Store what the panel says about a submission, and what follows from it here.

    Several may report the same change, in any order: each reads the panel's present state, and the
    batch of somebody who left is released once.
    """
    PanelSubmission.objects.bulk_create(
        [PanelSubmission(study=study, external_id=there.id, person=there.person, state="RESERVED")],
        ignore_conflicts=True,
    )
    row = PanelSubmission.objects.select_for_update(of=("self",)).get(external_id=there.id)
    row.state = there.status
    # Each of the panel's shapes leaves something out: what is known stays.
    if there.code is not None:
        row.entered_code = there.code[:64]
    if there.bonuses is not None:
        row.bonuses_there = sum(there.bonuses)
    row.started_at = there.started_at or row.started_at
    row.completed_at = there.completed_at or row.completed_at
    row.seconds = row.seconds if there.seconds is None else there.seconds
    row.return_requested_at = there.return_requested_at or row.return_requested_at
    if row.participant_id is None:
        row.participant = study.campaign.participants.filter(
            panel=PROLIFIC.name, external_id=there.person
        ).first()
    if row.state in PanelSubmission.GONE and row.released_at is None and row.participant:
        give_back(row.participant)
        row.released_at = timezone.now()
    elif row.state not in PanelSubmission.GONE:
        row.released_at = None
    row.save()
    _settle_payments(row, there.bonuses or ())
    return row


def _settle_payments(row: PanelSubmission, bonuses: Sequence[int]) -> None:
    """Note what the panel shows as paid, also after a lost answer."""
    not_yet = [PanelPayment.State.DRAFTED, PanelPayment.State.ASKED, PanelPayment.State.LOST]
    asked = row.payments.filter(kind__in=PanelPayment.BASE, state__in=not_yet)
    shows = {
        PanelPayment.Kind.APPROVAL: PanelSubmission.State.APPROVED,
        PanelPayment.Kind.SHARE: PanelSubmission.State.PARTIALLY_APPROVED,
    }
    for payment in asked:
        if row.state == shows[PanelPayment.Kind(payment.kind)]:
            paying.settle(payment, PanelPayment.State.PAID)
    unclear = [PanelPayment.State.ASKED, PanelPayment.State.LOST]
    for bonus in row.payments.filter(kind=PanelPayment.Kind.BONUS, state__in=unclear):
        if bonus.amount in bonuses:
            paying.settle(bonus, PanelPayment.State.PAID)


def compare_bonuses(study: PanelStudy) -> None:
    """Ask for the submissions whose bonuses the panel has not shown yet.

    Lists do not name bonuses, so each is a call: a few at a time, and only for some days.
    """
    asked = study.payments.filter(
        kind=PanelPayment.Kind.BONUS,
        state__in=[PanelPayment.State.ASKED, PanelPayment.State.LOST, PanelPayment.State.PAID],
        asked_at__gt=timezone.now() - BONUSES_ARE_COMPARED_FOR,
    )
    unseen = asked.filter(
        Q(submission__bonuses_there=None) | Q(submission__bonuses_there__lt=F("amount"))
    )
    # The panel knows nothing by the names that are left after an erasure.
    unseen = unseen.exclude(submission__person=ERASED)
    if not unseen.exists():
        return
    # Accepted bonuses can wait, those without an answer cannot.
    if not cache.add(f"panel-bonuses-{study.pk}", True, BONUSES_EVERY.total_seconds()):
        unseen = unseen.exclude(state=PanelPayment.State.PAID)
    panel = panel_of(study.account)
    for bonus in unseen.select_related("submission").order_by("-asked_at")[:BONUSES_AT_ONCE]:
        take_submission(study, panel.submission(bonus.submission.external_id))
