"""The organiser's pages: what each says, does and refuses."""

import re
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from rankme.actions.audit import note
from rankme.actions.campaign import campaigns
from rankme.actions.sitting import assignments, exclusions, participation
from rankme.models import Assignment, Campaign, Invitation, RaterExclusion
from rankme.pages.campaign.next_step import next_step
from tests.campaigns import (
    add_material,
    make_campaign,
    make_owner,
    make_rater,
    rankme_definition,
    slider_definition,
)
from tests.pages.addresses import address
from tests.runs import rated_campaign
from tests.sittings import answer

pytestmark = pytest.mark.django_db


def draft(**material) -> Campaign:
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    if material:
        add_material(campaign, **material)
    return campaign


# --- The front door -----------------------------------------------------------------------------


def test_home_welcomes_strangers_and_leads_organisers_to_their_campaigns(client):
    page = client.get("/").text
    assert "there is no sign-up" in page
    assert reverse("account_login") in page
    client.force_login(make_owner())
    assert client.get("/")["Location"] == reverse("rankme:campaigns")


def test_logging_in_leads_to_where_one_wanted_to_go(client):
    get_user_model().objects.create_user("olga", password="a-long-enough-one")
    campaign = draft()
    asked = client.get(address("campaign", campaign))["Location"]
    answer = client.post(asked, {"login": "olga", "password": "a-long-enough-one"})
    assert answer.status_code == 302
    foreign = "/login/?next=https://elsewhere.example/"
    client.logout()
    answer = client.post(foreign, {"login": "olga", "password": "a-long-enough-one"})
    assert answer["Location"] == "/"


def test_an_empty_list_says_what_to_do_next(olga):
    page = olga.get(reverse("rankme:campaigns")).text
    assert "No campaigns yet" in page
    assert reverse("rankme:campaign-start") in page


def test_the_list_shows_state_and_progress(olga):
    rated_campaign(raters=2)
    page = olga.get(reverse("rankme:campaigns")).text
    assert "Running" in page
    assert "2 of 4" in page


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({}, {"Red wine", "White wine", "Beer"}),
        ({"title": "WINE"}, {"Red wine", "White wine"}),
        ({"title": "wine", "state": "running"}, {"White wine"}),
        ({"state": "archive"}, {"Beer"}),
        ({"title": "\0"}, set()),
        ({"title": "%"}, set()),
        ({"page": "99"}, {"Red wine", "White wine", "Beer"}),
    ],
)
def test_the_list_is_searched_by_title_and_state(olga, asked, found):
    owner = make_owner()
    campaigns.create_campaign(owner, slider_definition(title="Red wine"))
    make_campaign(slider_definition(title="White wine"), owner=owner)
    campaigns.create_campaign(owner, slider_definition(title="Beer"), is_archive=True)
    make_campaign(slider_definition(title="Wine of a stranger"), owner=make_owner("stan"))
    page = olga.get(reverse("rankme:campaigns"), asked)
    assert {campaign.title for campaign in page.context["campaigns"]} == found
    assert ("No campaign was found." in page.text) == (not found)


# --- The next step ------------------------------------------------------------------------------


def test_the_next_step_is_always_the_one_to_do_now(olga):
    campaign = draft()
    assert next_step(campaign).address == address("campaign-material", campaign)
    line = '<span class="soft">Step 2 of 4:</span>'
    assert line in olga.get(address("campaign-history", campaign)).text
    add_material(campaign, items=2, systems=2)
    assert line not in olga.get(address("campaign-history", campaign)).text
    assert next_step(campaign).address == address("campaign-launch", campaign)
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    assert next_step(campaign).address == address("campaign-links", campaign)
    make_rater(campaign)
    assert "Raters are working" in next_step(campaign).title
    campaign.slots.update(state="done")
    assert "close and analyse" in next_step(campaign).title
    campaign = campaigns.pause_campaign(campaign, by=campaign.owner)
    assert "paused" in next_step(campaign).title
    campaign = campaigns.close_campaign(campaign, by=campaign.owner)
    step = next_step(campaign)
    assert step.address == address("analysis-runs", campaign)
    assert step.title in olga.get(address("campaign", campaign)).text


