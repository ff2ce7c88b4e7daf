"""Campaigns pause at the limits that their organisers set, and say why."""

import pytest
from django.urls import reverse

from rankme.actions.campaign import campaigns, changes
from rankme.actions.sitting import exclusions
from rankme.models import AuditEvent, Campaign, RuleDecision
from rankme.queries.watching.flagged import flagged_raters
from rankme.worker.tasks import pause_campaigns
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.sittings import claim, sit

pytestmark = pytest.mark.django_db

State = Campaign.State


@pytest.fixture
def owner(db):
    return make_owner()


def running(owner, **crowd):
    definition = slider_definition(crowd=crowd, raters_per_trial=8)
    return make_campaign(definition, items=2, systems=2, owner=owner)


def finished(campaign, *names):
    raters = [make_rater(campaign, name) for name in names]
    for rater in raters:
        sit(rater)
    return raters


def mark(campaign, *raters):
    for rater in raters:
        RuleDecision.objects.create(
            campaign=campaign, participant=rater, action="flag", rule="x", parts=[], measures={}
        )


def state_of(campaign) -> str:
    pause_campaigns()
    campaign.refresh_from_db()
    return campaign.state


def test_a_pilot_ends_once_its_raters_have_a_batch(owner, olga):
    campaign = running(owner, pause_after_raters=2)
    finished(campaign, "ann")
    assert state_of(campaign) == State.RUNNING
    claim(make_rater(campaign, "ben"))
    assert state_of(campaign) == State.PAUSED
    page = olga.get(reverse("rankme:campaign-monitor", args=[campaign.code])).content.decode()
    assert "paused after its pilot" in page
    campaigns.resume_campaign(campaign, by=owner)
    assert state_of(campaign) == State.RUNNING, "who resumes it has decided"


def test_a_batch_that_was_given_back_is_not_one_of_the_pilot(owner):
    campaign = running(owner, pause_after_raters=1)
    held = claim(make_rater(campaign, "ann"))
    campaign.assignments.filter(pk=held.pk).update(state="returned", ended_at=held.claimed_at)
    assert state_of(campaign) == State.RUNNING


@pytest.mark.parametrize(("pauses_itself", "expected"), [(True, State.PAUSED), (False, "running")])
def test_flagged_raters_pause_a_campaign_only_where_it_may(owner, olga, pauses_itself, expected):
    campaign = running(owner, flagged_share=0.3, pauses_itself=pauses_itself)
    raters = finished(campaign, *"abcde")
    mark(campaign, raters[0])
    assert state_of(campaign) == State.RUNNING, "one of five is below the limit"
    mark(campaign, raters[1])
    assert state_of(campaign) == expected
    page = olga.get(reverse("rankme:campaign-monitor", args=[campaign.code])).content.decode()
    said = "more raters are flagged than you allow" if pauses_itself else "Consider a pause"
    assert said in " ".join(page.split())
    assert not campaign.rater_exclusions.exists()


def test_four_raters_are_too_few_for_a_share(owner):
    campaign = running(owner, flagged_share=0.1, pauses_itself=True)
    mark(campaign, *finished(campaign, *"abcd"))
    assert state_of(campaign) == State.RUNNING


def test_each_limit_pauses_a_campaign_once(owner):
    campaign = running(owner, flagged_share=0.3, pauses_itself=True)
    mark(campaign, *finished(campaign, *"abcde"))
    assert state_of(campaign) == State.PAUSED
    campaigns.resume_campaign(campaign, by=owner)
    assert state_of(campaign) == State.RUNNING
    changed = slider_definition(
        crowd={"flagged_share": 0.5, "pauses_itself": True}, raters_per_trial=8
    )
    changes.change_campaign(campaign, changed, reason="Too strict", by=owner, base=1)
    assert state_of(campaign) == State.PAUSED, "another limit is another decision"
    found = AuditEvent.objects.filter(campaign=campaign, detail__has_key="limit")
    assert [event.detail["limit"] for event in found.order_by("number")] == [0.3, 0.5]


def test_a_rater_whom_an_organiser_readmits_is_not_flagged(owner):
    campaign = running(owner, flagged_share=0.3)
    ann, *_others = finished(campaign, *"abcde")
    exclusions.exclude_by_rule(ann, ["x"])
    assert flagged_raters(campaign).flagged == 1
    exclusions.readmit_rater(ann, by=owner)
    found = flagged_raters(campaign)
    assert (found.raters, found.flagged) == (5, 0)


def test_campaigns_without_limits_are_left_alone(owner):
    campaign = running(owner)
    mark(campaign, *finished(campaign, *"abcde"))
    assert state_of(campaign) == State.RUNNING
    assert flagged_raters(campaign) is None
