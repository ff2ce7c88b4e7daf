"""How long an answer takes says nothing about the page: every page costs the same statements."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rankme.actions.sitting import presentations
from rankme.models import CheckTrial, Participant
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.checks.raters import CHECKS, RULE
from tests.sittings import answer, claim

pytestmark = pytest.mark.django_db


def statements(queries: CaptureQueriesContext) -> tuple[str, ...]:
    """The statements, each by its first words and the first table that it names."""
    return tuple(
        " ".join([query["sql"].split(" ", 1)[0], *re.findall(r"rankme_\w+", query["sql"])[:1]])
        for query in queries.captured_queries
    )


def answer_all_but_the_last(rater: Participant) -> dict[tuple[str, ...], set[str]]:
    """By the statements of a page: what kinds of pages cost them."""
    assignment = claim(rater)
    checks = dict(CheckTrial.objects.values_list("trial_id", "kind"))
    found: dict[tuple[str, ...], set[str]] = {}
    for place, (trial, _order) in enumerate(assignment.presentation[:-1]):
        value = 20.0 if checks.get(trial) == "instructed" else 40.0 + trial % 17
        with CaptureQueriesContext(connection) as queries:
            answer(assignment, place, value=value)
        if place > 0:  # the first page of a sitting has no page before it
            found.setdefault(statements(queries), set()).add(checks.get(trial, "plain"))
    return found


@pytest.mark.parametrize("compared_first", [True, False])
@pytest.mark.parametrize("rules", [{"exclude_if": RULE, "flag_if": "median_seconds < 1"}, {}])
@pytest.mark.slow
def test_plain_and_check_pages_cost_the_same_statements(rules, compared_first, monkeypatch):
    def in_this_order(presentation, checks, _seed):
        compared = {*checks, *(check.source_id for check in checks.values())}
        return sorted(presentation, key=lambda page: (page[0] in compared) != compared_first)

    monkeypatch.setattr(presentations, "in_an_order_that_keeps_apart", in_this_order)
    definition = slider_definition(checks=CHECKS, rules=rules, raters_per_trial=2)
    campaign = make_campaign(definition, items=16, systems=2)
    answer_all_but_the_last(make_rater(campaign, "one"))  # fills the caches
    found = answer_all_but_the_last(make_rater(campaign, "two"))
    assert len(found) == 1, "\n".join(f"{kinds}: {which}" for which, kinds in found.items())
