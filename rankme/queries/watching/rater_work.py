"""What a rater has done and can do in the campaigns of her personal links."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q
from django.db.models.functions import TruncWeek

from rankme.models import Assignment, Campaign, Invitation, Participant, RaterExclusion, Slot
from rankme.protocols.definition import Definition
from rankme.queries.definitions import frozen_definition

ENDED = (Participant.State.COMPLETED, Participant.State.RETURNED, Participant.State.SCREENED_OUT)


@dataclass(frozen=True)
class Work:
    """One campaign, as its rater sees it. `until` is when a sitting that was begun is given on."""

    invitation: Invitation
    definition: Definition
    has_begun: bool
    is_over: bool
    done: int
    waiting: int
    screens: int
    until: datetime | None

    @property
    def campaign(self) -> Campaign:
        return self.invitation.campaign

    @property
    def pay(self) -> float:
        """What the campaign promises for the finished sittings."""
        return round(self.done * self.definition.crowd.pay_per_batch, 2)


@dataclass(frozen=True)
class Week:
    begins: datetime
    sittings: int


def work_of(invitations: Iterable[Invitation]) -> list[Work]:
    """Count the work behind these links, what waits first."""
    works = [_work(invitation) for invitation in invitations]
    return sorted(works, key=lambda work: (not work.waiting, work.is_over))


def _work(invitation: Invitation) -> Work:
    campaign = invitation.campaign
    definition = frozen_definition(campaign).definition
    rater = _rater(invitation)
    done = held = screens = 0
    until = None
    if rater is not None:
        sittings = rater.assignments
        completed = Q(state=Assignment.State.COMPLETED)
        done = sittings.filter(completed).count()
        screens = (
            sittings.filter(submissions__surplus=False)
            .values("submissions__trial", "submissions__screen")
            .distinct()
            .count()
        )
        live = sittings.live().first()
        if live is not None:
            held, until = 1, live.leased_until
    is_over = campaign.is_over or (rater is not None and rater.state in ENDED)
    return Work(
        invitation=invitation,
        definition=definition,
        has_begun=rater is not None and rater.consented_at is not None,
        is_over=is_over,
        done=done,
        waiting=0 if is_over else _waiting(campaign, definition, done, held),
        screens=screens,
        until=until if not is_over else None,
    )


def _rater(invitation: Invitation) -> Participant | None:
    raters = Participant.objects.filter(campaign=invitation.campaign, panel="invitation")
    return raters.filter(external_id=str(invitation.pk)).first()


def _waiting(campaign: Campaign, definition: Definition, done: int, held: int) -> int:
    """Sittings that she may still do: at most what her campaign gives one rater, and has free."""
    if not campaign.is_running:
        return 0
    free = campaign.slots.filter(state=Slot.State.FREE).count() + held
    return max(0, min(definition.crowd.batches_per_rater - done, free))


@dataclass(frozen=True)
class Waiting:
    """How many sittings wait for somebody, and the language in which they rate."""

    number: int
    language: str


def waiting_by_link(campaign: Campaign, links: Iterable[Invitation]) -> dict[int, Waiting]:
    """Say what waits for the people of these links, by the link's number.

    Those for whom nothing waits are left out: who is done, has left, or was excluded.
    """
    if not campaign.is_running:
        return {}
    definition = frozen_definition(campaign).definition
    free = campaign.slots.filter(state=Slot.State.FREE).count()
    numbers = [link.pk for link in links]
    out = RaterExclusion.objects.filter(participant=OuterRef("pk"), withdrawn_at=None)
    raters = campaign.participants.filter(
        panel="invitation", external_id__in=[str(number) for number in numbers]
    ).annotate(
        done=Count("assignments", filter=Q(assignments__state=Assignment.State.COMPLETED)),
        held=Count("assignments", filter=Q(assignments__state=Assignment.State.HELD)),
        is_out=Exists(out),
    )
    by_link = {int(rater.external_id): rater for rater in raters}
    found = {}
    for number in numbers:
        rater, most, language = by_link.get(number), definition.crowd.batches_per_rater, ""
        left = min(most, free)
        if rater is not None:
            is_over = rater.is_out or rater.state in ENDED
            left = 0 if is_over else min(most - rater.done, free + rater.held)
            language = rater.language
        if left > 0:
            found[number] = Waiting(left, language or definition.language)
    return found


def weeks_of(invitations: Iterable[Invitation]) -> list[Week]:
    """Count finished sittings by week, the newest first."""
    links = {invitation.pk: invitation.campaign_id for invitation in invitations}
    raters = Participant.objects.filter(
        panel="invitation",
        external_id__in=[str(number) for number in links],
        campaign__in=set(links.values()),
    )
    weeks = (
        Assignment.objects.filter(participant__in=raters, state=Assignment.State.COMPLETED)
        .values_list(TruncWeek("ended_at"))
        .annotate(sittings=Count("pk"))
        .order_by(TruncWeek("ended_at").desc())
    )
    return [Week(begins, sittings) for begins, sittings in weeks]
