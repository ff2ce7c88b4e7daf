"""How long an answer takes says nothing about the page: every page costs the same statements."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from rankme.models import CheckTrial
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


# The order of a batch depends on the numbers of its trials; here some begin with checks alone.
@pytest.mark.parametrize("first", [1_003, 1_017, 1_021])
@pytest.mark.parametrize("rules", [{"exclude_if": RULE, "flag_if": "median_seconds < 1"}, {}])
@pytest.mark.slow
def test_plain_and_check_pages_cost_the_same_statements(rules, first):
    with connection.cursor() as cursor:
        cursor.execute("ALTER SEQUENCE rankme_trial_id_seq RESTART WITH %s", [first])
    campaign = make_campaign(slider_definition(checks=CHECKS, rules=rules), items=16, systems=2)
    assignment = claim(make_rater(campaign))
    checks = dict(CheckTrial.objects.values_list("trial_id", "kind"))
    found: dict[tuple[str, ...], set[str]] = {}
    pages = assignment.presentation
    for place, (trial, _order) in enumerate(pages[:-1]):
        value = 20.0 if checks.get(trial) == "instructed" else 40.0 + trial % 17
        with CaptureQueriesContext(connection) as queries:
            answer(assignment, place, value=value)
        if place > 1:  # caches are filled
            found.setdefault(statements(queries), set()).add(checks.get(trial, "plain"))
    assert len(found) == 1, found
