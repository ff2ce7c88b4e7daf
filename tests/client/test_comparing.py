"""From a DataFrame to a table: one call, which finds what it made before."""

import pandas as pd
import pytest
import rankme_client
from django.contrib.auth.models import User
from rankme_client import ApiError, JobFailed, StillWaiting
from rankme_client.frames import BadFrame

from rankme.actions.panel import accounts, studies, sync
from rankme.models import Campaign, Invitation, PanelStudy
from tests.client.in_process import let_raters_work, site_of
from tests.panels.loop import Raters

pytestmark = pytest.mark.django_db
OUTPUTS = pd.DataFrame(
    {
        "input": [f"Question {number}?" for number in range(6)],
        "ours": [f"A full answer to question {number}." for number in range(6)],
        "baseline": [f"No idea {number}" for number in range(6)],
    }
)
SYSTEMS = ["ours", "baseline"]


@pytest.fixture
def site():
    return site_of()


def compare(site, outputs=OUTPUTS, **more):
    return rankme_client.compare(outputs, systems=SYSTEMS, site=site, **more)


def test_a_table_becomes_a_running_campaign(site):
    campaign = compare(site, question="Which answer helps more?", raters=4)
    made = Campaign.objects.get()
    assert (campaign.code, campaign.state) == (made.code, "running")
    assert made.items.count() == 6
    assert made.items.get(key="3").input == "Question 3?"
    assert set(made.systems.values_list("name", flat=True)) == set(SYSTEMS)
    progress = campaign.progress()
    assert (progress.screens, progress.screens_done, progress.is_done) == (18, 0, False)
    assert campaign.links()["open_link"].endswith(f"/r/{campaign.code}/")


@pytest.mark.slow
def test_the_same_call_finds_the_same_campaign(site):
    first, second = compare(site, raters=4), compare(site, raters=4)
    assert first.code == second.code
    assert compare(site, raters=5).code != first.code
    assert compare(site, OUTPUTS.assign(ours="Other."), raters=4).code != first.code
    assert Campaign.objects.count() == 3


def test_a_key_is_not_taken_for_other_outputs(site):
    compare(site, key="mine")
    with pytest.raises(ApiError) as refused:
        compare(site, OUTPUTS.assign(ours="Other."), key="mine")
    assert (refused.value.status, refused.value.code) == (409, "key_reused")
    stranger = site_of("sven")
    assert compare(stranger, key="mine").code
    assert Campaign.objects.count() == 2


@pytest.mark.parametrize("last", ["create", "upload", "fit"])
@pytest.mark.slow
def test_a_call_that_was_cut_short_goes_on(site, monkeypatch, last):
    """After this step the connection is gone; the next call has a campaign with all of it."""
    step = {"create": "upload", "upload": "fit", "fit": "launch"}[last]

    def is_cut(*_given, **_more):
        raise rankme_client.SiteAway("gone")

    with monkeypatch.context() as cut:
        cut.setattr(rankme_client.Campaign, step, is_cut)
        with pytest.raises(rankme_client.SiteAway):
            compare(site)
    assert Campaign.objects.get().state == "draft"
    assert compare(site).state == "running"
    assert Campaign.objects.get().items.count() == 6


def test_named_raters_get_links_once(site):
    named = ["Ann", "Ben", "Cem"]
    campaign = compare(site, raters=named)
    compare(site, raters=named)
    links = campaign.invitations()
    assert set(links["name"]) == set(named)
    assert Invitation.objects.count() == 3
    assert campaign.links()["open_link"] == ""


@pytest.mark.slow
def test_judgements_and_the_answer_come_back_as_tables(site):
    campaign = compare(site, raters=3)
    let_raters_work(campaign.links()["open_link"], 3, better=OUTPUTS["ours"])
    assert campaign.wait(timeout=1).progress().is_done
    judgements = campaign.judgements()
    assert set(judgements["system"]) == set(SYSTEMS)
    assert len(judgements) == 36  # two values for each of 18 comparisons
    answer = campaign.table()
    assert list(answer["System"]) == ["ours", "baseline"]
    report = campaign.report()
    assert report.run == campaign.report().run  # no judgement has come since
    assert "preference/agreement" in report.tables
    assert "bradley" in report.latex().lower()
    assert b"3 raters gave the analysed answers" in campaign.paper("methods.md")
    assert b"heds-criteria-criterion" in campaign.paper("heds.json")
    assert b"SHA-256" in campaign.paper("preregistration.md")
    for name, status in (("data.zip", 409), ("other.tex", 404)):
        with pytest.raises(ApiError) as refused:
            campaign.paper(name)
        assert refused.value.status == status


@pytest.mark.slow
def test_raters_of_a_panel_are_drafted_once_and_make_the_table(site, practice):
    """The script drafts the study; a person publishes it, and the panel sends its people."""
    owner = User.objects.get(username="olga")
    account = accounts.add_account(owner=owner, name="Lab", token=practice.token)
    panel = rankme_client.Panel(account.pk, reward=200, minutes=10, ceiling=3_000)
    campaign = compare(site, raters=3, panel=panel)
    assert compare(site, raters=3, panel=panel).code == campaign.code
    study = PanelStudy.objects.get()
    assert (study.places, study.reward, study.state) == (3, 200, "UNPUBLISHED")
    assert [each.status for each in practice.books.studies.values()] == ["UNPUBLISHED"]
    assert campaign.study()["ceiling"] == 3_000
    assert campaign.links()["open_link"] == ""
    raters = Raters(practice, studies.publish_study(study, by=owner))
    for name in ("ann", "ben", "cem"):
        person = raters.arrive(name)
        link = campaign.links()["panel_link"]
        for asked, given in (
            ("PROLIFIC_PID", person.participant),
            ("SESSION_ID", person.id),
            ("STUDY_ID", study.external_id),
        ):
            link = link.replace(f"{{{{%{asked}%}}}}", given)
        let_raters_work(link, 1, better=OUTPUTS["ours"])
        code = Campaign.objects.get().participants.get(external_id=person.participant)
        practice.books.submit(person, code.completion_code)
    assert list(campaign.wait(timeout=1).table()["System"]) == ["ours", "baseline"]
    sync.sync_study(raters.again())
    assert set(campaign.raters()["panel"]) == {"prolific"}


def test_waiting_ends_with_what_is_missing_and_how_to_go_on(site):
    campaign = compare(site)
    with pytest.raises(StillWaiting, match=rf"0 of .*resume\('{campaign.code}'\)"):
        campaign.wait(timeout=0)
    assert rankme_client.resume(campaign.code, site=site).progress() == campaign.progress()
    campaign.close()
    assert campaign.wait(timeout=0).state == "closed"


def test_problems_of_an_upload_are_told_with_their_lines(site):
    campaign = site.create(preset="likert-criteria", title="Mine")
    twice = pd.DataFrame({"system": ["a", "a"], "item": ["1", "1"], "output": ["x", "y"]})
    with pytest.raises(JobFailed, match=r"nothing was imported.\n- .*line"):
        campaign.upload(twice)


def test_one_system_cannot_be_compared(site):
    with pytest.raises(BadFrame, match="at least two systems"):
        rankme_client.compare(OUTPUTS, systems=["ours"], site=site)
    assert not Campaign.objects.exists()
