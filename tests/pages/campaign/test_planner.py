"""The planner of the launch page: its form, its answer, and who may ask."""

import json
from urllib.parse import urlencode

import pytest
from celery import current_app
from django.urls import reverse

from analysis.planning.pilots import read_pilot
from rankme.actions.campaign import pilots, plan_simulations
from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.campaign.planned_work import planned_work
from rankme.actions.campaign.planner import planned_of, planner_defaults
from rankme.actions.sitting.exclusions import exclude_rater
from rankme.errors import RefusedAction
from rankme.forms.planner import PlannerForm
from rankme.models import Campaign, Role
from rankme.models.campaigns import PROMISED
from rankme.protocols.files import preset
from rankme.queries.judgement_table import judgement_table
from rankme.worker import tasks
from tests.campaigns import make_campaign, make_owner, rankme_definition, slider_definition
from tests.pages.addresses import address
from tests.runs import rated_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft():
    return make_campaign(slider_definition(raters_per_trial=3), items=8, systems=4, launch=False)


def answer_to(olga, draft, **changes):
    fields = planner_defaults(draft, planned_work(draft)) | changes
    return olga.get(address("campaign-planner", draft), fields)


def test_the_launch_page_plans_with_the_numbers_of_the_drawn_plan(olga, draft):
    page = olga.get(address("campaign-launch", draft))
    assert page.status_code == 200
    size = page.context["outlook"].plan.size
    work = planned_work(draft)
    assert (size.raters, size.items, size.repeats) == (work.estimate.raters, 8, 3)
    assert (size.systems, size.on_a_screen, size.coverage) == (4, 1, 1.0)
    assert page.context["outlook"].plan.price.screens == work.plan.balance.trials * 3
    assert "Smallest difference found in 80 %" in page.text


def test_a_design_that_shows_a_part_of_the_systems_says_so(olga):
    draft = make_campaign(rankme_definition(), items=8, systems=4, launch=False)
    work = planned_work(draft)
    found = planner_defaults(draft, work)
    assert found["shown"] == 3
    assert found["coverage"] == pytest.approx(work.plan.systems.size / 32)
    asked = PlannerForm(found).data | {"spreads": "e2e-quality"}
    size = planned_of(draft, asked, by=draft.owner).outlook.plan.size
    assert size.screens == work.plan.balance.trials


def test_more_raters_find_smaller_differences(olga, draft):
    few, many = (answer_to(olga, draft, raters=each, items=50) for each in (6, 40))
    least = [each.context["outlook"].plan.prospect.detectable for each in (few, many)]
    assert least[1] < least[0]


def test_no_difference_is_promised_for_which_the_scale_has_no_room(olga, draft):
    """A slider to 100: three raters who scatter by 60 find nothing that an answer can show."""
    noisy = {"spreads": "own", "rater_system": 60, "item_system": 20, "residual": 30, "system": 10}
    few, many = (answer_to(olga, draft, raters=each, items=50, **noisy) for each in (3, 100))
    assert few.context["outlook"].plan.prospect.detectable > 100
    assert "No difference that fits on this scale, at most 100, is found" in few.text
    assert "No difference that fits" not in many.text
    title = "Smallest difference found in 80 %"
    least = [dict(each.context["plan_rows"])[title] for each in (few, many)]
    assert least[0] == dict(few.context["plan_rows"])["Interval of a difference, ±"] == ["–"]
    assert 10 < float(least[1][0]) < 100
    # In standard deviations a scale has no end.
    usual = answer_to(olga, draft, raters=3, repeats=1, items=3)
    assert "No difference that fits" not in usual.text


def test_a_primary_number_that_follows_from_marks_has_no_end_that_is_known(olga):
    definition = preset("esa")
    name = f"{definition.criteria[0].name}_score"
    assert name in definition.kinds
    definition = definition.model_copy(update={"primary": name})
    draft = make_campaign(definition, items=8, systems=4, launch=False)
    answer = answer_to(olga, draft, spreads="own", raters=3, rater_system=60, residual=30)
    assert answer.status_code == 200
    assert answer.context["planned"].widest is None


