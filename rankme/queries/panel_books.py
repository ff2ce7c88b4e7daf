"""Compare both sides' books: people finished here, people finished at the panel, payments."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone
from django.utils.translation import gettext as _

from rankme.models import Campaign, PanelPayment, PanelStudy, PanelSubmission, Participant
from rankme.panel_links import PANELS
from rankme.panel_links.outcomes import OUTCOME_TITLES, Outcome
from rankme.panel_links.prolific import PROLIFIC

There = PanelSubmission.State
FINISHED_THERE = (
    There.AWAITING_REVIEW,
    There.APPROVED,
    There.PARTIALLY_APPROVED,
    There.REJECTED,
    There.SCREENED_OUT,
)
# Prolific pays bonuses in the minutes after it has accepted them.
BONUSES_APPEAR_WITHIN = timedelta(hours=2)
AT_WORK = (There.ACTIVE, There.RESERVED)
# A rater who has just finished here needs a moment to reach the panel.
ARRIVES_WITHIN = timedelta(minutes=5)
# The panel approves what nobody has decided about.
APPROVES_AFTER = timedelta(days=21)


@dataclass(frozen=True)
class Entry:
    """One person in both books. Either side can be missing."""

    rater: Participant | None
    submission: PanelSubmission | None
    payments: tuple[PanelPayment, ...] = ()

    @property
    def has_right_code(self) -> bool:
        """Whether the code that was entered is the code that was given."""
        if self.rater is None or self.submission is None:
            return False
        return bool(self.submission.entered_code) and (
            self.submission.entered_code == self.rater.completion_code
        )

    @property
    def here(self) -> str:
        """The rater's state on this site, in words."""
        if self.rater is None:
            return "–"
        if self.rater.outcome:
            return self.rater.get_outcome_display()
        is_idle = self.rater.state == Participant.State.WORKING
        if is_idle and not self.rater.assignments.exists():
            return str(_(OUTCOME_TITLES[Outcome.QUOTA_FULL]))
        return self.rater.get_state_display()

    @property
    def is_asked_to_return(self) -> bool:
        """Whether the panel waits for the rater, who has been asked to return the submission."""
        return (
            self.submission is not None
            and self.submission.state == There.AWAITING_REVIEW
            and self.submission.return_requested_at is not None
        )

    @property
    def approved_by_the_panel_at(self) -> datetime | None:
        """The time at which the panel approves the submission without a decision."""
        if self.submission is None or self.submission.state != There.AWAITING_REVIEW:
            return None
        done = self.submission.completed_at
        return done and done + APPROVES_AFTER

    @property
    def minutes(self) -> float | None:
        seconds = self.submission.seconds if self.submission else None
        return None if seconds is None else seconds / 60

    @property
    def waits_for_a_person(self) -> bool:
        """Whether a decision is missing, or a payment did not end as it should."""
        return self.can_be_approved or any(
            payment.state in ("lost", "refused") for payment in self.payments
        )

    @property
    def base(self) -> PanelPayment | None:
        """The payment of the reward, or of a part of it."""
        found = [payment for payment in self.payments if payment.kind in PanelPayment.BASE]
        return found[-1] if found else None

    @property
    def bonus(self) -> PanelPayment | None:
        return next((payment for payment in self.payments if payment.kind == "bonus"), None)

    @property
    def can_be_approved(self) -> bool:
        is_waiting = self.submission is not None and self.submission.state == There.AWAITING_REVIEW
        return is_waiting and (self.base is None or self.base.state == "refused")

    @property
    def can_have_bonus(self) -> bool:
        return self.submission is not None and (self.bonus is None or self.bonus.state == "refused")

    @property
    def can_be_asked_to_return(self) -> bool:
        return self.submission is not None and self.submission.state in (
            *AT_WORK,
            There.AWAITING_REVIEW,
        )


@dataclass(frozen=True)
class Books:
    """The people of a study, each in exactly one of the lists."""

    both: list[Entry] = field(default_factory=list)
    only_here: list[Entry] = field(default_factory=list)
    only_there: list[Entry] = field(default_factory=list)
    asked_to_return: list[Entry] = field(default_factory=list)
    working: list[Entry] = field(default_factory=list)
    gone: list[Entry] = field(default_factory=list)

    @property
    def at_work(self) -> int:
        return len(self.working)

    @property
    def left(self) -> int:
        return len(self.gone)

    @property
    def waiting(self) -> list[Entry]:
        """People who wait for a decision."""
        unsettled = [entry for entry in self.both if entry.waits_for_a_person]
        return [*self.only_here, *self.only_there, *unsettled]

    @property
    def open_questions(self) -> int:
        return len(self.waiting)

    @property
    def everybody(self) -> list[Entry]:
        finished = [*self.both, *self.only_here, *self.only_there]
        return [*finished, *self.asked_to_return, *self.working, *self.gone]


