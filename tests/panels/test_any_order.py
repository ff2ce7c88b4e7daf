"""Both sides' books agree in the end, whatever raters, webhooks, faults and crashes do."""

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from django.db import transaction
from django.db.models import Count, Q
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rankme.actions.campaign import campaigns
from rankme.actions.panel import money, paying, studies, sync
from rankme.actions.sitting import assignments, participation
from rankme.actions.sitting.assignments import NoBatch
from rankme.errors import RankmeError
from rankme.models import Assignment, PanelPayment, Participant, Slot
from rankme.panel_calls import calls
from rankme.practice_panel.books import Submission
from rankme.practice_panel.faults import AFTER, BEFORE
from rankme.practice_panel.panel import PracticePanel
from rankme.practice_panel.state import Noted
from rankme.practice_panel.wire import Refusal
from rankme.queries.panel_books import books_of
from tests.panels.in_process import transport
from tests.panels.loop import REWARD, Loop
from tests.sittings import answer_all, finish

# As few as still find the fault of the last test; each run of the tests draws others.
EXAMPLES = 10
NAMES = ["ann", "bob", "cem", "dee", "eva"]
CEILING = 2_000
names = st.sampled_from(NAMES)
GONE = ("RETURNED", "TIMED-OUT")
CRASHES = ["before", "after"]
BONUS = ["/pay/", "bonus-payments/$"]
MONEY = ["transition", "bulk-approve", *BONUS]
LOST = ["server_error", *AFTER, *CRASHES]


SETTLE = paying.settle


class Killed(BaseException):
    """The process ends in the middle of a call."""


class Crashing(httpx.BaseTransport):
    """A way to the panel on which the site's process can end, before or after the effect."""

    def __init__(self, panel: PracticePanel) -> None:
        self.inner = transport(panel)
        self.crash: tuple[str, str] | None = None

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        crash = self.crash
        if crash is None or crash[1] not in request.url.path or request.method == "GET":
            return self.inner.handle_request(request)
        self.crash = None
        if crash[0] == "after":
            self.inner.handle_request(request)
        raise Killed


