"""Deleting a launched campaign: nothing of it is found afterwards, and nothing else is touched."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now

from rankme.actions.accounts.invitations import invite_raters
from rankme.actions.campaign import campaigns, changes, deleting
from rankme.actions.runs import analysis_runs, run_columns
from rankme.actions.sitting import assignments, judgements
from rankme.actions.sitting.exclusions import exclude_rater
from rankme.errors import RefusedAction
from rankme.exporting.bundle import run_table
from rankme.models import (
    AuditEvent,
    Campaign,
    CampaignDeletion,
    Judgement,
    Output,
    PanelEvent,
    PanelPayment,
    Report,
    Track,
)
from rankme.models.deletions import DAYS_OF_WAITING
from rankme.protocols.definition import Definition
from rankme.verification import nightly, verify_audit_trail, verify_campaign
from rankme.worker import tasks
from tests.campaigns import make_campaign, make_rater, slider_definition
from tests.pages.world import World
from tests.searching import places_of_all
from tests.shared_tasks.tasks import make_task
from tests.sittings import answer, claim, finish

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db,
    pytest.mark.usefixtures("the_record_holds", "own_uploads"),
]
TITLE = "Zwiebelkuchen in der Uckermark"
TEXTS = {
    "title": TITLE,
    "question": "Wie flockig ist dieser Absatz wirklich?",
    "output": "Der Zitronenfalter schwebt ueber Templin",
    "name": "Anneliese Albrechtsberger",
    "panel's id": "65d1ab34cd56ef7890ab12cd",
    "comment on a page": "my flat in Waldemarstrasse is cold",
    "reason": "the quick Eulenspiegel clicked too fast",
}


def wordy() -> Definition:
    criterion = {"name": "fluency", "instrument": "slider", "low": "no", "high": "yes"}
    return slider_definition(
        title=TITLE,
        criteria=[criterion | {"question": TEXTS["question"]}],
        screens=[
            {"name": "rate", "show": ["input", "outputs"], "ask": ["fluency"], "comment": True}
        ],
        raters_per_trial=4,
    )


def make_full() -> Campaign:
    """A closed campaign with one of everything, in which each of the texts is found."""
    campaign = make_campaign(wordy(), items=2, systems=2, launch=False)
    Output.objects.filter(system__campaign=campaign).update(text=TEXTS["output"])
    campaign = campaigns.launch_campaign(campaign, by=campaign.owner)
    invite_raters(campaign, [TEXTS["name"]], by=campaign.owner)
    for number in range(2):
        held = claim(make_rater(campaign, TEXTS["panel's id"] + str(number)))
        for trial in range(len(held.presentation)):
            answer(held, trial, comment=TEXTS["comment on a page"])
        finish(held)
    exclude_rater(held.participant, reason=TEXTS["reason"], by=campaign.owner)
    judgements.quarantine(held.participant, "{", reason="version 9")
    assert World(campaign).parts
    for held in campaign.assignments.live():
        assignments.free_lease(held, by=campaign.owner)
    study = campaign.panel_studies.get()
    submission = study.submissions.get()
    PanelPayment.objects.create(
        study=study, submission=submission, kind="approval", amount=200, cost=200, currency="GBP",
        state="paid",
    )  # fmt: skip
    PanelEvent.objects.create(
        account=study.account, event_id="e1", event_type="status", resource=submission.external_id
    )
    study.submissions.update(state="APPROVED")
    campaign.panel_studies.update(state="COMPLETED", places_cost=400)
    return campaigns.close_campaign(Campaign.objects.get(pk=campaign.pk), by=campaign.owner)


@pytest.fixture(scope="module")
def made_once(rows_of_the_module: None) -> Campaign:
    return make_full()


@pytest.fixture
def campaign(made_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=made_once.pk)


@pytest.fixture
def other() -> Campaign:
    """Somebody's campaign that has nothing to do with it."""
    made = make_campaign(items=2, systems=2)
    held = claim(make_rater(made))
    answer(held)
    return made


def ask(campaign: Campaign) -> CampaignDeletion:
    return deleting.ask_to_delete(campaign, title=campaign.title, by=campaign.owner)