def test_equal_systems_have_no_order_and_no_share_of_differences(olga, draft):
    """Any order of equal systems is right: a chance of 1.00 would promise what nobody can find."""
    equal = {"spreads": "own", "rater_system": 5, "item_system": 5, "residual": 30, "system": 0}
    answer = answer_to(olga, draft, raters=12, items=50, **equal)
    rows = dict(answer.context["plan_rows"])
    assert rows["Share of the differences found"] == ["–"]
    assert rows["Chance that all come in the right order"] == ["–"]
    assert "there is no order to find" in answer.text


def test_an_answer_is_recorded_as_it_was_shown(olga, draft):
    shown = answer_to(olga, draft, raters=12, items=50)
    address = reverse("rankme:campaign-planner", args=[draft.code])
    answered = olga.post(address, {"asked": shown.context["asked"]})
    assert answered.url.startswith(reverse("rankme:campaign-launch", args=[draft.code]) + "?")
    assert "raters=12" in answered.url
    (event,) = draft.audit_events.filter(verb=PROMISED)
    prospect = shown.context["outlook"].plan.prospect
    assert (event.detail["raters"], event.detail["items"]) == (12, 50)
    assert event.detail["detectable"] == pytest.approx(prospect.detectable, abs=1e-4)


@pytest.mark.parametrize("asked", ["", "raters=many", "raters=3&raters=4", "%00=%ff", "a" * 9000])
def test_nothing_is_recorded_of_numbers_that_are_none(olga, draft, asked):
    address = reverse("rankme:campaign-planner", args=[draft.code])
    page = olga.post(address, {"asked": asked}, follow=True)
    assert "Nothing was recorded" in page.text
    impossible = planner_defaults(draft, planned_work(draft)) | {"repeats": 30, "raters": 5}
    page = olga.post(address, {"asked": urlencode(impossible)}, follow=True)
    assert "different raters" in page.text
    assert not draft.audit_events.filter(verb=PROMISED).exists()


def test_money_asks_for_the_best_plan(olga, draft):
    answer = answer_to(olga, draft, pay=12, money=50, most_raters=30)
    assert answer.status_code == 200
    best = answer.context["outlook"].best
    assert 0 < best.price.money <= 50.01
    assert best.size.raters <= 30
    assert "The best plan" in answer.text


def test_money_without_pay_limits_nothing_and_says_so(olga, draft):
    answer = answer_to(olga, draft, pay=0, money=50)
    assert answer.status_code == 422
    assert "Enter what an hour is paid" in answer.text


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"raters": "many"}, "whole number"),
        ({"repeats": 30, "raters": 5}, "different raters"),
        ({"raters": 10**9}, "less than or equal"),
        ({"seconds": "nan"}, "Seconds for a screen"),
    ],
)
def test_impossible_numbers_are_refused_with_their_field(olga, draft, changes, words):
    answer = answer_to(olga, draft, **changes)
    assert answer.status_code == 422
    assert words in answer.text


def test_two_raters_are_told_that_nothing_can_be_claimed(olga, draft):
    text = answer_to(olga, draft, raters=2, repeats=1).text
    assert "cannot find a" in text