class TwoBooks(RuleBasedStateMachine):
    """Five people, three places at first, four batches, and everything that can go wrong."""

    patch: pytest.MonkeyPatch

    def __init__(self) -> None:
        super().__init__()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        self.panel = PracticePanel()
        self.way = Crashing(self.panel)
        self.patch.setattr(calls, "SECONDS_BEFORE_REPEATING", 0)
        self.patch.setattr(
            calls,
            "new_client",
            lambda base, headers: httpx.Client(
                base_url=base, headers=dict(headers), transport=self.way
            ),
        )
        self.loop = Loop(self.panel, places=3, ceiling=CEILING, tops_up=True).publish()
        self.codes: dict[str, str] = {}
        self.events = 0
        self.read_until = 0
        self.asked: Counter[tuple[str, str]] = Counter()
        self.decided: Counter[tuple[str, str]] = Counter()

    def teardown(self) -> None:
        try:
            self.settle()
            self.check_the_end()
        finally:
            transaction.set_rollback(True)
            self.transaction.__exit__(None, None, None)

    # People -------------------------------------------------------------------------------

    @property
    def there(self) -> dict[str, Submission]:
        return {one.participant: one for one in self.panel.books.submissions.values()}

    @rule(name=names)
    def arrive(self, name: str) -> None:
        try:
            self.loop.arrive(name)
        except Refusal:
            return

    @rule(name=names)
    def open_the_link(self, name: str) -> None:
        if name in self.there:
            rater = self.loop.enter(self.there[name])
            if rater.state == Participant.State.WORKING:
                assignments.claim_batch(rater)

    @rule(name=names)
    def do_all_the_work(self, name: str) -> None:
        rater = self.rater(name)
        if rater is None or rater.state not in ("working", "returned"):
            return
        held = assignments.current_batch(rater)
        if held is None:
            found = rater.state == "working" and assignments.claim_batch(rater)
            if not found or isinstance(found, NoBatch):
                return
            held = found
        answer_all(held)
        finish(Assignment.objects.get(pk=held.pk))
        self.codes[name] = participation.complete_participation(rater).completion_code

    @rule(name=names, code=st.sampled_from(["right", "WRONG", ""]))
    def enter_a_code(self, name: str, code: str) -> None:
        one = self.there.get(name)
        if one is not None and one.status == "ACTIVE":
            self.panel.books.submit(one, self.codes.get(name, "") if code == "right" else code)

    @rule(name=names, status=st.sampled_from(GONE))
    def leave(self, name: str, status: str) -> None:
        one = self.there.get(name)
        if one is None:
            return
        try:
            self.panel.books.leave(one, status)
        except Refusal:
            return

    @rule(name=names, code=st.sampled_from(["right", "WRONG"]))
    def do_everything_at_once(self, name: str, code: str) -> None:
        self.arrive(name)
        if name in self.there and self.there[name].status == "ACTIVE":
            self.open_the_link(name)
            self.do_all_the_work(name)
            self.enter_a_code(name, code)

    @rule(name=names, status=st.sampled_from(GONE))
    def leave_while_the_reward_waits(self, name: str, status: str) -> None:
        """The panel is busy when the reward is due, and then the rater is gone."""
        self.do_everything_at_once(name, "right")
        self.loop.fault("too_many", "transition")
        self.poll()
        self.leave(name, status)
        self.poll()

    @rule(name=names, what=st.sampled_from(MONEY), how=st.sampled_from(LOST))
    def lose_the_answer_about_money(self, name: str, what: str, how: str) -> None:
        """The site learns nothing of what it asked for, or ends before it could."""
        if what in BONUS:
            self.do_everything_at_once(name, "right")
            self.poll()
            self.pay_a_bonus(name, 50, "")
        elif what == "bulk-approve":
            for each in (name, NAMES[NAMES.index(name) - 1]):
                self.do_everything_at_once(each, "right")
        else:
            self.do_everything_at_once(name, "right")
        if how in CRASHES:
            self.way.crash = (how, what)
        else:
            self.loop.fault(how, what, "POST")
        self.poll()
        self.poll()

    @rule(later=st.booleans())
    def approve_lists_later(self, later: bool) -> None:
        """The panel accepts a list of approvals, and carries it out when it has time."""
        self.panel.books.approves_later = later
        if not later:
            self.panel.books.carry_out()

    def rater(self, name: str) -> Participant | None:
        return self.loop.campaign.participants.filter(external_id=name).first()

    # The site -----------------------------------------------------------------------------

    @rule()
    def poll(self) -> None:
        self.alive(lambda: sync.visit(self.loop.again()))

    @rule(name=names, number=st.integers(1, 3))
    def webhook(self, name: str, number: int) -> None:
        """New, doubled or from long ago: all of them only say where to look."""
        if name not in self.there:
            return
        self.events += 1
        event = f"e{max(0, self.events - number)}"
        kind = "submission.status.change"
        sync.receive_event(self.loop.account, event, kind, self.there[name].id)
        self.alive(sync.look_at_events)

    @rule(name=names)
    def approve_by_hand(self, name: str) -> None:
        self.decide(name, "approval", lambda row: money.approve_by_hand(row, by=self.loop.owner))

    @rule(name=names, amount=st.integers(1, 200), fault=st.sampled_from(["", *BEFORE, *AFTER]))
    def pay_a_bonus(self, name: str, amount: int, fault: str) -> None:
        self.poll()
        if fault:
            self.loop.fault(fault, "/pay/")
        by = self.loop.owner
        self.decide(name, "bonus", lambda row: money.pay_bonus(row, amount, reason="", by=by))

    @rule(more=st.integers(1, 3))
    def add_places(self, more: int) -> None:
        self.alive(lambda: studies.add_places(self.loop.again(), more, by=self.loop.owner))

    @rule()
    def pause_or_resume_the_campaign(self) -> None:
        campaign = self.loop.campaign
        campaign.refresh_from_db()
        turn = campaigns.pause_campaign if campaign.is_running else campaigns.resume_campaign
        turn(campaign, by=self.loop.owner)

    @rule()
    @precondition(lambda self: PanelPayment.objects.filter(state="lost").exists())
    def look_at_the_panels_own_pages(self) -> None:
        """A person decides about a lost answer, by what the panel shows."""
        lost = PanelPayment.objects.filter(state="lost").first()
        was_paid = self.was_paid(lost)
        money.decide_lost(lost, was_paid=was_paid, by=self.loop.owner)
        self.decided[lost.kind, lost.submission.external_id] += not was_paid

    @rule(
        kind=st.sampled_from([*BEFORE, *AFTER]),
        path=st.sampled_from([*MONEY, "submissions", "studies"]),
    )
    def order_a_fault(self, kind: str, path: str) -> None:
        self.loop.fault(kind, path)

    @rule(
        when=st.sampled_from(CRASHES),
        path=st.sampled_from(["transition", "bulk", "/pay/", "bonus-payments/", "studies"]),
    )
    def crash_at_the_next_call(self, when: str, path: str) -> None:
        self.way.crash = (when, path)

    def alive(self, work: Any) -> None:
        """Let the site work until it is done, refuses, or its process ends."""
        try:
            work()
        except (RankmeError, Killed):
            return

    def decide(self, name: str, kind: str, work: Any) -> None:
        row = self.loop.study.submissions.filter(person=name).first()
        if row is None:
            return
        try:
            work(row)
        except RankmeError:
            return
        self.decided[kind, row.external_id] += 1

    def was_paid(self, payment: PanelPayment) -> bool:
        one = self.panel.books.submissions[payment.submission.external_id]
        return bool(one.bonuses) if payment.kind == "bonus" else one.status == "APPROVED"

    # What holds ---------------------------------------------------------------------------

    @invariant()
    def nobody_is_paid_twice(self) -> None:
        for one in self.panel.books.submissions.values():
            assert one.reward_paid in (0, REWARD)
            assert one.history.count("APPROVED") <= 1
            assert len(one.bonuses) <= 1

    @invariant()
    def no_bonus_is_asked_for_again_without_a_person(self) -> None:
        """Unless the panel said that it did nothing. A second approval it ignores."""
        journal = self.panel.journal
        for line in journal[self.read_until :]:
            if line.lost or line.status not in (400, 401, 404, 429):
                self.asked.update(self.bonuses_in(line))
        self.read_until = len(journal)
        for (_call, submission), asks in self.asked.items():
            assert asks <= self.decided["bonus", submission]

    def bonuses_in(self, line: Noted) -> Iterator[tuple[str, str]]:
        """The submissions for which a call lists bonuses, or has them paid."""
        sent = json.loads(line.body or "{}")
        if "csv_bonuses" in sent:
            yield "list", sent["csv_bonuses"].partition(",")[0]
        if line.path.endswith("/pay/"):
            listed = self.panel.books.bonuses[line.path.split("/")[-3]]
            yield "pay", listed.amounts[0][0].id

    @invariant()
    def nobody_is_approved_whose_state_forbids_it(self) -> None:
        asked = [line for line in self.panel.journal if '"APPROVE"' in line.body]
        assert {line.status for line in asked} <= {200, 401, 429, 500}

    @invariant()
    def nothing_exceeds_the_ceiling(self) -> None:
        study = self.loop.again()
        assert study.committed <= study.ceiling == CEILING
        assert self.panel.books.spent <= CEILING

    @invariant()
    def what_is_called_paid_is_paid(self) -> None:
        for payment in PanelPayment.objects.filter(state="paid").select_related("submission"):
            assert self.was_paid(payment)

    @invariant()
    def a_slot_is_free_held_or_done(self) -> None:
        held = Count("assignments", filter=Q(assignments__state="held"))
        slots = Slot.objects.filter(campaign=self.loop.campaign).annotate(holders=held)
        for state, holders in slots.values_list("state", "holders"):
            assert holders == (state == "held")

    def settle(self) -> None:
        """No more faults: the site sees everything."""
        self.panel.faults.ordered.clear()
        self.way.crash = None
        self.approve_lists_later(False)
        self.loop.campaign.refresh_from_db()
        for _ in range(3):
            assert sync.visit(self.loop.again()) == "" or self.is_out_of_money()

    def is_out_of_money(self) -> bool:
        return "ceiling" in self.loop.again().problem

    def check_the_end(self) -> None:
        self.nobody_is_paid_twice()
        self.what_is_called_paid_is_paid()
        rows = {one.external_id: one for one in self.loop.study.submissions.all()}
        assert {pk: row.state for pk, row in rows.items()} == {
            pk: one.status for pk, one in self.panel.books.submissions.items()
        }
        self.check_places(rows)
        self.check_that_everybody_is_seen()

    def check_places(self, rows: dict[str, Any]) -> None:
        """A place that somebody left is free for others, and nobody else lost theirs."""
        left = [row.participant_id for row in rows.values() if row.state in GONE]
        held = Assignment.objects.filter(campaign=self.loop.campaign)
        assert not held.filter(state="held", participant__in=left).exists()
        assert not held.filter(state="returned").exclude(participant__in=left).exists()
        given_up = held.filter(state="returned").values_list("participant", flat=True)
        assert len(set(given_up)) == len(given_up), "each place was released once"

    def check_that_everybody_is_seen(self) -> None:
        books = books_of(self.loop.again())
        asks = [*books.waiting, *books.asked_to_return, *books.working]
        shown = {entry.rater.pk for entry in asks if entry.rater}
        for rater in self.loop.campaign.participants.filter(state="completed"):
            one = self.there[rater.external_id]
            assert one.reward_paid == REWARD or rater.pk in shown


def run(**more: Any) -> None:
    run_state_machine_as_test(
        TwoBooks,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=25,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
            **more,
        ),
    )


@pytest.mark.slow
@pytest.mark.django_db
def test_the_books_agree_in_any_order(monkeypatch):
    TwoBooks.patch = monkeypatch
    run(phases=[Phase.explicit, Phase.generate, Phase.shrink])


def what_is_lost_is_asked_for_again(payment, state, problem: str = "") -> None:
    SETTLE(payment, paying.State.DRAFTED if state == paying.State.LOST else state, problem)


@pytest.mark.slow
@pytest.mark.django_db
def test_a_site_that_asks_again_is_found_out(monkeypatch):
    """The test above sees the fault that it is there for."""
    TwoBooks.patch = monkeypatch
    monkeypatch.setattr(paying, "settle", what_is_lost_is_asked_for_again)
    with pytest.raises(AssertionError):
        run(phases=[Phase.generate], derandomize=True, report_multiple_bugs=False)
