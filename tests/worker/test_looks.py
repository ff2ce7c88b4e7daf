"""Looks at a campaign while it runs: planned, refused, taken by a worker, kept, and reported."""

import io
import json

import pytest
from django.db import DatabaseError, transaction
from django.urls import reverse

from analysis.report.answer import answers_of
from analysis.report.bundle import read_bundle, report_json
from analysis.report.make import make_report
from analysis.report.stored import read_report
from rankme.actions.campaign import campaigns
from rankme.actions.runs import analysis_runs, looks
from rankme.actions.sitting import assignments
from rankme.actions.sitting.exclusions import exclude_rater
from rankme.errors import InvalidOptions, RefusedAction
from rankme.exporting.bundle import read_member, report_file, report_options
from rankme.exporting.registered import stored_preregistration
from rankme.exporting.seen import all_looks_sentence
from rankme.models import Campaign, Look, LookRequest
from rankme.models.looks import LOOKED
from rankme.queries.watching.looks import beginning_of, looking_of, why_no_look
from rankme.verification import verify_campaign
from tests.campaigns import make_owner, make_rater
from tests.looking import ANYTIME, GROUP, PLANNED, judge, looked_at, looking_definition
from tests.runs import asked, executed
from tests.sittings import claim
from tests.verification.forging import past_all_rules

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def judged_once(rows_of_the_module: None) -> Campaign:
    """Twelve raters, which is enough for a look. Tests roll back what they do to it."""
    return looked_at(12, **ANYTIME)


@pytest.fixture
def campaign(judged_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=judged_once.pk)


def take(campaign):
    request = looks.request_look(campaign, by=campaign.owner)
    assert looks.execute(request.pk, "worker")
    request.refresh_from_db()
    return request


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"looks": {"mode": "anytime"}}, "generality"),
        (GROUP | {"generality": "items"}, "generality"),
        (GROUP | {"crowd": {"batches_per_rater": 2}}, "batches_per_rater"),
        ({"looks": {"mode": "group-sequential", "number": 6}}, "number"),
        ({"looks": {"mode": "sometimes"}}, "mode"),
        ({"analysis": {"options": {"looking": {"mode": "anytime"}}}}, "looking"),
    ],
)
def test_plans_that_cannot_hold_are_refused(changes, place):
    with pytest.raises(Exception) as refused:
        looking_definition(**changes)
    assert place in str(refused.value) + str(getattr(refused.value, "problems", ""))


def test_several_criteria_need_a_primary_one():
    criteria = [
        {"name": name, "question": "How good?", "instrument": "slider"} for name in ("a", "b")
    ]
    screens = [{"name": "rate", "show": [{"block": "outputs"}], "ask": ["a", "b"]}]
    with pytest.raises(Exception, match="primary"):
        looking_definition(criteria=criteria, screens=screens, **GROUP)
    looking_definition(criteria=criteria, screens=screens, primary="a", **GROUP)


def test_a_fixed_plan_has_no_looks():
    campaign = looked_at(12, looks={})
    with pytest.raises(RefusedAction, match="analysed once"):
        looks.request_look(campaign, by=campaign.owner)
    assert looking_of(campaign) == {}


@pytest.mark.parametrize("changes", [ANYTIME, GROUP])
def test_three_raters_are_refused_with_the_reason(changes):
    campaign = looked_at(3, **changes)
    with pytest.raises(RefusedAction, match=r"needs 12 raters .* There are 3"):
        looks.request_look(campaign, by=campaign.owner)


def test_raters_count_up_to_the_first_whose_sitting_has_not_ended():
    campaign = looked_at(3, **ANYTIME)
    open_sitting = claim(make_rater(campaign, "slow"))
    judge(campaign, 5)
    labels = list(campaign.assignments.order_by("pk").values_list("participant__label", flat=True))
    assert beginning_of(campaign).labels == tuple(labels[:3])
    assignments.free_lease(open_sitting, by=campaign.owner)
    assert beginning_of(campaign).labels == tuple(labels)
    assert beginning_of(campaign).judged == 4


def test_excluded_raters_do_not_count_towards_a_look(campaign):
    assert why_no_look(campaign) == ""
    exclude_rater(campaign.participants.first(), reason="asleep", by=campaign.owner)
    assert "There are 11" in why_no_look(campaign)