def test_a_worker_checks_the_answer_by_simulated_campaigns(olga, draft, monkeypatch, servers):
    monkeypatch.setattr(plan_simulations, "MOST_CAMPAIGNS", 200)
    monkeypatch.setattr(plan_simulations, "SECONDS_BETWEEN_NOTES", 0.0)
    sent = []
    monkeypatch.setattr(
        current_app, "send_task", lambda name, args, retry: sent.append((name, args))
    )
    page = address("campaign-launch", draft)
    asked = planner_defaults(draft, planned_work(draft)) | {"raters": 12, "items": 30}
    sent_form = {"do": "simulate", "asked": urlencode(asked)}
    there = olga.post(address("campaign-planner", draft), sent_form)["Location"]
    assert there.startswith(f"{page}?") and "csrf" not in there
    assert "A worker is simulating" in olga.get(there).text
    olga.post(address("campaign-planner", draft), sent_form)
    [(task, arguments)] = sent
    assert task == plan_simulations.TASK
    tasks.simulate_plan(*json.loads(json.dumps(arguments)))
    shown = olga.get(there)
    result = shown.context["simulation"]["result"]
    formula = shown.context["planned"].outlook.plan.prospect
    assert result.campaigns == 200
    assert result.found == pytest.approx(formula.found, abs=0.1)
    assert "200 simulated campaigns with 12 raters and 30 items" in shown.text


def test_campaigns_that_are_too_large_are_not_simulated(olga, draft):
    page = address("campaign-launch", draft)
    text = olga.get(page, {"raters": 5_000, "items": 500_000, "repeats": 3}).text
    assert "too large to be simulated" in text and ">Simulate<" not in text


@pytest.fixture
def pilot(draft):
    rated = rated_campaign(slider_definition(raters_per_trial=3), raters=4, items=6)
    close_campaign(rated, by=rated.owner)
    return rated


@pytest.mark.slow
def test_a_closed_campaign_is_a_pilot(olga, draft, pilot):
    page = olga.get(address("campaign-launch", draft))
    assert f'value="pilot-{pilot.code}"' in page.text
    answer = answer_to(olga, draft, spreads=f"pilot-{pilot.code}")
    table = judgement_table(pilot).in_order()
    codes = (table.system.codes, table.rater.codes, table.item.codes)
    assert answer.context["pilot"] == read_pilot(table.value, *codes)
    assert pilot.audit_events.filter(detail__what="spreads for a plan").exists()
    assert "The pilot lets expect that" in " ".join(answer.text.split())
    first = answer.context["prediction"]
    assert 0 <= first.low <= first.found <= first.high <= 1
    exclude_rater(pilot.participants.first(), reason="Always 50.", by=pilot.owner)
    assert answer_to(olga, draft, spreads=f"pilot-{pilot.code}").context["prediction"] != first


@pytest.mark.slow
def test_a_pilot_of_few_systems_says_how_far_judgements_scatter_and_no_more(olga, draft):
    few = rated_campaign(slider_definition(raters_per_trial=3), raters=4, items=6, systems=4)
    close_campaign(few, by=few.owner)
    answer = answer_to(olga, draft, spreads=f"pilot-{few.code}")
    assert answer.context["pilot"] and answer.context["prediction"] is None
    assert "too few systems to say" in " ".join(answer.text.split())


def test_other_campaigns_are_refused_as_pilots(olga, draft, pilot, monkeypatch):
    monkeypatch.setattr(pilots, "MOST_JUDGEMENTS", 3)
    answer = answer_to(olga, draft, spreads=f"pilot-{pilot.code}")
    assert answer.status_code == 422 and "more than 3 judgements" in answer.text
    monkeypatch.undo()
    Campaign.objects.filter(pk=pilot.pk).update(owner=make_owner("sven"))
    pilot.memberships.create(user=draft.owner, role=Role.MONITOR)  # reads no reports
    asked = planner_defaults(draft, planned_work(draft)) | {"spreads": f"pilot-{pilot.code}"}
    with pytest.raises(RefusedAction, match="no closed campaign"):
        planned_of(draft, asked, by=draft.owner)
    assert answer_to(olga, draft, **asked).status_code == 422


def test_a_campaign_of_one_system_has_no_planner(olga):
    draft = make_campaign(slider_definition(), items=4, systems=1, launch=False)
    page = olga.get(address("campaign-launch", draft))
    assert "planner" not in page.context
