"""The record stays true, whatever raters, clocks and organisers do in any order."""

import pytest
from django.db import transaction
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments, exclusions, judgements, participation
from rankme.actions.sitting.assignments import NoBatch
from rankme.errors import KeyReused, RefusedAction, RefusedTransition
from rankme.models import Assignment, Participant
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.invariants import Acknowledged, acknowledged, check_record, rows_written
from tests.sittings import payload_for, run_out, store

RATERS = ["ann", "bob", "cem"]
raters = st.sampled_from(RATERS)
places = st.integers(0, 1)
values = st.integers(0, 100)


class Lifecycle(RuleBasedStateMachine):
    """Three raters over two batches of two screens, each wanted once, and an impatient clock."""

    def __init__(self) -> None:
        super().__init__()
        self.transaction = transaction.atomic()
        self.transaction.__enter__()
        definition = slider_definition(
            design={"kind": "complete", "options": {"trials_per_batch": 2}},
            crowd={"batches_per_rater": 2},
        )
        self.campaign = make_campaign(definition, items=2, systems=2)
        self.pages: dict[str, list[Assignment]] = {name: [] for name in RATERS}
        self.sent: list[tuple[str, dict]] = []
        self.told: list[Acknowledged] = []
        self.checked: tuple[int, int] | None = None  # the rows written and the answers told by then

    def teardown(self) -> None:
        transaction.set_rollback(True)
        self.transaction.__exit__(None, None, None)

    @initialize()
    def raters_arrive(self) -> None:
        for name in RATERS:
            make_rater(self.campaign, name)

    @rule(name=raters, session=st.sampled_from(["s1", "s2"]))
    def come_in_again_from_the_panel(self, name: str, session: str) -> None:
        again = participation.enter(
            self.campaign, panel="generic", external_id=name, session_id=session
        )
        assert again == self.rater(name)

    def rater(self, name: str) -> Participant:
        return self.campaign.participants.get(external_id=name)

    def send(self, name: str, payload: dict) -> judgements.Receipt:
        receipt = store(self.rater(name), payload)
        self.sent.append((name, payload))
        self.told.append(acknowledged(payload))
        return receipt

    @rule(name=raters)
    def claim(self, name: str) -> None:
        if self.rater(name).state == "returned":
            return
        found = assignments.claim_batch(self.rater(name))
        if isinstance(found, NoBatch):
            return
        # What was held, or what was begun and lost, to be finished in parallel with its new holder.
        assert found.state == "held" or found.submissions.exists()
        if found not in self.pages[name]:
            self.pages[name].append(found)

    @rule(name=raters, trial=places, value=values)
    def submit_in_the_newest_page(self, name: str, trial: int, value: int) -> None:
        if self.pages[name]:
            self.send(name, payload_for(self.pages[name][-1], trial, value=value))

    @rule(name=raters, trial=places, value=values)
    def submit_late_from_an_old_page(self, name: str, trial: int, value: int) -> None:
        if self.pages[name]:
            self.send(name, payload_for(self.pages[name][0], trial, value=value))

    @precondition(lambda self: self.sent)
    @rule(data=st.data(), value=values)
    def edit(self, data: st.DataObject, value: int) -> None:
        name, first = data.draw(st.sampled_from(self.sent))
        held = Assignment.objects.get(pk=first["assignment"])
        self.send(name, payload_for(held, first["trial"], value=value, replaces=first["key"]))

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_again(self, data: st.DataObject) -> None:
        name, payload = data.draw(st.sampled_from(self.sent))
        assert not self.send(name, payload).is_new

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def send_other_answers_under_an_old_key(self, data: st.DataObject) -> None:
        name, payload = data.draw(st.sampled_from(self.sent))
        with pytest.raises(KeyReused):
            store(self.rater(name), payload | {"comment": "other"})

    @rule(name=raters)
    def lease_runs_out(self, name: str) -> None:
        for held in self.rater(name).assignments.live():
            run_out(held)

    @rule()
    def reconcile(self) -> None:
        assignments.expire_overdue()

    @rule(name=raters)
    def finish(self, name: str) -> None:
        """Raters who have stopped, or lost a batch and begun another, finish no old one."""
        rater = self.rater(name)
        before = dict(rater.assignments.values_list("pk", "state"))
        try:
            participation.finish_work(rater)
        except RefusedAction:
            left = rater.assignments.exclude(state="completed")
            assert not all(map(assignments.is_answered, left))
            return
        for page in rater.assignments.all():
            assert page.state != "held"
            if page.state != before[page.pk]:
                assert page.state == "completed" and assignments.is_answered(page)

    @rule(name=raters)
    def give_back(self, name: str) -> None:
        for held in self.rater(name).assignments.live():
            assignments.return_batch(held)

    @rule(name=raters)
    def stop(self, name: str) -> None:
        stopped = participation.give_back(self.rater(name))
        assert stopped.state in ("returned", "completed")
        assert not stopped.assignments.live().exists()

    @rule(name=raters)
    def go_on_after_all(self, name: str) -> None:
        participation.go_on_after_all(self.rater(name))

    @rule(name=raters)
    def exclude(self, name: str) -> None:
        exclusions.exclude_rater(self.rater(name), reason="Odd.", by=self.campaign.owner)

    @rule(name=raters)
    def readmit(self, name: str) -> None:
        exclusions.readmit_rater(self.rater(name), by=self.campaign.owner)

    @rule(name=raters)
    def organiser_frees(self, name: str) -> None:
        for held in self.rater(name).assignments.live():
            assignments.free_lease(held, by=self.campaign.owner)

    @rule(name=raters)
    def ask_for_the_code(self, name: str) -> None:
        rater = self.rater(name)
        may = (
            rater.assignments.filter(state="completed").exists()
            and not rater.assignments.live().exists()
        )
        try:
            assert participation.complete_participation(rater).completion_code
            assert may or rater.completion_code
        except RefusedAction:
            assert not may

    @rule(verb=st.sampled_from(["pause", "resume"]))
    def pause_or_resume(self, verb: str) -> None:
        try:
            getattr(campaigns, f"{verb}_campaign")(self.campaign, by=self.campaign.owner)
        except RefusedTransition:
            self.campaign.refresh_from_db()

    @precondition(lambda self: len(self.sent) > 8)
    @rule()
    def close(self) -> None:
        try:
            campaigns.close_campaign(self.campaign, by=self.campaign.owner)
        except RefusedTransition:
            self.campaign.refresh_from_db()

    @invariant()
    def the_record_is_true(self) -> None:
        """Checked where a step wrote something; many change nothing, and so break nothing."""
        now = rows_written(), len(self.told)
        if now != self.checked:
            check_record(self.told)
            self.finished_sittings_keep_their_answers()
            self.checked = now

    def finished_sittings_keep_their_answers(self) -> None:
        """What counts of a finished sitting came before its end."""
        for finished in Assignment.objects.filter(state="completed"):
            late = finished.submissions.filter(surplus=False, received_at__gt=finished.ended_at)
            assert not late.exists()


