"""What a rater withdrew is published in no later report."""

import pytest

from rankme.actions.sitting.exclusions import WITHDRAWN
from rankme.actions.sitting.withdrawing import withdraw
from rankme.exporting.bundle import run_table
from tests.pages.world import published_run
from tests.runs import rated_campaign

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads"), pytest.mark.slow]


def test_withdrawn_answers_are_in_no_later_table_of_a_report():
    campaign = rated_campaign(raters=4, items=8)
    rater = campaign.participants.earliest("pk")
    before = published_run(campaign)
    withdraw(rater, with_answers=True)
    after = published_run(campaign)
    assert rater.label in run_table(before).rater.labels
    assert rater.label not in run_table(after).rater.labels
    said = {"rater": rater.label, "reason": WITHDRAWN}
    assert said in after.finished_result["exclusions"]