def test_a_look_is_kept_in_the_record_and_cannot_change(campaign):
    request = take(campaign)
    assert (request.state, request.error) == ("done", "")
    look = campaign.looks.get()
    assert (look.number, look.raters, look.proposes_to_stop) == (1, 12, True)
    event = campaign.audit_events.get(verb=LOOKED)
    assert event.detail == {"number": 1, "sha256": look.sha256}
    assert verify_campaign(campaign).fault == ""
    for change in (
        lambda: Look.objects.update(raters=20),
        lambda: Look.objects.all().delete(),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()


def test_a_changed_look_is_found(campaign):
    take(campaign)
    with past_all_rules():
        Look.objects.update(proposes_to_stop=False)
    assert "look 1" in verify_campaign(campaign).fault


def test_nobody_looks_twice_at_the_same_raters(campaign):
    take(campaign)
    with pytest.raises(RefusedAction, match="No further rater"):
        looks.request_look(campaign, by=campaign.owner)
    judge(campaign, 13)
    take(campaign)
    assert campaign.looks.count() == 2


def test_group_sequential_looks_end_before_the_last_one():
    campaign = looked_at(12, **GROUP)
    take(campaign)
    with pytest.raises(RefusedAction, match="All planned looks"):
        looks.request_look(campaign, by=campaign.owner)


def test_late_looks_of_a_group_need_further_raters():
    campaign = looked_at(17, looks={"mode": "group-sequential", "number": 3})
    take(campaign)
    with pytest.raises(RefusedAction, match="No further rater"):
        looks.request_look(campaign, by=campaign.owner)


def test_one_look_is_computed_at_a_time(campaign):
    looks.request_look(campaign, by=campaign.owner)
    with pytest.raises(RefusedAction, match="already being computed"):
        looks.request_look(campaign, by=campaign.owner)
    assert LookRequest.objects.count() == 1


def test_a_look_that_is_no_longer_possible_says_why(campaign):
    request = looks.request_look(campaign, by=campaign.owner)
    exclude_rater(campaign.participants.first(), reason="asleep", by=campaign.owner)
    looks.execute(request.pk, "worker")
    request.refresh_from_db()
    assert request.state == "failed"
    assert "There are 11" in request.error
    assert not campaign.looks.exists()


@pytest.mark.parametrize("changes", [ANYTIME, GROUP])
@pytest.mark.slow
def test_the_report_claims_by_its_looks_and_has_them_in_its_bundle(changes):
    campaign = looked_at(12, better=40, **changes)
    take(campaign)
    campaigns.close_campaign(campaign, by=campaign.owner)
    run = executed(asked(campaign), pictures=())
    plan = report_options(run).look_plan
    assert (plan.mode, plan.looks, len(plan.order)) == (changes["looks"]["mode"], (12,), 12)
    answer_of_run = answers_of(read_report(run.result["report"]))[0]
    assert "is the best system" in answer_of_run.headline
    assert "in the order in which they began" in answer_of_run.sentence
    kept = json.loads(read_member(run, "planned_looks.json"))
    assert [look["sha256"] for look in kept] == [campaign.looks.get().sha256]
    assert all_looks_sentence(run).startswith("Looks that the plan allows were taken once. Nobody")
    deviations = " ".join(run.result["deviations"])
    assert "planned were" not in deviations
    assert "before everything" not in deviations
    with report_file(run, "bundle.zip").content as bundle:
        again = read_bundle(io.BytesIO(bundle.read()))
    assert again.options.look_plan == plan
    assert json.loads(report_json(make_report(again.table, again.options))) == again.report


@pytest.mark.slow
def test_an_end_that_no_look_proposed_is_a_deviation():
    campaign = looked_at(12, better=0, **ANYTIME)
    take(campaign)
    assert not campaign.looks.get().proposes_to_stop
    campaigns.close_campaign(campaign, by=campaign.owner)
    deviations = " ".join(executed(asked(campaign), pictures=()).result["deviations"])
    assert f"12 raters are in this analysis, planned were {PLANNED}" in deviations
    assert "closed before everything" in deviations


def test_nobody_chooses_how_an_analysis_allows_for_looks(campaign):
    with pytest.raises(InvalidOptions, match="follows from"):
        analysis_runs.request_run(campaign, {"looking": {}}, by=campaign.owner)


def test_how_it_is_looked_at_is_registered_and_fixed_at_the_launch():
    campaign = looked_at(0, **GROUP)
    said = json.dumps(stored_preregistration(campaign))
    assert "2 group-sequential looks" in said
    assert "any time" in json.dumps(stored_preregistration(looked_at(0, **ANYTIME)))


# --- the monitor -------------------------------------------------------------------------------


def monitor(client, campaign):
    return client.get(reverse("rankme:campaign-monitor", args=[campaign.code])).content.decode()


def test_the_monitor_of_a_fixed_plan_says_why_there_is_no_ranking(olga):
    page = monitor(olga, looked_at(1, looks={}))
    assert "No ranking is shown" in page
    assert "Look now" not in page


def test_the_monitor_offers_a_look_and_shows_it_with_codes(olga, campaign):
    assert "Look now" in monitor(olga, campaign)
    address = reverse("rankme:campaign-look", args=[campaign.code])
    assert olga.get(address).status_code == 405
    olga.post(address)
    looks.execute(campaign.look_requests.get().pk, "worker")
    page = monitor(olga, campaign)
    assert "You may stop" in page
    names = campaign.systems.values_list("name", flat=True)
    section = page.partition('id="looks"')[2].partition("</section>")[0]
    assert not any(f"{name} was found" in section for name in names)
    assert "No further rater has ended" in section


def test_strangers_cannot_look(client, campaign):
    client.force_login(make_owner("mallory"))
    answered = client.post(reverse("rankme:campaign-look", args=[campaign.code]))
    assert answered.status_code == 404
    assert not LookRequest.objects.exists()
