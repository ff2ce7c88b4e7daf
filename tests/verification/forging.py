"""A record to verify, and what a forger with all rights does to it."""

import contextlib
from collections.abc import Callable, Iterator

from django.db import connection

from rankme.models import Campaign
from tests.campaigns import make_campaign, make_rater, rankme_definition
from tests.sittings import answer, claim, sit

FIRST = "(SELECT min(id) FROM rankme_submission)"
LAST = "(SELECT max(id) FROM rankme_submission)"


@contextlib.contextmanager
def past_all_rules() -> Iterator[Callable[..., None]]:
    """Work as a superuser who switches the triggers off."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET session_replication_role = replica")
        yield cursor.execute
        cursor.execute("SET session_replication_role = DEFAULT")


def rated_campaign() -> Campaign:
    """A campaign with a finished sitting, and one with a changed answer and a second tab."""
    campaign = make_campaign(rankme_definition(raters_per_trial=2))
    sit(make_rater(campaign, "w1"))
    held = claim(make_rater(campaign, "w2"))
    first = answer(held)
    answer(held, value=70, replaces=str(first.key))
    answer(held, value=30, comment="The first is better.")
    answer(held, trial=1, times={"spent_ms": 1e17, "blurred_ms": -0.0})
    return campaign


def cut_the_end_of_a_chain() -> None:
    with past_all_rules() as execute:
        execute(f"DELETE FROM rankme_judgement WHERE submission_id = {LAST}")
        execute(f"DELETE FROM rankme_submission WHERE id = {LAST}")
