"""The closed loop with a panel: a study's life, what comes back, and what is paid."""

import json
from functools import partial

import pytest
from django.core.cache import cache
from django.db import connections

from rankme.actions.campaign import campaigns
from rankme.actions.panel import accounts, deciding, money, paying, studies, sync
from rankme.actions.sitting import assignments, exclusions, participation
from rankme.actions.sitting.assignments import NoBatch
from rankme.errors import RefusedAction
from rankme.models import (
    PanelAccount,
    PanelPayment,
    PanelStudy,
    PanelSubmission,
    RuleDecision,
    Slot,
)
from rankme.panel_calls.calls import PanelError, PanelRefused
from rankme.panel_links.outcomes import Outcome
from rankme.practice_panel.books import Submission
from rankme.practice_panel.faults import Fault
from rankme.queries.definitions import frozen_definition
from rankme.queries.panel_places import places_missing
from rankme.worker import tasks
from tests.campaigns import make_owner
from tests.panels.in_process import connect
from tests.panels.loop import PLACES, REWARD, Loop, paid_campaign, plan_of
from tests.sittings import answer, claim

pytestmark = pytest.mark.django_db


def payments(loop: Loop) -> list[tuple[str, str]]:
    return list(PanelPayment.objects.values_list("kind", "state"))


# Accounts ----------------------------------------------------------------------------------


def test_a_token_is_checked_encrypted_and_in_no_record(practice, caplog):
    account = accounts.add_account(owner=make_owner(), name="Lab", token=practice.token)
    assert practice.token not in account.token_sealed
    assert (account.workspace, account.currency) == (practice.books.workspace, "GBP")
    with pytest.raises(PanelRefused, match="Invalid token"):
        accounts.add_account(owner=make_owner(), name="Other", token="stolen")
    assert PanelAccount.objects.count() == 1
    assert practice.token not in caplog.text


def test_only_its_owner_lends_an_account(practice):
    loop = Loop(practice)
    studies.delete_study(loop.study, by=loop.owner)
    with pytest.raises(RefusedAction, match="owner"):
        studies.draft_study(loop.campaign, loop.account, plan_of(), by=make_owner("mia"))


def test_webhooks_that_the_panel_gave_up_are_noticed_and_connected_by_a_person(loop):
    accounts.connect_webhooks(loop.account)
    cache.clear()
    sync.visit_panels()
    assert PanelAccount.objects.get().hooked_at
    loop.panel.hooks.subscriptions[0].is_enabled = False
    sync.visit_panels()
    assert PanelAccount.objects.get().hooked_at, "it looks once a day"
    cache.clear()
    loop.fault("too_many", "subscriptions", times=4)
    sync.visit_panels()
    assert PanelAccount.objects.get().hooked_at, "a busy panel says nothing about it"
    sync.visit_panels()
    assert PanelAccount.objects.get().hooked_at is None
    posts = [line for line in loop.panel.journal if line.path.endswith("hooks/subscriptions/")]
    assert sum(line.method == "POST" for line in posts) == 2, "only a person connects again"
    accounts.connect_webhooks(loop.account)
    assert PanelAccount.objects.get().hooked_at
    assert sum(one.is_enabled for one in loop.panel.hooks.subscriptions) == 2


# Life of a study ---------------------------------------------------------------------------


def test_a_study_tells_the_panel_what_each_code_means(practice):
    loop = Loop(practice, pays_shares=True)
    sent = loop.there.document
    actions = {one["code"]: one["actions"][0]["action"] for one in sent["completion_codes"]}
    share = loop.study.codes["share"]
    assert actions == {
        "DONE": "MANUALLY_REVIEW",
        "PART": "MANUALLY_REVIEW",
        "NOCONSENT": "REQUEST_RETURN",
        share: "DYNAMIC_PAYMENT",
    }
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}" in sent["external_study_url"]
    assert sent["is_external_study_url_secure"] is False, "only some workspaces have it"
    assert sent["project"] == practice.books.project


