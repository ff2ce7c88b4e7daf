"""Statements that PostgreSQL keeps the plan of, and objects of models from their rows."""

import pytest
from django.db import NotSupportedError, ProgrammingError, connection, transaction

from rankme.models import Campaign, Participant
from rankme.queries.sql import KEPT, columns_of, kept, objects_of
from tests.campaigns import make_campaign, make_rater

pytestmark = pytest.mark.django_db

RATERS = f"""
    SELECT {columns_of(Participant)}, 100 * id %% 7 AS rest FROM rankme_participant
    WHERE campaign_id = %(campaign)s AND label <> %(other)s
"""


def prepared() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT statement FROM pg_prepared_statements")
        return [statement for (statement,) in cursor.fetchall()]


def test_objects_are_those_of_the_model_with_further_columns():
    campaign = make_campaign()
    rater = make_rater(campaign)
    rater.entry_answers = {"language": ["en"]}
    rater.save()
    (found,) = objects_of(Participant, RATERS, {"campaign": campaign.pk, "other": "'; --"})
    expected = Participant.objects.get(pk=rater.pk)
    names = [field.attname for field in Participant._meta.concrete_fields]
    assert {name: getattr(found, name) for name in names} == {
        name: getattr(expected, name) for name in names
    }
    assert found.rest == 100 * rater.pk % 7
    assert not found._state.adding and found._state.db == "default"


def test_columns_that_are_left_out_are_read_when_they_are_asked_for():
    campaign = make_campaign()
    statement = f"SELECT {columns_of(Campaign, but='definition')} FROM rankme_campaign"
    (found,) = objects_of(Campaign, statement, {})
    assert found.get_deferred_fields() == {"definition"}
    assert found.definition == campaign.definition


def test_a_statement_is_planned_once_for_a_connection():
    campaign = make_campaign()
    for _ in range(3):
        objects_of(Participant, RATERS, {"campaign": campaign.pk, "other": ""})
    assert len([each for each in prepared() if "AS rest" in each]) == 1


def test_another_connection_plans_for_itself():
    statement = "SELECT 1 AS again FROM rankme_campaign WHERE id = %(id)s"
    for _ in range(2):
        with kept(statement, {"id": 1}):
            pass
        KEPT.pop(connection.connection)  # as for a connection that was not seen before
        with connection.cursor() as cursor:
            cursor.execute("DEALLOCATE ALL")


def test_a_statement_that_cannot_be_planned_says_so_as_any_other():
    with pytest.raises(ProgrammingError), transaction.atomic(), kept("SELECT nothing", {}):
        pass


def test_a_plan_survives_a_new_column():
    """A migration adds columns while sites are running; "*" would make their plans useless."""
    campaign = make_campaign()
    values = {"campaign": campaign.pk, "other": ""}
    objects_of(Participant, RATERS, values)
    star = "SELECT rater.* FROM rankme_participant rater WHERE campaign_id = %(campaign)s"
    with kept(star, values):
        pass
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE rankme_participant ADD COLUMN of_tomorrow integer")
    assert objects_of(Participant, RATERS, values) == []
    refused = pytest.raises(NotSupportedError, match="cached plan must not change")
    with refused, transaction.atomic(), kept(star, values):
        pass