def test_an_upload_that_waits_is_the_next_step():
    campaign = draft(items=2, systems=2)
    campaign.material_imports.create(phase="previewed", state="done")
    assert next_step(campaign).address == address("campaign-material", campaign)


# --- Launch -------------------------------------------------------------------------------------


def test_the_plan_is_shown_before_anything_is_stored(olga):
    campaign = campaigns.create_campaign(
        make_owner(),
        rankme_definition(crowd={"pay_per_batch": 5, "expected_seconds_per_screen": 30}),
    )
    add_material(campaign, items=8, systems=5)
    page = olga.get(address("campaign-launch", campaign))
    assert page.context["estimate"].cost == 5 * page.context["estimate"].sittings
    assert page.context["balance"].trials == 8
    assert {name for name, _ in page.context["systems"]} == {f"Sys{n}" for n in range(5)}
    assert not campaign.batches.exists()
    assert Campaign.objects.get().is_draft


def test_the_plan_that_is_shown_is_the_plan_that_is_launched(olga):
    campaign = draft(items=8, systems=4)
    shown = olga.get(address("campaign-launch", campaign)).context["plan"]
    assert olga.post(address("campaign-launch", campaign), {"sure": "on"}).status_code == 302
    campaign.refresh_from_db()
    assert campaign.is_running
    assert campaign.plan.balance["batches"] == len(shown.batch_sizes)
    stored = [batch.trials.count() for batch in campaign.batches.all()]
    assert stored == shown.batch_sizes.tolist()


def test_nobody_launches_without_being_sure(olga):
    campaign = draft(items=4, systems=4)
    answer = olga.post(address("campaign-launch", campaign))
    assert answer.status_code == 422
    assert "Tick this box first." in answer.text
    assert Campaign.objects.get().is_draft


def test_what_cannot_be_launched_says_why(olga):
    page = olga.get(address("campaign-launch", draft())).text
    assert "There is no material yet" in page
    assert 'name="sure"' not in page


def test_a_panel_without_its_code_is_a_problem_on_the_launch_page(olga):
    definition = slider_definition(crowd={"panel": "prolific"})
    campaign = campaigns.create_campaign(make_owner(), definition)
    add_material(campaign, items=2, systems=2)
    page = olga.get(address("campaign-launch", campaign)).text
    assert "pays raters by the completion code of its study" in page
    assert 'name="sure"' not in page


def test_the_launch_page_shows_what_will_be_claimed(olga):
    campaign = make_campaign(launch=False)
    page = olga.get(address("campaign-launch", campaign)).text
    assert "New raters and new items" in page and "nothing is adjusted" in page
    claims = {"generality": "raters", "primary": "fluency", "equivalence": {"fluency": 5}}
    campaign = make_campaign(slider_definition(**claims), launch=False)
    page = olga.get(address("campaign-launch", campaign)).text
    assert "New raters of these items" in page and "<bdi>fluency</bdi> ± 5" in page


# --- Links --------------------------------------------------------------------------------------


def test_the_links_are_those_that_let_raters_in(olga, client):
    campaign = make_campaign()
    page = olga.get(address("campaign-links", campaign))
    open_link, panel_link = page.context["open_link"], page.context["panel_link"]
    assert open_link.endswith(address("enter", campaign))
    assert panel_link == f"{open_link}?id=ID&session=SESSION"
    client.logout()
    assert client.get(open_link).status_code == 200


def test_a_panels_link_has_its_own_names(olga):
    crowd = {"panel": "prolific", "completion_code": "C0DE"}
    campaign = make_campaign(slider_definition(crowd=crowd))
    link = olga.get(address("campaign-links", campaign)).context["panel_link"]
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in link
    assert "SESSION_ID={{%SESSION_ID%}}" in link


def test_a_closed_door_is_not_offered(olga):
    campaign = make_campaign(slider_definition(crowd={"open_link": False}))
    context = olga.get(address("campaign-links", campaign)).context
    assert (context["open_link"], context["panel_link"]) == ("", "")