@pytest.mark.parametrize(
    ("quiz", "its_code", "actions"),
    [
        ({"failed_quiz": "QUIZ"}, "QUIZ", ["MANUALLY_REVIEW", "MANUALLY_REVIEW", "REQUEST_RETURN"]),
        ({}, "CHECKS", ["MANUALLY_REVIEW", "MANUALLY_REVIEW"]),
    ],
)
def test_failed_quizzes_are_asked_to_return_or_have_the_code_of_failed_checks(
    practice, quiz, its_code, actions
):
    codes = {"completed": "DONE", "failed_checks": "CHECKS"} | quiz
    campaign = paid_campaign(crowd={"panel": "prolific", "completion_codes": codes})
    crowd = frozen_definition(campaign).definition.crowd
    assert crowd.code_for(Outcome.FAILED_QUIZ, arrived_by="prolific") == its_code
    sent = Loop(practice, campaign=campaign).there.document["completion_codes"]
    assert [each["code_type"] for each in sent][:2] == ["COMPLETED", "FAILED_ATTENTION_CHECK"]
    assert [each["actions"][0]["action"] for each in sent] == actions


def test_a_study_whose_creation_was_not_answered_is_found(practice, monkeypatch):
    accounts_add = accounts.add_account

    def add_and_break(**arguments):
        account = accounts_add(**arguments)
        practice.faults.ordered.append(Fault("cut", "studies", "POST"))
        return account

    monkeypatch.setattr(accounts, "add_account", add_and_break)
    loop = Loop(practice)
    assert loop.study.state == "UNPUBLISHED"
    assert list(practice.books.studies) == [loop.study.external_id]


def test_the_cost_is_known_before_it_is_spent(practice):
    loop = Loop(practice)
    cost = studies.cost_of(loop.study)
    assert cost.total == studies.cost_of(loop.study).total == 1088
    assert (cost.per_hour, cost.least_per_hour) == (1200, 600)
    assert cost.is_fair and cost.is_affordable
    practice.books.wallet = 1087
    with pytest.raises(RefusedAction, match=r"wallet has 10\.87 GBP"):
        loop.publish()
    assert loop.there.status == "UNPUBLISHED"
    assert loop.again().places_cost == 0


def test_a_study_that_exceeds_its_ceiling_is_not_published(practice):
    loop = Loop(practice, ceiling=1000)
    with pytest.raises(RefusedAction, match=r"10\.88 GBP.*ceiling of 10\.00 GBP"):
        loop.publish()
    assert loop.there.status == "UNPUBLISHED"


def test_publishing_and_places_survive_a_lost_answer(practice):
    loop = Loop(practice)
    loop.fault("cut", "transition", "POST")
    assert loop.publish().study.state == "ACTIVE"
    loop.fault("cut", "studies", "PATCH")
    study = studies.add_places(loop.study, 2, by=loop.owner)
    assert (study.places, loop.there.places) == (PLACES + 2, PLACES + 2)
    assert study.places_cost == 1632


def test_a_study_published_by_a_lost_answer_keeps_its_money_while_the_panel_is_busy(practice):
    loop = Loop(practice)
    loop.fault("cut", "transition", "POST")
    loop.fault("too_many", "studies", "GET", times=9)
    with pytest.raises(PanelError):
        loop.publish()
    assert loop.there.status == "ACTIVE"
    assert loop.again().committed == 1088
    practice.faults.ordered.clear()
    assert sync.visit(loop.again()) == ""
    assert (loop.again().state, loop.study.committed) == ("ACTIVE", 1088)


def test_a_study_that_the_panel_did_not_publish_is_not_called_published(practice):
    loop = Loop(practice)
    loop.fault("server_error", "transition", "POST")
    with pytest.raises(RefusedAction, match="Try again"):
        loop.publish()
    assert (loop.again().state, loop.there.status) == ("UNPUBLISHED", "UNPUBLISHED")
    assert loop.publish().study.state == "ACTIVE"


