"""A rule tried on the answers so far, at its own bounds and at others."""

import pytest
from django.urls import reverse

from analysis.checks.rules import other_bounds, parse_rule, with_bound
from rankme.models import RaterExclusion, RuleDecision
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.checks.raters import CHECKS, work
from tests.sittings import claim, finish


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("look.failed >= 2", (0, 1, 2, 3, 4)),
        ("look.failed >= 1", (0, 1, 2, 3)),
        ("spoiled.paired_p > .05", (0.025, 0.0375, 0.05, 0.075, 0.1)),
        ("same_answer_share > .9", (0.45, 0.675, 0.9)),
        ("median_seconds < 4", (2, 3, 4, 6, 8)),
    ],
)
def test_bounds_are_tried_that_the_measure_can_have(text, bounds):
    assert other_bounds(parse_rule(text)) == pytest.approx(bounds)


def test_another_bound_changes_its_own_comparison_alone():
    rule = parse_rule("look.failed >= 1 and not (look.failed >= 12 or again.icc < .3)")
    first, second, _icc = rule.comparisons()
    measures = {"look.failed": 2.0, "again.icc": 0.5}
    assert rule.truth(measures, is_final=True)
    assert not with_bound(rule, first, 3).truth(measures, is_final=True)
    assert not with_bound(rule, second, 2).truth(measures, is_final=True)
    assert rule.truth(measures, is_final=True), "the rule itself stays"


pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def campaign(rows_of_the_module):
    """A campaign with a rule that catches nobody, a careful rater and a careless one."""
    definition = slider_definition(
        checks=CHECKS, rules={"exclude_if": "look.failed >= 3"}, crowd={"pay_per_batch": 2.5}
    )
    found = make_campaign(definition, items=16, systems=2)
    for name in ("careful", "careless"):
        held = claim(make_rater(found, name))
        work(held, careful=name == "careful")
        finish(held)  # without it, a check that fails on the last page leaves the sitting open
    return found


def tried(olga, campaign, **asked):
    here = reverse("rankme:campaign-rule-trial", args=[campaign.code])
    return olga.get(here, asked)


@pytest.mark.slow
def test_a_trial_says_whom_a_rule_would_catch_and_what_that_costs(olga, campaign):
    before = RuleDecision.objects.count(), RaterExclusion.objects.count()
    page = tried(olga, campaign, rule="spoiled.paired_p > .05 or median_seconds < 1")
    trial = page.context["trial"]
    assert (trial.tried, trial.whole.raters, trial.whole.batches) == (2, 1, 1)
    assert trial.whole.pay == 2.5
    assert [part.raters for part in trial.by_part] == [1, 0]
    assert [each.parts for each in trial.caught] == [("spoiled.paired_p > .05",)]
    assert "2.50 GBP" in page.content.decode()
    assert (RuleDecision.objects.count(), RaterExclusion.objects.count()) == before


@pytest.mark.slow
def test_a_trial_moves_each_bound_of_the_rule_of_the_launch(olga, campaign):
    """The careful rater fails none of three, the careless one all."""
    page = tried(olga, campaign)
    [bounds] = page.context["trial"].variations
    assert [(each.text, each.raters) for each in bounds] == [
        ("look.failed >= 1", 1),
        ("look.failed >= 2", 1),
        ("look.failed >= 3", 1),
        ("look.failed >= 4", 0),
        ("look.failed >= 5", 0),
    ]
    assert [each.is_tried for each in bounds] == [False, False, True, False, False]
    assert page.context["is_of_the_launch"]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ("look.fail >= 2", "there is no measure"),
        ("look.failed >=", "the rule ends"),
        ("look.failed >= 0", "is true of every rater"),
        ("pasted_share > .5", "measured by traces"),
        ("x" * 1_001, "at most 1,000 characters"),
    ],
)
@pytest.mark.slow
def test_a_rule_that_cannot_be_used_is_refused_with_its_reason(olga, campaign, rule, said):
    page = tried(olga, campaign, rule=rule)
    assert page.status_code == 200 and "trial" not in page.context
    assert any(said in problem for problem in page.context["problems"])


@pytest.mark.slow
def test_without_a_rule_the_page_says_how_to_write_one(olga, campaign):
    page = tried(olga, campaign, rule="")
    assert page.context["trial"] is None and "No rule yet" in page.content.decode()


@pytest.mark.slow
def test_agreement_can_be_tried_where_the_launch_does_not_ask_for_it(olga, campaign):
    trial = tried(olga, campaign, rule="agreement < 1").context["trial"]
    assert trial.tried == 2
