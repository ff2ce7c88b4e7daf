"""Launches that are too large for a request are done by a worker."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils.html import escape

from rankme.actions import jobs
from rankme.actions.campaign import campaigns, launches, plans
from rankme.actions.material import materials
from rankme.errors import RefusedAction, RefusedTransition
from rankme.models import Campaign, CampaignLaunch, Trial
from tests.campaigns import make_campaign, make_owner

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def draft(monkeypatch) -> Campaign:
    monkeypatch.setattr(launches, "MOST_OUTPUTS_IN_A_REQUEST", 10)
    return make_campaign(launch=False)


def test_a_small_campaign_runs_at_once():
    campaign = launches.request_launch(make_campaign(launch=False), by=make_owner())
    assert campaign.state == "running"
    assert not CampaignLaunch.objects.exists()


def test_a_large_campaign_is_launched_by_a_worker(draft):
    owner = make_owner()
    for _ in range(3):
        assert launches.request_launch(draft, by=owner).state == "draft"
    row = CampaignLaunch.objects.get()
    assert jobs.unclaimed_jobs() == [("rankme.tasks.execute_launch", row.pk)]
    assert launches.execute(row.pk, "worker")
    draft.refresh_from_db()
    row.refresh_from_db()
    assert (draft.state, row.state, row.error) == ("running", "done", "")
    assert Trial.objects.filter(batch__campaign=draft).exists()
    assert not launches.execute(row.pk, "worker")
    with pytest.raises(RefusedTransition):
        launches.request_launch(draft, by=owner)


def test_a_worker_stores_the_plan_that_a_request_would_store(draft):
    twin = make_campaign(launch=False)
    Campaign.objects.filter(pk=twin.pk).update(seed=draft.seed)
    twin.refresh_from_db()
    launches.request_launch(draft, by=make_owner())
    launches.execute(CampaignLaunch.objects.get().pk, "worker")
    campaigns.launch_campaign(twin, by=make_owner())
    assert trials_of(draft) == trials_of(twin)


def trials_of(campaign: Campaign) -> list[tuple]:
    trials = Trial.objects.filter(batch__campaign=campaign).order_by("batch__number", "position")
    return list(trials.values_list("batch__number", "position", "item__key"))


def test_a_launch_that_fails_leaves_a_draft_and_can_be_asked_for_again(draft, monkeypatch):
    store = plans.store_plan

    def store_and_fail(*arguments, **options):
        store(*arguments, **options)
        raise RefusedAction("The plan does not fit.")

    monkeypatch.setattr(plans, "store_plan", store_and_fail)
    launches.request_launch(draft, by=make_owner())
    launches.execute(CampaignLaunch.objects.get().pk, "worker")
    draft.refresh_from_db()
    assert (draft.state, Trial.objects.count()) == ("draft", 0)
    assert launches.failed_launch(draft).error == "The plan does not fit."
    monkeypatch.undo()
    monkeypatch.setattr(launches, "MOST_OUTPUTS_IN_A_REQUEST", 10)
    launches.request_launch(draft, by=make_owner())
    launches.execute(launches.launch_under_way(draft).pk, "worker")
    draft.refresh_from_db()
    assert draft.state == "running"


def test_nothing_that_will_be_shown_changes_while_a_launch_is_under_way(draft, tmp_path):
    owner = make_owner()
    launches.request_launch(draft, by=owner)
    path = tmp_path / "outputs.csv"
    path.write_text("system,item,output\na,b,c\n")
    with pytest.raises(RefusedAction, match="being launched"):
        materials.start_import(draft, [path], by=owner)
    with pytest.raises(RefusedAction, match="being launched"):
        campaigns.change_definition(draft, campaigns.definition_of(draft), by=owner)
    with pytest.raises(RefusedAction, match="being launched"):
        campaigns.delete_draft(draft, by=owner)


def test_a_large_launch_leaves_the_planner_knowing_its_tables(draft, monkeypatch):
    monkeypatch.setattr(campaigns, "ROWS_WORTH_MEASURING", 1)
    campaigns.launch_campaign(draft, by=make_owner())
    with connection.cursor() as cursor:
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'rankme_trial'")
        assert cursor.fetchone()[0] == Trial.objects.count()


def test_the_page_shows_the_progress_and_then_the_campaign(draft, client):
    client.force_login(draft.owner)
    page = reverse("rankme:campaign-launch", args=[draft.code])
    assert "too large to be shown" in client.get(page).content.decode()
    for _ in range(2):
        assert client.post(page, {"sure": "on"})["Location"] == page
    assert "<progress" in client.get(page).content.decode()
    launches.execute(CampaignLaunch.objects.get().pk, "worker")
    assert client.get(page)["Location"] == reverse("rankme:campaign", args=[draft.code])


def test_a_failed_launch_is_explained_on_its_page(draft, client, monkeypatch):
    client.force_login(draft.owner)
    page = reverse("rankme:campaign-launch", args=[draft.code])
    client.post(page, {"sure": "on"})
    monkeypatch.setattr(plans, "store_plan", None)
    launches.execute(CampaignLaunch.objects.get().pk, "worker")
    shown = client.get(page).content.decode()
    assert "the campaign is still a draft" in shown and escape(jobs.APOLOGY) in shown
    assert "data-over" in shown, "the progress page would not notice the end"