def test_personal_links_are_made_listed_and_downloaded(olga, client):
    campaign = make_campaign()
    names = "Ada\r\n=cmd|calc\r\n\r\n"
    answer = olga.post(address("campaign-links", campaign), {"names": names, "unnamed": "2"})
    assert answer.status_code == 302
    assert sorted(Invitation.objects.values_list("name", flat=True)) == ["", "", "=cmd|calc", "Ada"]
    file = olga.get(address("campaign-invitations", campaign))
    rows = file.text.splitlines()
    assert rows[0] == "name,link"
    assert not any(row.startswith(("=", "+", "-", "@", "\t", "\r")) for row in rows)
    ada = next(row for row in rows if row.startswith("Ada,"))
    assert client.get(ada.partition(",")[2]).status_code == 200
    assert len({row.rpartition("=")[2] for row in rows[1:]}) == 4


def test_links_without_names_or_number_are_refused(olga):
    campaign = make_campaign()
    answer = olga.post(address("campaign-links", campaign), {"names": " ", "unnamed": "0"})
    assert answer.status_code == 422
    assert not Invitation.objects.exists()


# --- Monitor ------------------------------------------------------------------------------------


def test_the_monitor_counts_what_was_judged(olga):
    campaign = rated_campaign(raters=3, items=8)
    page = olga.get(address("campaign-monitor", campaign)).context
    sent = sum(len(one.presentation) for one in campaign.assignments.all())
    assert page["progress"].screens_done == sent
    assert (page["progress"].done, page["progress"].batches) == (3, 4)
    assert sum(system.judged for system in page["systems"]) == 3 * sent
    assert page["pace"].screens_per_hour > 0
    # One criterion about each of three outputs on a screen.
    assert page["pace"].judgements_per_hour == pytest.approx(3 * page["pace"].screens_per_hour)
    assert sum(hour.screens for hour in page["hours"]) == sent


def test_pairs_are_counted_by_the_screens_that_show_both(olga):
    campaign = rated_campaign(raters=4, items=8)
    pairs = olga.get(address("campaign-monitor", campaign)).context["pairs"]
    assert pairs.least >= 1
    total = sum(cell for _, row in pairs.rows for cell in row if cell)
    screens = sum(len(one.presentation) for one in campaign.assignments.all())
    assert total == screens * 3 * 2  # three outputs make three pairs, each counted from both ends
    assert all(row[place] is None for place, (_, row) in enumerate(pairs.rows))


def test_a_screen_that_was_changed_counts_once(olga):
    campaign = make_campaign()
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    first = answer(held, 0, value=40)
    answer(held, 0, value=60, replaces=str(first.key))
    page = olga.get(address("campaign-monitor", campaign)).context
    assert page["progress"].screens_done == 1
    assert sum(system.judged for system in page["systems"]) == 1


def test_the_monitor_asks_the_database_no_more_often_for_more_raters(olga):
    few, many = rated_campaign(raters=1, items=8), rated_campaign(raters=4, items=8)
    statements = []
    for campaign in (few, many):
        olga.get(address("campaign-monitor", campaign))
        with CaptureQueriesContext(connection) as asked:
            olga.get(address("campaign-monitor", campaign))
        statements.append(len(asked))
    assert statements[0] == statements[1]


def test_a_lease_that_ran_out_is_marked_and_freed(olga):
    campaign = make_campaign()
    held = assignments.claim_batch(make_rater(campaign))
    page = olga.get(address("campaign-monitor", campaign)).text
    free = address("campaign-lease-free", campaign, held.pk)
    assert free in page and "overdue" not in page
    Assignment.objects.filter(pk=held.pk).update(leased_until=timezone.now() - timedelta(minutes=1))
    assert "overdue" in olga.get(address("campaign-monitor", campaign)).text
    assert olga.post(free).status_code == 302
    held.refresh_from_db()
    assert held.state == Assignment.State.FREED
    again = olga.post(free, follow=True)
    assert "no longer held" in again.text


