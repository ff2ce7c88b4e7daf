"""Both sides' books: who has finished here, who has finished at the panel, and what was paid."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from django.db.models import Count, F, QuerySet, Sum
from django.utils import timezone

from rankme.crowd import PANELS
from rankme.crowd.prolific import PROLIFIC
from rankme.models import Campaign, PanelPayment, PanelStudy, PanelSubmission, Participant

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
    def waits_for_a_person(self) -> bool:
        """Nobody has decided yet, or a payment did not go as it should."""
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
    """Everybody who has finished on at least one side, each in exactly one of the lists."""

    both: list[Entry] = field(default_factory=list)
    only_here: list[Entry] = field(default_factory=list)
    only_there: list[Entry] = field(default_factory=list)
    at_work: int = 0
    left: int = 0

    @property
    def open_questions(self) -> int:
        """People about whom somebody has to decide."""
        unsettled = sum(entry.waits_for_a_person for entry in self.both)
        return len(self.only_here) + len(self.only_there) + unsettled


def books_of(study: PanelStudy) -> Books:
    """Compare the two sides, person by person."""
    books = Books()
    payments = _payments_of(study)
    seen: set[int] = set()
    at_work = left = 0
    for submission in study.submissions.select_related("participant").order_by("id"):
        rater = submission.participant
        entry = Entry(rater, submission, payments.get(submission.pk, ()))
        here = rater is not None and rater.state == Participant.State.COMPLETED
        there = submission.state in FINISHED_THERE
        if rater is not None:
            seen.add(rater.pk)
        if here and there:
            books.both.append(entry)
        elif here:
            books.only_here.append(entry)
        elif there and not _is_settled_there(submission):
            books.only_there.append(entry)
        elif there:
            books.both.append(entry)
        elif submission.state in AT_WORK:
            at_work += 1
        else:
            left += 1
    books.both.sort(key=lambda entry: not entry.waits_for_a_person)
    strangers = _finished_here(study).exclude(pk__in=seen)
    books.only_here.extend(Entry(rater, None) for rater in strangers)
    return Books(books.both, books.only_here, books.only_there, at_work, left)


def _is_settled_there(submission: PanelSubmission) -> bool:
    """Whether the panel needs no decision any more, whatever was done here."""
    return submission.state != There.AWAITING_REVIEW


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
    """What a study has paid and promised, in minor units."""

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
    """How many submissions are in each state, in the order of the states' list."""
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