@pytest.mark.slow
@pytest.mark.django_db
def test_the_record_survives_every_order_of_events():
    run_state_machine_as_test(
        Lifecycle,
        settings=settings(
            max_examples=10,
            stateful_step_count=25,
            phases=[Phase.explicit, Phase.generate],  # the first fault will do, however large
            deadline=None,
            suppress_health_check=list(HealthCheck),
            database=None,
        ),
    )


def late_work() -> Lifecycle:
    """What the machine does when it finds late work: a lease runs out, and the answer comes."""
    machine = Lifecycle()
    machine.raters_arrive()
    machine.claim("ann")
    machine.lease_runs_out("ann")
    machine.reconcile()
    machine.submit_late_from_an_old_page("ann", 0, 50)
    return machine


@pytest.mark.django_db
def test_refusing_late_work_would_lose_acknowledged_answers(monkeypatch):
    """The negative control: with a rule that drops late work the machine's check finds the loss."""
    kept = late_work()
    kept.the_record_is_true()
    kept.teardown()
    record = judgements.store_submission

    def refuse_late(participant, sent):
        held = Assignment.objects.get(pk=sent.assignment)
        if held.state == "expired":
            return None, judgements.Receipt(sent.key, 1, late=True, surplus=True, is_new=True)
        return record(participant, sent)

    monkeypatch.setattr(judgements, "store_submission", refuse_late)
    lost = late_work()
    with pytest.raises(AssertionError):
        lost.the_record_is_true()
    lost.teardown()


def given_back_twice() -> Lifecycle:
    """Two raters give a batch back, of which the first one has answered more."""
    machine = Lifecycle()
    machine.raters_arrive()
    machine.claim("ann")
    machine.submit_in_the_newest_page("ann", 0, 50)
    for name in ("ann", "bob"):
        machine.claim(name)
        machine.give_back(name)
    return machine


@pytest.mark.django_db
def test_counting_the_newest_sitting_would_break_the_count(monkeypatch):
    """The negative control of the one rule about what is counted."""

    def newest_counts(slot):
        newest = slot.assignments.order_by("-id").first()
        slot.assignments.counting().update(counts=False)
        Assignment.objects.filter(pk=newest.pk).update(counts=True)

    right = given_back_twice()
    right.the_record_is_true()
    right.teardown()
    monkeypatch.setattr(assignments, "settle_slot", newest_counts)
    wrong = given_back_twice()
    with pytest.raises(AssertionError):
        wrong.the_record_is_true()
    wrong.teardown()
