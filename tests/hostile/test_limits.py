"""Clients that request too much wait; raters at work never do."""

import re
from datetime import timedelta

import pytest
from django.db.models import F
from django.test import Client
from django.urls import reverse

from rankme.actions import rate_limits
from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.rate_limits import Limit, take
from rankme.models import RateBucket
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import arrive, begin, complete
from tests.races.threads import run_together

FEW = Limit("test", most=7, again_every=timedelta(hours=1))


@pytest.mark.django_db(transaction=True)
def test_of_fifty_calls_at_once_exactly_so_many_pass():
    taken = run_together([lambda: take(FEW, "w1")] * 50)
    assert sorted(taken) == [False] * 43 + [True] * 7


@pytest.mark.django_db(transaction=True)
def test_without_the_one_statement_more_would_pass(monkeypatch):
    """The control: read, then write, as two statements."""
    monkeypatch.setattr(rate_limits, "TAKE", READ_THEN_WRITE)
    assert take(FEW, "w1")
    taken = run_together([lambda: take(FEW, "w1")] * 50)
    assert taken.count(True) > 6


READ_THEN_WRITE = """
    WITH seen AS (
        SELECT "left", pg_sleep(0.02) FROM rankme_ratebucket WHERE mark = %(mark)s
    )
    INSERT INTO rankme_ratebucket AS bucket (mark, "left", filled_at)
    SELECT %(mark)s, COALESCE((SELECT "left" FROM seen), %(most)s + 0 * %(per_second)s) - 1,
        clock_timestamp()
    WHERE COALESCE((SELECT "left" FROM seen), %(most)s) >= 1
    ON CONFLICT (mark) DO UPDATE SET "left" = EXCLUDED."left"
    RETURNING "left"
"""


@pytest.mark.django_db
def test_a_bucket_fills_up_with_time_and_no_further():
    assert [take(FEW, "w1") for _ in range(8)] == [True] * 7 + [False]
    assert take(FEW, "w2"), "somebody else's is another"
    RateBucket.objects.update(filled_at=F("filled_at") - timedelta(hours=2))
    assert [take(FEW, "w1") for _ in range(3)] == [True, True, False]
    RateBucket.objects.update(filled_at=F("filled_at") - timedelta(hours=1_000))
    assert sum(take(FEW, "w1") for _ in range(20)) == 7


@pytest.mark.django_db
def test_a_clock_set_back_takes_nothing_away():
    take(FEW, "w1")
    RateBucket.objects.update(filled_at=F("filled_at") + timedelta(days=400))
    assert take(FEW, "w1")


@pytest.mark.django_db
def test_the_table_names_nobody_and_forgets():
    take(rate_limits.NEW_RATERS, "192.0.2.1")
    assert re.fullmatch(r"[0-9a-f]{64}", RateBucket.objects.get().mark)
    assert rate_limits.forget_full() == 0
    RateBucket.objects.update(filled_at=F("filled_at") - timedelta(days=1))
    assert rate_limits.forget_full() == 1


@pytest.mark.django_db
def test_one_network_does_not_bring_raters_without_end(client, monkeypatch):
    """Each would hold a batch of an open campaign, and nobody else would find one free."""
    monkeypatch.setattr(rate_limits, "NEW_RATERS", Limit("few", 2, timedelta(hours=1)))
    campaign = make_campaign()
    for number in (1, 2):
        arrive(Client(REMOTE_ADDR=f"2001:db8::{number}"), campaign, id=f"w{number}")
    refused = agree(Client(REMOTE_ADDR="2001:db8::3"), campaign, id="w3")
    assert refused.status_code == 429
    assert "Many people are arriving" in refused.text
    assert campaign.participants.count() == 2
    # Another network, another campaign, and people who are known or were invited: all come in.
    assert agree(Client(REMOTE_ADDR="192.0.2.7"), campaign, id="w4").status_code == 302
    assert agree(Client(), make_campaign(), id="w3").status_code == 302
    assert (
        Client().get(reverse("rankme:enter", args=[campaign.code]), {"id": "w1"}).status_code == 302
    )
    [invitation] = invite_raters(campaign, ["Ada"], by=campaign.owner)
    assert agree(Client(), campaign, invitation=invitation.token).status_code == 302


@pytest.mark.django_db
def test_raters_refused_on_entry_enter_later_without_agreeing_again(monkeypatch):
    """The page keeps what was agreed to, and sends it again automatically."""
    monkeypatch.setattr(rate_limits, "take", lambda *whose: False)
    campaign = make_campaign()
    browser = Client()
    refused = agree(browser, campaign, id="w1")
    assert (refused.status_code, refused.headers["Retry-After"]) == (429, "15")
    assert '<form class="row" method="post" data-again="15">' in refused.text
    assert "wait.js" in refused.text
    monkeypatch.setattr(rate_limits, "take", lambda *whose: True)
    arrival = re.search(r'name="arrival" value="([^"]+)"', refused.text)[1]
    door = reverse("rankme:enter", args=[campaign.code])
    assert browser.post(door, {"arrival": arrival, "decision": "agree"}).status_code == 302


@pytest.mark.django_db
def test_a_university_behind_one_address_comes_in_at_once():
    assert all(take(rate_limits.NEW_RATERS, "the campaign", "192.0.2.1") for _ in range(1_000))
    RateBucket.objects.update(left=0, filled_at=F("filled_at") - timedelta(seconds=10))
    assert sum(take(rate_limits.NEW_RATERS, "the campaign", "192.0.2.1") for _ in range(60)) >= 50


@pytest.mark.django_db
def test_people_whom_a_panel_sends_are_never_refused(monkeypatch):
    monkeypatch.setattr(rate_limits, "take", lambda *whose: False)
    crowd = {"panel": "prolific", "completion_code": "C0DE", "open_link": False}
    campaign = make_campaign(slider_definition(crowd=crowd))
    sent = {"PROLIFIC_PID": "5f00aabbccddeeff00112233", "SESSION_ID": "5f00aabbccddeeff00112244"}
    assert agree(Client(), campaign, **sent).status_code == 302


@pytest.mark.django_db
def test_no_rating_is_refused_however_fast_they_come(client, monkeypatch):
    monkeypatch.setattr(rate_limits, "NEW_RATERS", Limit("one", 1, timedelta(hours=1)))
    campaign = make_campaign()
    document = begin(client, campaign, id="w1")
    monkeypatch.setattr(rate_limits, "take", lambda *whose: pytest.fail("a rating was counted"))
    assert complete(client, campaign, document).json()["next"].endswith("/done/")


def agree(client, campaign, **link):
    door = reverse("rankme:enter", args=[campaign.code])
    page = client.get(door, link).content.decode()
    arrival = re.search(r'name="arrival" value="([^"]+)"', page)[1]
    return client.post(door, {"arrival": arrival, "decision": "agree"})