def test_a_published_study_without_reserved_money_is_counted_at_the_next_visit(loop):
    PanelStudy.objects.update(state="UNPUBLISHED", places_cost=0)
    sync.visit(loop.again())
    assert (loop.again().state, loop.study.committed) == ("ACTIVE", 1088)


def test_places_added_at_the_panel_are_counted_even_beyond_the_ceiling(loop):
    one = loop.finish("a")
    loop.panel.books.change_places(loop.there, PLACES + 10)
    assert sync.visit(loop.again()) == ""
    study = loop.again()
    assert (study.places, study.committed, study.ceiling, study.excess) == (14, 3808, 3000, 808)
    assert one.status == "APPROVED", "rewards are part of the places"
    with pytest.raises(RefusedAction, match="ceiling"):
        money.pay_bonus(loop.row(one), 1, reason="", by=loop.owner)
    with pytest.raises(RefusedAction, match="ceiling"):
        studies.add_places(study, 1, by=loop.owner)
    studies.change_ceiling(study, 4000, by=loop.owner)
    assert loop.again().excess == 0
    money.pay_bonus(loop.row(one), 1, reason="", by=loop.owner)


def test_a_finished_study_that_is_active_again_with_another_one_is_told(loop):
    studies.stop_study(loop.study, by=loop.owner)
    studies.draft_study(loop.campaign, loop.account, plan_of(), by=loop.owner)
    loop.panel.books.change_places(loop.there, PLACES + 1)
    loop.there.status = "ACTIVE"
    sync.visit_panels()
    assert "has another one" in loop.again().problem


def test_a_study_that_ended_long_ago_is_visited_while_somebody_waits(loop):
    one = loop.finish("a")
    studies.stop_study(loop.study, by=loop.owner)
    PanelStudy.objects.update(created_at="2001-01-01T00:00:00Z", approval="manual")
    sync.visit(loop.again())
    loop.panel.books.approve(one)
    PanelStudy.objects.update(synced_at="2001-01-01T00:00:00Z")
    sync.visit_panels()
    assert loop.row(one).state == "APPROVED"
    loop.panel.journal.clear()
    PanelStudy.objects.update(synced_at="2001-01-01T00:00:00Z")
    sync.visit_panels()
    assert not [line for line in loop.panel.journal if "studies" in line.path]


@pytest.mark.parametrize(("kind", "places"), [("cut", 6), ("server_error", PLACES)])
def test_places_whose_answer_was_lost_are_counted_as_the_panel_shows_them(loop, kind, places):
    loop.fault(kind, "studies", "PATCH")
    loop.fault("too_many", f"studies/{loop.study.external_id}/$", "GET", times=9)
    with pytest.raises(PanelError):
        studies.add_places(loop.study, 2, by=loop.owner)
    assert loop.again().committed == 1632, "they may have been added"
    loop.panel.faults.ordered.clear()
    sync.visit(loop.again())
    assert (loop.again().places, loop.study.committed) == (places, places * 272)


def test_places_stay_below_the_ceiling_and_a_refusal_releases_their_cost(loop):
    with pytest.raises(RefusedAction, match="ceiling"):
        studies.add_places(loop.study, 100, by=loop.owner)
    loop.panel.books.wallet = 1100
    with pytest.raises(PanelRefused, match="wallet"):
        studies.add_places(loop.study, 1, by=loop.owner)
    assert loop.again().places_cost == 1088
    with pytest.raises(RefusedAction, match="owner of the account"):
        studies.change_ceiling(loop.study, 9999, by=make_owner("mia"))