def books_of(study: PanelStudy) -> Books:
    """Compare the two sides, person by person."""
    books = Books()
    payments = _payments_of(study)
    seen: set[int] = set()
    rows = study.submissions.select_related("participant").order_by("id")
    for submission in rows.prefetch_related("participant__assignments"):
        entry = Entry(submission.participant, submission, payments.get(submission.pk, ()))
        if submission.participant is not None:
            seen.add(submission.participant.pk)
        _list_of(books, entry, study).append(entry)
    books.both.sort(key=lambda entry: not entry.waits_for_a_person)
    for rater in _finished_here(study).exclude(pk__in=seen):
        entry = Entry(rater, None)
        _list_of(books, entry, study).append(entry)
    return books


def _list_of(books: Books, entry: Entry, study: PanelStudy) -> list[Entry]:
    """Choose the list to which a person belongs."""
    rater, submission = entry.rater, entry.submission
    here = rater is not None and rater.state == Participant.State.COMPLETED
    there = submission is not None and submission.state in FINISHED_THERE
    if entry.is_asked_to_return and not any(
        payment.state in ("lost", "refused") for payment in entry.payments
    ):
        return books.asked_to_return
    if here and not there:
        is_on_the_way = submission is None or submission.state in AT_WORK
        return (
            books.working if is_on_the_way and _has_just_finished(entry, study) else books.only_here
        )
    if there:
        is_settled = submission is not None and submission.state != There.AWAITING_REVIEW
        return books.both if here or is_settled else books.only_there
    is_at_work = submission is not None and submission.state in AT_WORK
    return books.working if is_at_work else books.gone


def _has_just_finished(entry: Entry, study: PanelStudy) -> bool:
    """Whether the panel has not been asked since the rater could have reached it."""
    done = entry.rater.completed_at if entry.rater else None
    if done is None or study.is_over:
        return False
    return study.synced_at is None or done > study.synced_at - ARRIVES_WITHIN


def _finished_here(study: PanelStudy) -> QuerySet[Participant]:
    """Raters of this campaign from this panel who have finished."""
    of_other_studies = PanelSubmission.objects.filter(study__campaign=study.campaign_id).exclude(
        study=study
    )
    return study.campaign.participants.filter(
        panel=PROLIFIC.name, state=Participant.State.COMPLETED
    ).exclude(pk__in=of_other_studies.exclude(participant=None).values("participant"))


def _payments_of(study: PanelStudy) -> dict[int, tuple[PanelPayment, ...]]:
    found: dict[int, tuple[PanelPayment, ...]] = {}
    for payment in study.payments.order_by("id"):
        found[payment.submission_id] = (*found.get(payment.submission_id, ()), payment)
    return found


@dataclass(frozen=True)
class Money:
    """The payments and promises of a study, in minor units."""

    paid: int
    waiting: int
    lost: int
    # Bonuses that the panel accepted some time ago and does not show.
    unseen: int


def money_of(study: PanelStudy) -> Money:
    sums = dict(study.payments.order_by().values_list("state").annotate(total=Sum("amount")))
    return Money(
        paid=sums.get("paid", 0),
        waiting=sums.get("drafted", 0) + sums.get("asked", 0),
        lost=sums.get("lost", 0),
        unseen=_unseen_bonuses(study),
    )


def _unseen_bonuses(study: PanelStudy) -> int:
    accepted = study.payments.filter(
        kind=PanelPayment.Kind.BONUS,
        state=PanelPayment.State.PAID,
        settled_at__lt=timezone.now() - BONUSES_APPEAR_WITHIN,
        submission__bonuses_there__lt=F("amount"),
    )
    return accepted.aggregate(total=Sum("amount"))["total"] or 0


def states_of(study: PanelStudy) -> dict[str, int]:
    """Count the submissions in each state, in the order of the states' list."""
    rows = study.submissions.order_by().values_list("state").annotate(number=Count("id"))
    numbers = dict(rows)
    return {str(state): numbers[state] for state in There.values if state in numbers}


def newest_study(campaign: Campaign) -> PanelStudy | None:
    """The study at work if there is one, or the last."""
    return campaign.panel_studies.select_related("account", "campaign").first()


def has_panel(campaign: Campaign) -> bool:
    """Whether the site can run a study for this campaign at its panel."""
    panel = PANELS.get(str((campaign.definition.get("crowd") or {}).get("panel", "")))
    return panel is not None and panel.has_api and not campaign.is_archive
