"""Rejections: what is drafted, and what is refused before the panel is asked."""

import pytest
from django.test import Client
from django.urls import reverse

from rankme.actions.panel import money, paying, rejecting, sync
from rankme.errors import RefusedAction
from rankme.models import AuditEvent, PanelPayment
from tests.checks.raters import CHECKS
from tests.panels.loop import REWARD, Loop, paid_campaign
from tests.sittings import answer, claim

pytestmark = pytest.mark.django_db
REASON = (
    "You answered two attention checks wrongly, although the pages said which answer to give. " * 2
)


@pytest.fixture
def caught(practice, monkeypatch) -> tuple[Loop, object]:
    """A rater whose work the checks ended, and who entered that outcome's code."""
    codes = {"completed": "DONE", "failed_checks": "CHECKS"}
    crowd = {"panel": "prolific", "completion_codes": codes}
    rules = {"exclude_if": "look.failed >= 2"}
    campaign = paid_campaign(crowd=crowd, checks=CHECKS, rules=rules, items=16, systems=2)
    loop = Loop(practice, campaign=campaign).publish()
    one = loop.arrive("a")
    rater = loop.enter(one)
    assignment = claim(rater)
    for place in range(len(assignment.presentation)):
        if answer(assignment, place, value=60 + place % 2).ends_the_work:
            break
    rater.refresh_from_db()
    assert (rater.outcome, rater.completion_code) == ("failed_checks", "CHECKS")
    loop.panel.books.submit(one, "CHECKS")
    sync.visit(loop.again())
    return loop, one


def test_who_was_stopped_by_checks_is_not_approved_and_a_reason_is_drafted(caught):
    loop, one = caught
    assert one.status == "AWAITING REVIEW"
    assert not PanelPayment.objects.exists()
    draft = rejecting.draft_rejection(loop.row(one))
    assert (draft.category, draft.failed, draft.needed) == ("FAILED_CHECK", 2, 2)
    assert len(draft.message) >= rejecting.SHORTEST_REASON
    rejecting.reject(loop.row(one), draft.category, draft.message, by=loop.owner)
    assert one.status == loop.row(one).state == "REJECTED"
    assert AuditEvent.objects.get(verb="submission rejected").detail["category"] == "FAILED_CHECK"
    with pytest.raises(RefusedAction, match="present state"):
        rejecting.reject(loop.row(one), draft.category, draft.message, by=loop.owner)


@pytest.mark.parametrize("kind", ["cut", "server_error"])
def test_after_a_lost_answer_the_submission_says_what_happened(caught, kind):
    loop, one = caught
    loop.fault(kind, "transition", "POST")
    rejecting.reject(loop.row(one), "FAILED_CHECK", REASON, by=loop.owner)
    assert loop.row(one).state == one.status
    assert one.status == ("REJECTED" if kind == "cut" else "AWAITING REVIEW")


def test_the_panels_limits_are_kept(loop):
    one = loop.finish("a")
    sync.sync_study(loop.study)
    row = loop.row(one)
    for category, message, said in (
        ("FAILED_CHECK", REASON, "2 failed checks"),
        ("LOW_EFFORT", "Bad.", "100 characters"),
        ("BORING", REASON, "Choose"),
        ("NO_DATA", REASON, "are stored"),
    ):
        with pytest.raises(RefusedAction, match=said):
            rejecting.reject(row, category, message, by=loop.owner)
    assert rejecting.draft_rejection(row).message == ""
    money.approve_by_hand(row, by=loop.owner)
    with pytest.raises(RefusedAction, match="asked for"):
        rejecting.reject(row, "LOW_EFFORT", REASON, by=loop.owner)
    paying.pay_drafted(loop.study)
    assert one.reward_paid == REWARD


def test_somebody_without_work_has_no_data(loop):
    one = loop.arrive("a")
    loop.panel.books.submit(one, "INVENTED")
    sync.sync_study(loop.study)
    draft = rejecting.draft_rejection(loop.row(one))
    assert draft.category == "NO_DATA" and len(draft.message) >= 100


def test_the_page_has_the_draft_and_asks_twice(caught):
    loop, one = caught
    client = Client()
    client.force_login(loop.owner)
    page = reverse("rankme:campaign-panel-person", args=[loop.campaign.code, loop.row(one).pk])
    form = client.get(page).context["reject"]
    assert form.initial["category"] == "FAILED_CHECK"
    sent = {"action": "reject", "reject-category": "FAILED_CHECK", "reject-message": REASON}
    client.post(page, sent)
    assert one.status == "AWAITING REVIEW"
    client.post(page, sent | {"reject-sure": "on"})
    assert one.status == "REJECTED"