def test_the_study_follows_its_campaign(loop):
    campaigns.pause_campaign(loop.campaign, by=loop.owner)
    sync.visit(loop.again())
    assert loop.there.status == loop.again().state == "PAUSED"
    campaigns.resume_campaign(loop.campaign, by=loop.owner)
    sync.visit(PanelStudy.objects.get())
    assert loop.there.status == "ACTIVE"
    studies.pause_study(loop.again(), by=loop.owner)
    sync.visit(PanelStudy.objects.get())
    assert loop.there.status == "PAUSED", "a pause of the study alone stays"
    campaigns.close_campaign(loop.campaign, by=loop.owner)
    sync.visit(PanelStudy.objects.get())
    assert loop.there.status == "COMPLETED"


def test_a_campaign_has_its_study_follow_at_once(
    loop, monkeypatch, django_capture_on_commit_callbacks
):
    sent: list[tuple[str, int]] = []
    monkeypatch.setattr("rankme.actions.jobs.send", lambda messages: sent.extend(messages))
    for turn, status in (
        (campaigns.pause_campaign, "PAUSED"),
        (campaigns.resume_campaign, "ACTIVE"),
        (campaigns.close_campaign, "COMPLETED"),
    ):
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            turn(loop.campaign, by=loop.owner)
        assert sent == [("rankme.tasks.follow_campaign", loop.study.pk)]
        tasks.follow_campaign(loop.study.pk)
        assert loop.there.status == status


def test_a_study_of_a_campaign_that_does_not_run_stays_as_it_is(loop):
    studies.pause_study(loop.study, by=loop.owner)
    campaigns.pause_campaign(loop.campaign, by=loop.owner)
    for turn in (campaigns.close_campaign, None):
        for change in (studies.resume_study, partial(studies.add_places, more=1)):
            with pytest.raises(RefusedAction, match="not running"):
                change(loop.again(), by=loop.owner)
        if turn:
            turn(loop.campaign, by=loop.owner)
    assert (loop.there.status, loop.there.places) == ("PAUSED", PLACES)


def test_a_study_sends_nobody_while_no_batch_is_free(loop):
    """Four places, four batches: one who is done leaves the place to a fifth, who finds nothing."""
    one, *_others = [loop.finish(name) for name in "abcd"]
    loop.panel.books.leave(one, "RETURNED")
    assert sync.visit(loop.again()) == ""
    assert (loop.there.status, loop.again().pauses) == ("PAUSED", True)
    with pytest.raises(RefusedAction, match="No batch is free"):
        studies.resume_study(loop.study, by=loop.owner)
    exclusions.exclude_rater(loop.row(one).participant, reason="Test.", by=loop.owner)
    sync.visit(loop.again())
    assert (loop.there.status, loop.again().pauses) == ("ACTIVE", False)


def test_a_webhook_about_an_open_place_without_a_batch_pauses_the_study(loop):
    one, *_others = [loop.finish(name) for name in "abcd"]
    sync.sync_study(loop.study)
    loop.panel.books.leave(one, "RETURNED")
    for number, (kind, what) in enumerate(
        [("study.status.change", loop.study.external_id), ("submission.status.change", one.id)]
    ):
        sync.receive_event(loop.account, f"e{number}", kind, what)
    sync.look_at_events()
    assert loop.there.status == "PAUSED"


def test_a_person_can_keep_a_study_paused_that_the_site_paused(loop):
    campaigns.pause_campaign(loop.campaign, by=loop.owner)
    sync.visit(loop.again())
    studies.pause_study(loop.again(), by=loop.owner)
    campaigns.resume_campaign(loop.campaign, by=loop.owner)
    sync.visit(loop.again())
    assert loop.there.status == "PAUSED"


def test_a_study_that_cannot_be_paused_still_pays(loop):
    one = loop.finish("a")
    campaigns.pause_campaign(loop.campaign, by=loop.owner)
    loop.fault("server_error", f"studies/{loop.study.external_id}/transition", "POST")
    assert "shows the study as it was" in sync.visit(loop.again())
    assert one.status == "APPROVED"


# What comes back ---------------------------------------------------------------------------


