"""What the panel leaves out, adds or does in its own way changes nothing that is known here."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.urls import reverse
from django.utils import timezone

from rankme.actions.panel import accounts, money, studies, sync
from rankme.errors import RefusedAction
from rankme.models import (
    Campaign,
    PanelAccount,
    PanelEvent,
    PanelPayment,
    PanelStudy,
    PanelSubmission,
)
from rankme.queries.panel_books import money_of
from tests.campaigns import make_owner
from tests.panels.loop import Loop, draft_form, paid_campaign, plan_of

pytestmark = pytest.mark.django_db


def event_about(loop: Loop, resource: str, number: str = "e1") -> None:
    sync.receive_event(loop.account, number, "submission.status.change", resource)
    loop.panel.journal.clear()
    sync.look_at_events()


# Submissions -------------------------------------------------------------------------------


def test_a_webhook_erases_neither_the_code_nor_the_time(loop):
    one = loop.finish("a")
    sync.sync_study(loop.study)
    before = loop.row(one)
    assert before.entered_code == "DONE"
    assert before.seconds == pytest.approx(one.seconds)
    event_about(loop, one.id)
    again = loop.row(one)
    assert (again.entered_code, again.seconds) == ("DONE", before.seconds)
    assert again.bonuses_there == 0
    sync.sync_study(loop.study)
    assert loop.row(one).bonuses_there == 0, "lists do not name bonuses"


def test_a_webhook_about_somebody_new_asks_for_one_submission(loop):
    one = loop.finish("a")
    event_about(loop, one.id)
    assert loop.row(one).state == "AWAITING REVIEW"
    asked = [line.path for line in loop.panel.journal if "submissions" in line.path]
    assert asked == [f"/api/v1/submissions/{one.id}/"]


def test_a_webhook_about_an_unknown_person_is_settled(loop):
    other = loop.panel.books.create_study(dict(loop.there.document))
    loop.panel.books.transition_study(other, "PUBLISH")
    stranger = loop.panel.books.arrive(other, "z")
    event_about(loop, stranger.id)
    event_about(loop, "f" * 24, "e2")
    assert not PanelSubmission.objects.exists()
    assert not PanelEvent.objects.filter(done_at=None).exists()


def test_a_state_that_nobody_knows_leaves_the_others_as_they_are(loop):
    odd, good = loop.finish("a"), loop.finish("b")
    sync.sync_study(loop.study)
    odd.status = "UNKNOWN"
    loop.panel.books.leave(good, "RETURNED")
    sync.sync_study(loop.study)
    assert (loop.row(odd).state, loop.row(good).state) == ("AWAITING REVIEW", "RETURNED")


# Bonuses -----------------------------------------------------------------------------------


def bonus_for(loop: Loop, one, amount: int = 150) -> PanelPayment:
    sync.sync_study(loop.study)
    payment = money.pay_bonus(loop.row(one), amount, reason="", by=loop.owner)
    sync.visit(loop.again())
    payment.refresh_from_db()
    return payment


def compared_again(loop: Loop, payment: PanelPayment) -> PanelPayment:
    cache.clear()
    sync.visit(loop.again())
    payment.refresh_from_db()
    return payment


def test_a_bonus_whose_answer_was_lost_is_paid_once_the_panel_shows_it(loop):
    loop.fault("cut", "/pay/", "POST")
    payment = bonus_for(loop, loop.finish("a"))
    assert payment.state == "paid", "the same visit has seen it"
    loop.fault("server_error", "/pay/", "POST")
    second = bonus_for(loop, loop.finish("b"))
    assert second.state == "lost"
    assert compared_again(loop, second).state == "lost", "nothing was paid"
    loop.panel.books.submissions[second.submission.external_id].bonuses.append(150)
    assert compared_again(loop, second).state == "paid"


def test_a_bonus_that_the_panel_accepted_and_does_not_show_is_named(loop, monkeypatch):
    monkeypatch.setattr(loop.panel.books, "pay_bonuses", lambda bonuses: None)
    payment = bonus_for(loop, loop.finish("a"))
    assert (payment.state, money_of(loop.study).unseen) == ("paid", 0)
    PanelPayment.objects.update(settled_at=timezone.now() - timedelta(hours=3))
    compared_again(loop, payment)
    assert money_of(loop.study).unseen == 150
    loop.panel.books.submissions[payment.submission.external_id].bonuses.append(150)
    compared_again(loop, payment)
    assert money_of(loop.study).unseen == 0


def test_bonuses_that_the_panel_shows_are_not_asked_for_again(loop):
    payment = bonus_for(loop, loop.finish("a"))
    cache.clear()
    loop.panel.journal.clear()
    sync.compare_bonuses(loop.study)
    assert (payment.state, loop.panel.journal) == ("paid", [])


# Accounts and projects ---------------------------------------------------------------------


def test_a_project_of_another_workspace_is_refused_with_the_known_ones(practice):
    add = {"owner": make_owner(), "name": "Lab", "token": practice.token}
    with pytest.raises(RefusedAction, match="Practice project"):
        accounts.add_account(**add, project="p-of-somebody")
    assert accounts.add_account(**add, project=practice.books.project).project


def test_an_account_of_an_earlier_version_gets_its_project_with_the_next_study(practice):
    account = accounts.add_account(owner=make_owner(), name="Lab", token=practice.token)
    PanelAccount.objects.update(project="")
    account.refresh_from_db()
    campaign = paid_campaign()
    studies.draft_study(campaign, account, plan_of(), by=campaign.owner)
    assert PanelAccount.objects.get().project == practice.books.project


def test_the_currency_is_that_of_the_workspaces_wallet(practice, monkeypatch):
    monkeypatch.setattr("rankme.practice_panel.shapes.CURRENCY", "USD")
    account = accounts.add_account(owner=make_owner(), name="Lab", token=practice.token)
    assert account.currency == "USD"


# Drafts ------------------------------------------------------------------------------------


@pytest.fixture
def draft(practice, paid_once, db) -> str:
    """The address of the form for a study."""
    campaign = Campaign.objects.get(pk=paid_once.pk)
    accounts.add_account(owner=campaign.owner, name="Lab", token=practice.token)
    return reverse("rankme:campaign-panel", args=[campaign.code])


def test_limits_of_filters_are_numbers_decimals_and_dates(practice, olga, draft):
    address = f"{draft}?filter=age&filter=date-joined&filter=household-size"
    page = olga.get(address)
    assert page.status_code == 200
    assert 'type="date"' in page.content.decode()
    names = [offered.id for offered in page.context["chosen"]]
    limits = {"age": ("20", "40"), "date-joined": ("2020-01-31", "2025-12-01")}
    limits["household-size"] = ("0.5", "2.5")
    sent = draft_form(PanelAccount.objects.get())
    sent["filter"] = names
    for name in names:
        sent |= {f"low-{name}": limits[name][0], f"high-{name}": limits[name][1]}
    assert olga.post(address, sent).status_code == 302
    (study,) = practice.books.studies.values()
    chosen = {each["filter_id"]: each["selected_range"] for each in study.document["filters"]}
    assert chosen == {
        "age": {"lower": 20, "upper": 40},
        "date-joined": {"lower": "2020-01-31", "upper": "2025-12-01"},
        "household-size": {"lower": 0.5, "upper": 2.5},
    }


@pytest.mark.parametrize("joined", ["2001-01-01", "2027-01-01", "yesterday"])
def test_a_date_outside_the_panels_limits_is_refused(olga, draft, joined):
    address = f"{draft}?filter=date-joined"
    sent = draft_form(PanelAccount.objects.get()) | {
        "filter": "date-joined",
        "low-date-joined": joined,
        "high-date-joined": "2026-01-01",
    }
    assert olga.post(address, sent).status_code == 422
    assert not PanelStudy.objects.exists()


@pytest.mark.parametrize(("minutes", "longest"), [(1, 5), (2, 8), (10, 28)])
def test_the_longest_time_is_one_that_the_panel_accepts(olga, draft, minutes, longest):
    """At least 2 + 2t + 2√t minutes, as published: 6, 8.8 and 28.3."""
    sent = draft_form(PanelAccount.objects.get(), minutes=minutes, longest_minutes=longest)
    assert olga.post(draft, sent).status_code == 422
    assert olga.post(draft, sent | {"longest_minutes": longest + 1}).status_code == 302


def test_the_proposed_times_are_accepted_and_promise_no_more_pay_than_there_is(olga, draft):
    initial = olga.get(draft).context["form"].initial
    assert initial["minutes"] * 60 >= 4 * 40
    assert not initial.get("is_secure")
    proposed = {name: initial[name] for name in ("minutes", "longest_minutes")}
    sent = draft_form(PanelAccount.objects.get()) | proposed
    assert olga.post(draft, sent).status_code == 302


def test_messages_about_the_study_are_read_when_they_are_asked_for(olga, loop):
    one = loop.finish("a")
    sync.sync_study(loop.study)
    said = {"recipient_id": "us", "sender_id": "a", "sent_at": "2026-11-02T08:00:00Z"}
    loop.panel.books.messages += [
        said | {"study_id": loop.study.external_id, "body": "The <b>code</b> was missing."},
        said | {"study_id": "of-somebody-else", "body": "A secret."},
    ]
    person = loop.row(one)
    address = reverse("rankme:campaign-panel-person", args=[loop.campaign.code, person.pk])
    loop.panel.journal.clear()
    assert "was missing" not in olga.get(address).content.decode()
    assert loop.panel.journal == [], "no page asks without being told to"
    page = olga.get(f"{address}?messages=yes").content.decode()
    assert "The &lt;b&gt;code&lt;/b&gt; was missing." in page
    assert "A secret." not in page
    loop.fault("server_error", "messages", times=9)
    assert olga.get(f"{address}?messages=yes").status_code == 200


def test_the_page_says_how_many_came_without_a_valid_token(olga, loop):
    address = reverse("rankme:campaign-panel", args=[loop.campaign.code])
    assert "valid token" not in olga.get(address).content.decode()
    PanelStudy.objects.update(untrusted_entries=3)
    page = " ".join(olga.get(address).content.decode().split())
    assert "3 people came to this study without a valid token." in page
