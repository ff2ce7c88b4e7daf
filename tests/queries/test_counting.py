"""Every page counts the same judgements."""

import pytest
from django.urls import reverse

from rankme.actions.campaign import campaigns
from rankme.actions.sitting import exclusions
from rankme.models import Participant
from rankme.queries.coverage import judged_by_system
from rankme.queries.judgement_table import judgement_table
from rankme.queries.progress import pace_of, progress_of
from rankme.queries.versions import version_lines
from tests.campaigns import make_campaign, make_rater
from tests.sittings import answer, claim, sit

pytestmark = pytest.mark.django_db


@pytest.fixture
def campaign():
    """Two raters: one has finished a batch, the other has answered a screen of the next."""
    campaign = make_campaign()
    sit(make_rater(campaign, "w1"))
    answer(claim(make_rater(campaign, "w2")))
    return campaign


def counts(campaign) -> dict[str, object]:
    table = judgement_table(campaign)
    progress = progress_of(campaign)
    return {
        "versions": sum(line.judgements for line in version_lines(campaign)),
        "table": len(table) - int(table.excluded.sum()),
        "screens": progress.screens_done,
        "systems": sum(each.judged for each in judged_by_system(campaign)),
        "moves": pace_of(campaign, progress).screens_per_hour > 0,
    }


def test_all_pages_leave_out_excluded_raters(campaign, client):
    before = counts(campaign)
    assert before["versions"] == before["table"] == before["systems"]
    for rater in Participant.objects.all():
        exclusions.exclude_rater(rater, reason="Too fast.", by=campaign.owner)
    assert counts(campaign) == {
        "versions": 0,
        "table": 0,
        "screens": 0,
        "systems": 0,
        "moves": False,
    }
    client.force_login(campaign.owner)
    page = client.get(reverse("rankme:campaign-rater", args=[campaign.code, rater.label]))
    assert "no, excluded" in page.content.decode()


def test_a_pause_leaves_the_recent_pace_and_takes_the_expected_end(campaign):
    before = pace_of(campaign, progress_of(campaign))
    assert before.expected_end is not None
    paused = campaigns.pause_campaign(campaign, by=campaign.owner)
    after = pace_of(paused, progress_of(paused))
    assert after.screens_per_hour > 0
    assert after.expected_end is None