def test_a_place_that_is_returned_or_timed_out_is_free_at_once_and_once(loop):
    one, two = loop.arrive("a"), loop.arrive("b")
    held = {each.id: claim(loop.enter(each)) for each in (one, two)}
    answer(held[one.id])
    loop.panel.books.leave(one, "RETURNED")
    loop.panel.books.leave(two, "TIMED-OUT")
    sync.sync_study(loop.study)
    free = Slot.objects.filter(campaign=loop.campaign, state="free")
    assert set(free) >= {held[one.id].slot, held[two.id].slot}
    assert {each.state for each in loop.campaign.participants.all()} == {"returned"}
    other = claim(loop.enter(loop.arrive("c")))
    sync.sync_study(loop.study)
    other.refresh_from_db()
    assert other.state == "held", "the same news again takes nothing from the next rater"
    late = answer(held[one.id], 1)
    assert late.late, "what still arrives is kept and flagged"


def test_a_rater_who_lost_the_place_gets_no_other_work(loop):
    one = loop.arrive("a")
    rater = loop.enter(one)
    claim(rater)
    loop.panel.books.leave(one, "TIMED-OUT")
    sync.sync_study(loop.study)
    participation.go_on_after_all(rater)
    rater.refresh_from_db()
    assert rater.state == "returned"
    rater.state = "working"
    rater.save()
    assert assignments.claim_batch(rater) == NoBatch("timed-out")


def test_events_are_noted_once_and_only_say_where_to_look(loop):
    one = loop.finish("a")
    assert sync.receive_event(loop.account, "e1", "submission.status.change", one.id)
    assert not sync.receive_event(loop.account, "e1", "submission.status.change", one.id)
    loop.fault("server_error", "submissions", times=99)
    sync.look_at_events()
    assert not PanelSubmission.objects.exists(), "it waits for a panel that answers"
    loop.panel.faults.ordered.clear()
    sync.look_at_events()
    assert loop.row(one).state == "AWAITING REVIEW"
    loop.panel.journal.clear()
    sync.look_at_events()
    assert loop.panel.journal == []


# Money -------------------------------------------------------------------------------------


def test_who_finished_is_approved_once_and_others_are_not(loop):
    good, wrong, idle = loop.finish("a"), loop.arrive("b"), loop.arrive("c")
    loop.work(wrong)
    loop.panel.books.submit(wrong, "INVENTED")
    loop.panel.books.submit(idle, "")
    for _ in range(3):
        assert sync.visit(loop.again()) == ""
    assert good.status == "APPROVED"
    assert wrong.status == idle.status == "AWAITING REVIEW"
    assert payments(loop) == [("approval", "paid")]
    assert good.reward_paid == REWARD
    approvals = [line for line in loop.panel.journal if "APPROVE" in line.body]
    assert len(approvals) == 1


def test_an_excluded_rater_waits_for_a_person(loop):
    one = loop.finish("a")
    sync.sync_study(loop.study)
    rater = loop.row(one).participant
    exclusions.exclude_rater(rater, reason="Clicked through.", by=loop.owner)
    sync.visit(loop.again())
    assert one.status == "AWAITING REVIEW"
    money.approve_by_hand(loop.row(one), by=loop.owner)
    with pytest.raises(RefusedAction, match="already been paid"):
        money.approve_by_hand(loop.row(one), by=loop.owner)
    paying.pay_drafted(loop.study)
    assert one.reward_paid == REWARD


@pytest.mark.parametrize(("rule", "approved"), [("manual", 0), ("all", 2)])
def test_the_other_rules(practice, rule, approved):
    loop = Loop(practice, approval=rule).publish()
    loop.finish("a")
    loop.panel.books.submit(loop.arrive("b"), "INVENTED")
    sync.visit(loop.again())
    assert PanelPayment.objects.filter(state="paid").count() == approved


def mark(loop: Loop, one: Submission) -> None:
    """Record that `flag_if` has caught a rater."""
    sync.sync_study(loop.study)
    rater = loop.row(one).participant
    RuleDecision.objects.create(
        campaign=loop.campaign,
        participant=rater,
        action="flag",
        rule="look.failed >= 1",
        parts=["look.failed >= 1"],
        measures={"look.failed": 1},
    )


