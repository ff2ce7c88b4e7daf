"""What the database itself refuses to do with money, whichever code asks for it."""

import pytest
from django.db import Error as DatabaseTrouble
from django.db import connection, transaction

from rankme.models import PanelPayment, PanelStudy, PanelSubmission
from tests.campaigns import make_campaign
from tests.panels.loop import study_row

pytestmark = pytest.mark.django_db


@pytest.fixture
def study() -> PanelStudy:
    return study_row(make_campaign(), places_cost=600)


def submission(study: PanelStudy, name: str = "s1") -> PanelSubmission:
    return PanelSubmission.objects.create(
        study=study, external_id=name, person=f"p-{name}", state="AWAITING REVIEW"
    )


def pay(one: PanelSubmission, kind: str = "approval", cost: int = 300, **more) -> PanelPayment:
    amounts = {"amount": 200, "cost": cost, "currency": "GBP"}
    return PanelPayment.objects.create(study=one.study, submission=one, kind=kind, **amounts | more)


def refused(what) -> bool:
    try:
        with transaction.atomic():
            what()
    except DatabaseTrouble:
        return True
    return False


def committed(study: PanelStudy) -> int:
    study.refresh_from_db()
    return study.committed


def test_each_submission_gets_one_reward_and_one_bonus(study):
    one = submission(study)
    pay(one)
    assert refused(lambda: pay(one))
    assert refused(lambda: pay(one, "share", percent=50))
    pay(one, "bonus", 200)
    assert refused(lambda: pay(one, "bonus", 200))


def test_a_refused_reward_leaves_room_for_a_share(study):
    one = submission(study)
    first = pay(one)
    first.state = "refused"
    first.save(update_fields=["state"])
    pay(one, "share", percent=50)
    first.state = "drafted"
    assert refused(lambda: first.save(update_fields=["state"]))


def test_rewards_are_part_of_the_places_and_bonuses_come_on_top(study):
    assert committed(study) == 600
    first, second = submission(study), submission(study, "s2")
    pay(first)
    assert committed(study) == 600
    bonus = pay(first, "bonus", 400)
    assert committed(study) == 1_000
    assert refused(lambda: pay(second, "bonus", 200))
    bonus.state = "refused"
    bonus.save(update_fields=["state"])
    assert committed(study) == 600
    pay(second, "bonus", 200)
    assert committed(study) == 800


def test_nothing_exceeds_the_ceiling_even_without_our_code(study):
    with connection.cursor() as cursor:
        assert refused(lambda: cursor.execute("UPDATE rankme_panelstudy SET places_cost = 1001"))
        assert refused(lambda: cursor.execute("UPDATE rankme_panelstudy SET ceiling = 599"))
        cursor.execute("UPDATE rankme_panelstudy SET committed = 0")
    assert committed(study) == 600


def test_a_published_study_has_its_places_set_aside(study):
    assert refused(lambda: PanelStudy.objects.update(state="ACTIVE", places_cost=399))
    PanelStudy.objects.update(state="ACTIVE")
    assert refused(lambda: PanelStudy.objects.update(places=4))
    assert refused(lambda: PanelStudy.objects.update(places_cost=0))


def test_an_excess_covers_the_places_at_the_panel_and_nothing_else(study):
    PanelStudy.objects.update(places=8, places_cost=1_600, excess=2**31 - 1)
    study.refresh_from_db()
    assert (study.committed, study.excess) == (1_600, 600)
    assert refused(lambda: pay(submission(study), "bonus", 200))
    PanelStudy.objects.update(ceiling=2_000)
    study.refresh_from_db()
    assert study.excess == 0
    pay(submission(study, "s2"), "bonus", 200)


def test_what_is_paid_stays_paid_and_amounts_never_change(study):
    payment = pay(submission(study), state="paid")
    payment.state = "drafted"
    assert refused(lambda: payment.save(update_fields=["state"]))
    assert refused(lambda: PanelPayment.objects.update(amount=100))
    assert refused(lambda: PanelPayment.objects.update(kind="bonus"))
    assert refused(payment.delete)


def test_a_campaign_has_one_study_at_a_time(study):
    def again() -> None:
        study_row(study.campaign, study.account)

    assert refused(again)
    PanelStudy.objects.update(state="COMPLETED")
    again()