def make_due(deletion: CampaignDeletion) -> None:
    """As if the days had passed, which nobody can say while the trigger is there."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("ALTER TABLE rankme_campaigndeletion DISABLE TRIGGER USER")
        cursor.execute("UPDATE rankme_campaigndeletion SET due_at = now()")
        cursor.execute("ALTER TABLE rankme_campaigndeletion ENABLE TRIGGER USER")


def delete(campaign: Campaign) -> None:
    make_due(ask(campaign))
    for _visit in range(5):  # the first one ends what is under way
        tasks.delete_campaigns()


def searched() -> dict[str, set[str]]:
    return places_of_all(TEXTS, Path(settings.MEDIA_ROOT))


def rows_of(campaign: Campaign) -> dict[str, list[Any]]:
    """All rows that lead to a campaign, by table."""
    return {
        model._meta.db_table: list(
            model._base_manager.filter(**{path: campaign}).order_by("pk").values_list()
        )
        for model, path in deleting.leading_to_a_campaign().items()
    }


# --- What is gone, and what stays -------------------------------------------------------------


def test_a_deleted_campaign_is_found_nowhere(campaign, monkeypatch):
    monkeypatch.setattr(run_columns, "WORTHWHILE", 1)
    run = campaign.analysis_runs.filter(state="done")[0]
    run_columns.keep_columns(run, run_table(run))  # as if it were under way
    before = searched()
    assert {name for name, places in before.items() if not places} == set(), before
    delete(campaign)
    assert {name: places for name, places in searched().items() if places} == {}
    assert {table for table, rows in rows_of(campaign).items() if rows} == set()
    assert not PanelEvent.objects.exists()
    files = [file for file in Path(settings.MEDIA_ROOT).rglob("*") if file.is_file()]
    assert files == []


def test_other_campaigns_accounts_and_shared_tasks_are_untouched(campaign, other):
    task = make_task()
    track = task.tracks.get().campaign
    before = [rows_of(other), rows_of(track), list(get_user_model().objects.values())]
    assert Judgement.objects.filter(submission__assignment__campaign=other).exists()
    delete(campaign)
    after = [rows_of(other), rows_of(track), list(get_user_model().objects.values())]
    assert after == before
    assert verify_campaign(other).fault == "" and verify_audit_trail().fault == ""


def test_the_site_knows_who_asked_and_what_cannot_be_recalled(campaign):
    report = Report.objects.get(run__campaign=campaign).code
    delete(campaign)
    events = AuditEvent.objects.filter(campaign=None, detail__campaign_code=campaign.code)
    asked, begun, deleted = events.order_by("number")
    assert (asked.verb, asked.actor) == ("deletion asked for", campaign.owner)
    assert (begun.verb, begun.detail["published_reports"]) == ("deletion begun", [report])
    assert deleted.verb == "campaign deleted"
    with pytest.raises(CommandError, match=r"was deleted on \d{4}"):
        call_command("verify", campaign.code)


# --- The wait ---------------------------------------------------------------------------------


def test_it_waits_for_fourteen_days_and_can_be_cancelled(campaign):
    deletion = ask(campaign)
    assert deletion.due_at - deletion.asked_at == timedelta(days=DAYS_OF_WAITING)
    tasks.delete_campaigns()
    deletion.refresh_from_db()
    assert deletion.begun_at is None
    with pytest.raises(RefusedAction, match="already"):
        ask(campaign)
    with pytest.raises(RefusedAction, match="Cancel that first"):
        changes.reopen_campaign(campaign, reason="More.", by=campaign.owner, base=1)
    deleting.keep_campaign(campaign, by=campaign.owner)
    make_due(deletion)
    tasks.delete_campaigns()
    assert Campaign.objects.filter(pk=campaign.pk).exists()
    assert AuditEvent.objects.filter(campaign=campaign, verb="deletion cancelled").exists()
    with pytest.raises(RefusedAction, match="not to be deleted"):
        deleting.keep_campaign(campaign, by=campaign.owner)
    assert ask(campaign).begun_at is None  # once more, with a new wait


@pytest.mark.parametrize(
    ("state", "reason"), [("running", "Close"), ("draft", "draft"), ("unpaid", "paid")]
)
def test_what_must_be_done_before(campaign, state, reason):
    if state == "unpaid":
        campaign.panel_studies.get().submissions.update(state="AWAITING REVIEW")
    else:
        campaign = make_campaign(launch=state == "running")
    with pytest.raises(RefusedAction, match=reason):
        ask(campaign)


def test_another_title_is_refused(campaign):
    with pytest.raises(RefusedAction, match="not the title"):
        deleting.ask_to_delete(campaign, title="Fluency", by=campaign.owner)


def test_a_campaign_of_a_shared_task_is_not_deleted(campaign):
    deletion = ask(campaign)
    make_due(deletion)
    Track.objects.create(task=make_task(), name="German", campaign=campaign)
    tasks.delete_campaigns()
    deletion.refresh_from_db()
    assert deletion.begun_at is None
    with pytest.raises(DatabaseError, match="a deletion waits"), transaction.atomic():
        CampaignDeletion.objects.update(begun_at=Now())


def test_work_under_way_is_ended_first(campaign):
    run = analysis_runs.request_run(campaign, {}, by=campaign.owner)
    deletion = ask(campaign)
    make_due(deletion)
    tasks.delete_campaigns()
    run.refresh_from_db()
    deletion.refresh_from_db()
    assert (run.state, deletion.begun_at) == ("cancelled", None)
    tasks.delete_campaigns()
    assert not Campaign.objects.filter(pk=campaign.pk).exists()


# --- In steps ---------------------------------------------------------------------------------


def test_a_deletion_that_was_cut_off_goes_on_and_shows_nothing_meanwhile(campaign, monkeypatch):
    """After each step: pages and checks know nothing of what is left."""
    monkeypatch.setattr(deleting, "ROWS_AT_ONCE", 1)
    make_due(ask(campaign))
    while not (deletion := CampaignDeletion.objects.get()).begun_at:
        deleting.go_on(deletion.pk)
    assert deleting.go_on(deletion.pk)
    assert not Campaign.objects.open_to(campaign.owner).filter(pk=campaign.pk).exists()
    with pytest.raises(RefusedAction, match="not to be deleted"):
        deleting.keep_campaign(campaign, by=campaign.owner)
    steps = 0
    while deleting.go_on(deletion.pk):
        steps += 1
        assert nightly.check_record()
    assert steps > 50
    assert not Campaign.objects.filter(pk=campaign.pk).exists()


# --- What the database itself refuses ---------------------------------------------------------


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rankme_campaigndeletion SET due_at = now()",
        "UPDATE rankme_campaigndeletion SET begun_at = now()",
        "UPDATE rankme_campaigndeletion SET finished_at = now()",
        "DELETE FROM rankme_campaigndeletion",
        "SELECT rankme_delete_of_campaign(campaign_id, 'rankme_judgement', 1)"
        " FROM rankme_campaigndeletion",
    ],
)
def test_nobody_shortens_the_wait(campaign, statement):
    ask(campaign)
    with pytest.raises(DatabaseError, match="is refused"), transaction.atomic():
        connection.cursor().execute(statement)


def test_a_deletion_that_has_begun_opens_no_other_campaign(campaign, other):
    """Neither the function nor the owner of the tables can use it for rows of others."""
    make_due(ask(campaign))
    CampaignDeletion.objects.update(begun_at=Now())
    cursor = connection.cursor()
    for statement in (
        f"SELECT rankme_delete_of_campaign({other.pk}, 'rankme_judgement', 1)",
        f"SELECT rankme_delete_of_campaign({campaign.pk}, 'auth_user', 1)",
        "DELETE FROM rankme_judgement",
        f"DELETE FROM rankme_system WHERE campaign_id = {other.pk}",
        "UPDATE rankme_campaigndeletion SET cancelled_at = now()",
    ):
        with pytest.raises(DatabaseError, match="is refused"), transaction.atomic():
            cursor.execute(statement)
    with transaction.atomic():
        cursor.execute(f"SELECT rankme_delete_of_campaign({campaign.pk}, 'rankme_judgement', 1)")
        assert cursor.fetchone() == (1,)
        transaction.set_rollback(True)