@pytest.mark.parametrize(("rule", "approved"), [("after_checks", "ab"), ("unmarked", "b")])
def test_marked_raters_are_approved_unless_the_rule_leaves_them_out(practice, rule, approved):
    loop = Loop(practice, approval=rule).publish()
    people = [loop.finish("a"), loop.finish("b")]
    mark(loop, people[0])
    sync.visit(loop.again())
    paid = "".join(one.participant for one in people if one.status == "APPROVED")
    assert paid == approved


def test_a_rater_who_returns_between_drafting_and_paying_is_not_approved(loop):
    one = loop.finish("a")
    sync.sync_study(loop.study)
    money.draft_approvals(loop.again())
    loop.panel.books.leave(one, "RETURNED")
    paying.pay_drafted(loop.study)
    assert payments(loop) == [("approval", "refused")]
    assert one.reward_paid == 0


def test_a_lost_answer_to_an_approval_is_settled_by_what_the_panel_shows(loop):
    one = loop.finish("a")
    loop.fault("cut", "transition", "POST")
    sync.visit(loop.again())
    (waiting,) = PanelPayment.objects.all()
    assert (waiting.state, bool(waiting.problem)) == ("drafted", True)
    sync.visit(loop.again())
    assert payments(loop) == [("approval", "paid")]
    assert one.reward_paid == REWARD
    assert sum("APPROVE" in line.body for line in loop.panel.journal) == 1


def test_an_approval_that_failed_there_is_asked_for_again(loop):
    one = loop.finish("a")
    loop.fault("server_error", "transition", "POST", times=2)
    for _ in range(3):
        sync.visit(loop.again())
    assert payments(loop) == [("approval", "paid")]
    assert (one.reward_paid, one.history.count("APPROVED")) == (REWARD, 1)


def test_a_busy_panel_is_asked_later(loop):
    one = loop.finish("a")
    loop.fault("too_many", "transition", "POST")
    assert "429" in sync.visit(loop.again())
    assert payments(loop) == [("approval", "drafted")]
    sync.visit(loop.again())
    assert one.reward_paid == REWARD


def test_an_approval_interrupted_by_a_crash_is_asked_for_again(loop, monkeypatch):
    one = loop.finish("a")

    class Killed(BaseException):
        pass

    def kill(*arguments) -> None:
        raise Killed

    sync.sync_study(loop.study)
    money.draft_approvals(loop.again())
    monkeypatch.setattr("rankme.panel_calls.prolific.Prolific.approve", kill)
    with pytest.raises(Killed):
        paying.pay_drafted(loop.study)
    monkeypatch.undo()
    connect(loop.panel, monkeypatch)
    assert payments(loop) == [("approval", "asked")]
    paying.pay_drafted(loop.study)
    assert payments(loop) == [("approval", "paid")]
    assert one.reward_paid == REWARD


@pytest.mark.parametrize(
    ("kind", "path", "paid", "state"),
    [
        ("cut", "bonus-payments/$", 0, "lost"),
        ("cut", "/pay/", 1, "paid"),
        ("server_error", "/pay/", 0, "lost"),
        ("too_many", "/pay/", 1, "paid"),
    ],
)
@pytest.mark.slow
def test_a_bonus_is_never_paid_twice_whatever_answer_is_lost(loop, kind, path, paid, state):
    one = loop.finish("a")
    sync.visit(loop.again())
    money.pay_bonus(loop.row(one), 150, reason="Thanks", by=loop.owner)
    loop.fault(kind, path, "POST")
    for _ in range(3):
        sync.visit(loop.again())
    assert sum(one.bonuses) == 150 * paid
    assert ("bonus", state) in payments(loop)
    if state == "lost":
        lost = PanelPayment.objects.get(kind="bonus")
        money.decide_lost(lost, was_paid=bool(paid), by=loop.owner)
        for _ in range(2):
            sync.visit(loop.again())
        assert one.bonuses == [150]


