"""Two organisers change one campaign at the same moment, and raters claim meanwhile."""

import pytest

from rankme.actions.campaign import changes
from rankme.actions.sitting import assignments
from rankme.errors import ChangedMeanwhile
from rankme.models import Campaign
from tests.campaigns import make_campaign, make_owner, make_rater, slider_definition
from tests.races.threads import errors_in, run_together, without_locks

pytestmark = pytest.mark.django_db(transaction=True)


def changing(campaign, title):
    by = make_owner()
    definition = slider_definition(title=title)
    return lambda: changes.change_campaign(campaign, definition, reason="x", by=by, base=1)


def test_of_two_changes_of_one_version_one_is_stored():
    campaign = make_campaign()
    raters = [make_rater(campaign, name) for name in ("a", "b")]
    works = [changing(campaign, title) for title in ("One", "Two")]
    works += [lambda rater=rater: assignments.claim_batch(rater) for rater in raters]
    errors = errors_in(run_together(works))
    assert [type(error) for error in errors] == [ChangedMeanwhile]
    campaign.refresh_from_db()
    assert (campaign.version, campaign.versions.count()) == (2, 2)
    assert set(campaign.assignments.values_list("version", flat=True)) <= {1, 2}


def test_without_the_lock_the_database_refuses_the_second(monkeypatch):
    without_locks(monkeypatch)
    campaign = make_campaign()
    errors = errors_in(run_together([changing(campaign, title) for title in ("One", "Two", "3")]))
    assert len(errors) == 2
    campaign = Campaign.objects.get()
    assert campaign.definition == campaign.versions.get(number=campaign.version).definition