def test_a_campaign_is_paused_resumed_and_closed(olga):
    campaign = make_campaign()
    olga.post(address("campaign-pause", campaign))
    assert Campaign.objects.get().state == "paused"
    olga.post(address("campaign-resume", campaign))
    assert Campaign.objects.get().state == "running"
    assert (
        "You can reopen the campaign with a reason"
        in olga.get(address("campaign-close", campaign)).text
    )
    assert Campaign.objects.get().state == "running"
    olga.post(address("campaign-close", campaign))
    assert Campaign.objects.get().state == "closed"
    refused = olga.post(address("campaign-resume", campaign), follow=True)
    assert "not possible while the campaign is in the state “Closed”" in refused.text


def test_a_draft_is_deleted_only_after_asking(olga):
    campaign = draft(items=2, systems=2)
    assert "cannot be undone" in olga.get(address("campaign-delete", campaign)).text
    assert Campaign.objects.exists()
    olga.post(address("campaign-delete", campaign))
    assert not Campaign.objects.exists()


def test_a_launched_campaign_is_to_be_deleted_once_its_title_is_typed_and_can_be_kept(olga):
    campaign = make_campaign()
    page = address("campaign-delete", campaign)
    assert "Close the campaign first" in olga.get(page).text
    refused = olga.post(page, {"title": campaign.title})
    assert refused.status_code == 422 and "Close the campaign first" in refused.text
    campaigns.close_campaign(campaign, by=campaign.owner)
    assert "Type it as it is written above" in olga.get(page).text
    assert "not the title" in olga.post(page, {"title": "Another"}).text
    assert "will be deleted on" in olga.post(page, {"title": campaign.title}, follow=True).text
    assert "will be deleted on" in olga.get(address("campaign", campaign)).text
    assert "Delete this campaign?" in olga.post(page, {"decision": "keep"}, follow=True).text
    assert "will be deleted on" not in olga.get(address("campaign", campaign)).text


# --- Raters -------------------------------------------------------------------------------------


def test_a_rater_is_excluded_with_a_reason_and_readmitted(olga):
    campaign = rated_campaign(raters=1)
    rater = campaign.participants.get()
    page = address("campaign-rater", campaign, rater.label)
    assert olga.post(page, {"reason": " "}).status_code == 422
    assert olga.post(page, {"reason": "a\x00b"}).status_code == 422
    assert not RaterExclusion.objects.exists()
    olga.post(page, {"reason": "All at the same place."})
    assert "All at the same place." in olga.get(page).text
    assert "excluded" in olga.get(address("campaign-raters", campaign)).text
    olga.post(address("campaign-rater-readmit", campaign, rater.label))
    assert RaterExclusion.objects.get().withdrawn_at is not None
    assert rater.assignments.get().submissions.exists()
    assert "Excluded from" in olga.get(page).text


def test_raters_are_named_by_label_and_never_by_the_panels_id(olga):
    campaign = make_campaign()
    rater = make_rater(campaign, "5f1d-panel-id")
    assignments.claim_batch(rater)
    for name in ("campaign-raters", "campaign-monitor"):
        page = olga.get(address(name, campaign)).text
        assert rater.label in page
        assert "5f1d-panel-id" not in page


def test_an_invited_rater_is_listed_by_name(olga):
    campaign = make_campaign()
    invitation = campaign.invitations.create(token="t", name="Ada")
    participation.enter(campaign, panel="invitation", external_id=str(invitation.pk))
    assert "Ada" in olga.get(address("campaign-raters", campaign)).text


def test_slow_and_fast_raters_are_marked(olga):
    campaign = make_campaign(items=4, systems=4)
    for name, seconds in (("a", 20), ("b", 22), ("c", 70), ("d", 5)):
        rater = make_rater(campaign, name)
        held = assignments.claim_batch(rater)
        answer(held, 0, value=50, times={"spent_ms": seconds * 1000})
    lines = olga.get(address("campaign-raters", campaign)).context["raters"]
    assert {line.seconds_per_screen: line.pace for line in lines} == {
        20: "",
        22: "",
        70: "slow",
        5: "fast",
    }