def test_bonuses_stay_below_the_ceiling_with_their_fees(practice):
    loop = Loop(practice, ceiling=1088 + 204).publish()
    one = loop.finish("a")
    sync.visit(loop.again())
    with pytest.raises(RefusedAction, match="ceiling"):
        money.pay_bonus(loop.row(one), 300, reason="", by=loop.owner)
    money.pay_bonus(loop.row(one), 150, reason="", by=loop.owner)
    paying.pay_drafted(loop.again())
    assert (loop.again().committed, one.bonuses) == (1292, [150])
    with pytest.raises(RefusedAction, match="already been paid"):
        money.pay_bonus(loop.row(one), 1, reason="", by=loop.owner)


def test_bonuses_of_a_file_are_all_or_none(loop):
    one = loop.finish("a")
    sync.visit(loop.again())
    label = loop.row(one).participant.label
    for lines, problem in (
        ([f"{label},1.50", "nobody,1"], "Line 2: no such rater"),
        ([f"{label},-1"], "amount"),
        ([f"{label},1", f"{label},2"], "Line 2: this rater is listed twice"),
    ):
        with pytest.raises(RefusedAction, match=problem):
            money.bonuses_of_lines(loop.study, lines)
    found = money.bonuses_of_lines(loop.study, [f"{label},1.5"])
    assert [(entry.external_id, amount) for entry, amount in found] == [(one.id, 150)]


def test_bonuses_beyond_the_ceiling_are_recorded_for_nobody(practice):
    loop = Loop(practice, ceiling=1088 + 272).publish()
    rows = [loop.finish(name) for name in "ab"]
    sync.visit(loop.again())
    plan = deciding.plan_of_bonuses(loop.again(), [(loop.row(one), 150) for one in rows])
    assert (plan.cost, plan.room, plan.exceeds_the_ceiling) == (408, 272, True)
    with pytest.raises(RefusedAction, match="ceiling"):
        deciding.carry_out(plan, reason="", by=loop.owner)
    assert not PanelPayment.objects.filter(kind="bonus").exists()


def test_a_share_is_paid_where_a_batch_could_not_be_finished(practice):
    loop = Loop(practice, pays_shares=True).publish()
    one = loop.arrive("a")
    claim(loop.enter(one))
    sync.sync_study(loop.study)
    money.pay_share(loop.row(one), 40, reason="The batch was withdrawn.", by=loop.owner)
    paying.pay_drafted(loop.study)
    assert (one.status, one.reward_paid) == ("PARTIALLY APPROVED", 80)
    with pytest.raises(RefusedAction, match="state"):
        sync.sync_study(loop.study)
        money.approve_by_hand(loop.row(one), by=loop.owner)


def test_places_are_added_for_batches_that_are_free_again(practice):
    loop = Loop(practice, tops_up=True, places=1, ceiling=1088).publish()
    loop.finish("a")
    sync.visit(loop.again())
    assert loop.there.status == "ACTIVE"
    assert loop.again().places == 4
    assert places_missing(loop.study) == 3


def test_topping_up_stops_at_the_ceiling(practice):
    loop = Loop(practice, tops_up=True, places=1, ceiling=600).publish()
    loop.finish("a")
    assert "ceiling" in sync.visit(loop.again())
    assert loop.again().places == 1


def test_money_waits_while_another_process_holds_the_account(loop):
    loop.finish("a")
    sync.sync_study(loop.study)
    money.draft_approvals(loop.again())
    other = connections.create_connection("default")
    try:
        with other.cursor() as cursor:
            key = ("rankme_panelaccount", loop.account.pk)
            cursor.execute("SELECT pg_advisory_lock(hashtext(%s), %s)", key)
            assert paying.pay_drafted(loop.study) == 0
            # A connection that is closed gives its locks back a moment later.
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", key)
    finally:
        other.close()
    assert paying.pay_drafted(loop.study) == 1


