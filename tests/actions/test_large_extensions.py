"""Extensions of plans that are too large for a request: a worker draws and stores them."""

import pytest
from django.db import IntegrityError, transaction
from django.urls import reverse

from rankme.actions import jobs
from rankme.actions.campaign import extensions, large_extensions
from rankme.errors import ChangedMeanwhile, RefusedAction
from rankme.models import PlanExtension
from rankme.verification import verify_campaign
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.sittings import sit

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def campaign(monkeypatch):
    monkeypatch.setattr(extensions, "MOST_IN_A_REQUEST", 10)
    found = make_campaign()
    sit(make_rater(found))
    return found


def test_a_worker_stores_the_reviewed_draw(client, campaign):
    owner = make_owner()
    client.force_login(owner)
    page = reverse("rankme:campaign-extend", args=[campaign.code])
    assert b"Draw the extension" in client.get(page, {"raters_per_trial": 3}).content

    client.post(page, {"do": "draw", "raters_per_trial": 3, "mixed_percent": 40})
    row = PlanExtension.objects.get()
    assert row.mixed_percent == 40
    with pytest.raises(IntegrityError), transaction.atomic():
        PlanExtension.objects.update(mixed_percent=76)
    assert jobs.unclaimed_jobs() == [("rankme.tasks.extend_plan", row.pk)]
    assert b"Drawing the extension" in client.get(page).content
    assert large_extensions.execute(row.pk, "worker")
    assert not large_extensions.execute(row.pk, "worker")
    looked = client.get(page)
    assert "Balance before and after" in looked.text and campaign.versions.count() == 1

    hidden = looked.context["confirm"].initial
    assert (hidden["raters_per_trial"], hidden["mixed_percent"]) == (3, 40)
    assert client.post(page, hidden | {"reason": "A reviewer asked."}).status_code == 302
    assert b"Storing the extension" in client.get(page).content
    assert large_extensions.execute(row.pk, "worker")
    campaign.refresh_from_db()
    assert campaign.version == 2
    assert "this is version 2" in client.get(page).text
    version = campaign.versions.get(number=2)
    assert (version.reason, version.author) == ("A reviewer asked.", owner)
    row.refresh_from_db()
    assert row.drawn == version.extension
    assert sorted(campaign.slots.values_list("copy", flat=True)) == [0] * 4 + [1] * 4 + [2] * 4
    assert verify_campaign(campaign).fault == ""


def test_the_api_lets_a_worker_do_both(client, campaign):
    client.force_login(make_owner())
    address = f"/api/v1/campaigns/{campaign.code}/extension/"
    assert client.get(address).json() == {}
    asked = {"raters_per_trial": 2, "reason": "More.", "base": 1}
    stale = client.post(address, asked | {"base": 7}, content_type="application/json")
    assert stale.status_code == 409
    answer = client.post(address, asked, content_type="application/json")
    assert (answer.status_code, answer.json()["state"]) == (202, "queued")
    second = client.post(address, asked, content_type="application/json")
    assert second.status_code == 409 and "still running" in second.text
    assert large_extensions.execute(answer.json()["id"], "worker")
    found = client.get(address).json()
    assert (found["state"], found["drawn"]["new_sittings"]) == ("done", 4)
    campaign.refresh_from_db()
    assert campaign.version == 2


def test_a_draw_for_another_version_is_not_stored(campaign):
    owner = make_owner()
    row = large_extensions.request_drawing(campaign, 2, by=owner)
    assert large_extensions.execute(row.pk, "worker")
    row.refresh_from_db()
    with pytest.raises(RefusedAction):
        large_extensions.request_storing(row, reason=" ", by=owner)
    extensions.extend_campaign(campaign, raters_per_trial=2, reason="Other.", by=owner, base=1)
    row = PlanExtension.objects.get()
    with pytest.raises(ChangedMeanwhile):
        large_extensions.request_storing(row, reason="Mine.", by=owner)
    assert large_extensions.newest_extension(row.campaign) is None


def test_an_extension_that_cannot_be_says_why(client, campaign):
    client.force_login(make_owner())
    row = large_extensions.request_drawing(campaign, 1, by=make_owner())
    assert large_extensions.execute(row.pk, "worker")
    page = client.get(reverse("rankme:campaign-extend", args=[campaign.code])).text
    assert "There is nothing to add" in page and "Draw the extension" in page


def test_beyond_the_limit_a_worker_refuses_too(campaign, monkeypatch):
    monkeypatch.setattr(extensions, "MOST_SHOWN", 12)
    row = large_extensions.request_drawing(campaign, 2, by=make_owner())
    assert large_extensions.execute(row.pk, "worker")
    row.refresh_from_db()
    assert "more than 12 outputs" in row.error