def test_comments_of_raters_are_shown_as_text(olga):
    campaign = make_campaign()
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)
    answer(held, 0, value=50, comment="<script>alert(1)</script>")
    page = olga.get(address("campaign-rater", campaign, rater.label)).text
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert" not in page


def test_nobody_yet_says_where_the_links_are(olga):
    campaign = make_campaign()
    page = olga.get(address("campaign-raters", campaign)).text
    assert "No raters yet" in page
    assert address("campaign-links", campaign) in page


# --- History ----------------------------------------------------------------------------------


def test_the_history_tells_who_did_what(olga):
    campaign = make_campaign()
    exclusions.exclude_rater(make_rater(campaign), reason="Bots.", by=make_owner())
    note(campaign, make_owner(), "upload imported", files=["a.csv", "b.csv"], data_sha256="f00")
    page = olga.get(address("campaign-history", campaign)).text
    for verb in ("created", "launched", "rater excluded"):
        assert f">{verb}</td>" in page
    details = ("reason", "Bots."), ("files", "a.csv, b.csv"), ("data sha256", "f00")
    for name, value in details:
        assert re.search(rf"{name}: <span\s+class=\"given\"\s*>{value}</span>", page)


def test_titles_of_any_script_stay_text(olga):
    campaign = campaigns.create_campaign(
        make_owner(), slider_definition(title='<img src=x onerror="alert(1)">')
    )
    for name in ("campaign", "campaign-edit", "campaign-members"):
        assert "<img src=x" not in olga.get(address(name, campaign)).text
    assert "<img src=x" not in olga.get(reverse("rankme:campaigns")).text


# --- The order of the list, closed campaigns, archives, pictures --------------------------------


def test_the_newest_campaign_comes_first(olga):
    titles = ["a", "c", "b", "d"]
    for days, title in enumerate(titles):
        campaign = campaigns.create_campaign(make_owner(), slider_definition(title=title))
        made = timezone.now() - timedelta(days=days)
        Campaign.objects.filter(pk=campaign.pk).update(created_at=made)
    listed = olga.get(reverse("rankme:campaigns")).context["campaigns"]
    assert [campaign.title for campaign in listed] == titles
    assert listed.paginator.object_list.query.order_by == ("-created_at", "-pk")


def test_a_closed_campaign_offers_no_links(olga):
    campaign = make_campaign()
    campaigns.close_campaign(campaign, by=campaign.owner)
    page = address("campaign-links", campaign)
    shown = olga.get(page).text
    assert "This campaign is closed" in shown
    assert address("enter", campaign) not in shown
    assert '<textarea name="names"' not in shown
    answer = olga.post(page, {"names": "Ada", "unnamed": "0"}, follow=True)
    assert "would not let anybody in" in answer.text
    assert not campaign.invitations.exists()


PICTURES = '{"images": [{"svg": "<svg xmlns=\'http://www.w3.org/2000/svg\'/>"}]}'


@pytest.mark.parametrize(
    "wrong", ["im19.jpg", "", '{"images": []}', '{"images": [{"src": "a.png"}]}']
)
def test_a_campaign_without_its_pictures_is_not_launched(olga, wrong):
    definition = slider_definition(
        input_kind="images",
        screens=[{"name": "rate", "show": ["images", "outputs"], "ask": ["fluency"]}],
    )
    campaign = make_campaign(definition, items=3, launch=False)
    campaign.items.update(input=PICTURES)
    assert "refusal" not in olga.get(address("campaign-launch", campaign)).context
    campaign.items.filter(key="item-1").update(input=wrong)
    page = olga.get(address("campaign-launch", campaign)).text
    assert "Item “item-1” has no pictures to show" in page and "TUNA" in page
    preview = olga.get(address("preview", campaign) + "?page=work")
    assert "has no pictures to show" in preview.text
    olga.post(address("campaign-launch", campaign), {"sure": "on"})
    assert Campaign.objects.get().is_draft