def test_places_are_changed_by_one_process_at_a_time(loop):
    """What is read in the middle of another process's change would undo what it set aside."""
    other = connections.create_connection("default")
    key = ("rankme_panelstudy", loop.study.pk)
    try:
        with other.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_lock(hashtext(%s), %s)", key)
            for change in (
                lambda: studies.add_places(loop.study, 1, by=loop.owner),
                lambda: studies.publish_study(loop.study, by=loop.owner),
                lambda: studies.change_draft(loop.study, plan_of(), by=loop.owner),
            ):
                with pytest.raises(RefusedAction, match="being changed"):
                    change()
            loop.panel.books.change_places(loop.there, PLACES + 1)
            sync.visit(loop.again())
            assert loop.again().places == PLACES
            cursor.execute("SELECT pg_advisory_unlock(hashtext(%s), %s)", key)
    finally:
        other.close()
    sync.visit(loop.again())
    assert (loop.again().places, loop.study.committed) == (PLACES + 1, 1360)


# Many approvals at once ----------------------------------------------------------------------


def lists(loop: Loop) -> list[str]:
    return [line.body for line in loop.panel.journal if "bulk-approve" in line.path]


def test_several_rewards_are_paid_by_lists_that_are_no_longer_than_their_limit(loop, monkeypatch):
    monkeypatch.setattr(paying, "AT_ONCE", 2)
    people = [loop.finish(name) for name in "abc"]
    assert sync.visit(loop.again()) == ""
    assert [one.reward_paid for one in people] == [REWARD] * 3
    assert [len(json.loads(body)["submission_ids"]) for body in lists(loop)] == [2, 1]
    assert not [line for line in loop.panel.journal if '"APPROVE"' in line.body]
    assert payments(loop) == [("approval", "paid")] * 3


def test_a_list_that_is_carried_out_later_is_paid_once_the_panel_shows_it(loop):
    loop.panel.books.approves_later = True
    people = [loop.finish(name) for name in "ab"]
    for _ in range(3):
        sync.visit(loop.again())
    assert payments(loop) == [("approval", "asked")] * 2
    assert len(lists(loop)) == 1, "what is accepted is not asked for again"
    loop.panel.books.carry_out()
    sync.visit(loop.again())
    assert payments(loop) == [("approval", "paid")] * 2
    assert [one.reward_paid for one in people] == [REWARD] * 2


def test_a_list_that_is_never_carried_out_is_asked_for_again(loop):
    loop.panel.books.approves_later = True
    people = [loop.finish("a"), loop.finish("b")]
    sync.visit(loop.again())
    loop.panel.books.accepted.clear()
    loop.panel.books.approves_later = False
    PanelPayment.objects.update(asked_at="2001-01-01T00:00:00Z")
    sync.visit(loop.again())
    assert payments(loop) == [("approval", "paid")] * 2
    assert [one.reward_paid for one in people] == [REWARD] * 2


@pytest.mark.parametrize("kind", ["cut", "server_error"])
def test_a_list_whose_answer_was_lost_needs_nobody(loop, kind):
    people = [loop.finish(name) for name in "abc"]
    loop.fault(kind, "bulk-approve", "POST")
    sync.visit(loop.again())
    assert payments(loop) == [("approval", "paid")] * 3
    assert [one.reward_paid for one in people] == [REWARD] * 3


def test_somebody_who_has_left_does_not_hold_up_the_others_of_a_list(loop):
    people = [loop.finish(name) for name in "abc"]
    sync.sync_study(loop.study)
    money.draft_approvals(loop.again())
    loop.panel.books.leave(people[1], "RETURNED")
    paying.pay_drafted(loop.study)
    assert [one.reward_paid for one in people] == [REWARD, 0, REWARD]
    assert ("approval", "refused") in payments(loop)
