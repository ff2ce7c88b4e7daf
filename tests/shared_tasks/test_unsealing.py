"""The names: who tells them, what has to be fixed before, and what stays as it was."""

import json

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connection, transaction

from rankme.actions.campaign import campaigns
from rankme.actions.runs import analysis_runs, publishing
from rankme.actions.shared_task.sealing import commitment, seal
from rankme.actions.shared_task.unsealing import ask_to_unseal, unseal
from rankme.errors import RefusedAction
from rankme.models import AnalysisRun, AuditEvent, SharedTask, SystemCode, SystemUpload, TaskHost
from rankme.queries.shared_task.system_names import names_of
from tests.runs import asked, executed, rate
from tests.shared_tasks.tasks import at, close, make_task, make_team, submit

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def sealed_once(rows_of_the_module) -> SharedTask:
    """A sealed task of two teams whose campaign was rated, but not analysed."""
    made = make_task()
    for name in ("Owls", "Bees"):
        submit(make_team(made, name, institution=f"{name} University"))
    close(made)
    made = seal(made, by=made.owner)
    campaign = made.tracks.get().campaign
    campaigns.launch_campaign(campaign, by=made.owner)
    campaign.refresh_from_db()
    rate(campaign, raters=1)
    return made


@pytest.fixture
def task(sealed_once) -> SharedTask:
    return SharedTask.objects.get(pk=sealed_once.pk)


def ended(task: SharedTask):
    return campaigns.close_campaign(task.tracks.get().campaign, by=task.owner)


def analysed(task: SharedTask):
    """The report of all judgements, computed blind."""
    return executed(asked(ended(task)), pictures=())


def second_host(task: SharedTask):
    user = get_user_model().objects.create(username="second")
    TaskHost.objects.create(task=task, user=user)
    return user


def refused(message: str):
    return pytest.raises(RefusedAction, match=message)


def test_two_hosts_tell_the_names_and_the_history_has_what_proves_them(task):
    run = analysed(task)
    before = run.finished_result
    ask_to_unseal(task, by=task.owner)
    with refused("Another host"):
        unseal(task, by=task.owner)
    told = unseal(task, by=second_host(task))
    assert told.unsealed_at is not None
    event = AuditEvent.objects.get(verb="systems unsealed")
    detail = json.loads(json.dumps(event.detail))
    assert detail["fits"] is True
    assert commitment(detail["salt"], detail["mapping"]) == detail["commitment"] == told.seal_sha256
    names = {each.code: each.name for each in names_of(event.campaign)}
    assert sorted(names.values()) == ["Bees", "Owls"]
    assert detail["names"] == {code: f"{name}: {name}" for code, name in names.items()}
    run.refresh_from_db()
    assert run.finished_result == before


def test_a_report_of_all_judgements_comes_before_the_names(task):
    with refused("is not closed"):
        ask_to_unseal(task, by=task.owner)
    campaign = task.tracks.get().campaign
    executed(asked(campaign), pictures=())
    ended(task)
    with refused("no report after its close"):
        ask_to_unseal(task, by=task.owner)
    told = unseal(task, by=task.owner, reason="The conference is tomorrow.")
    assert told.unseal_reason == "The conference is tomorrow."
    (missing,) = AuditEvent.objects.get(verb="systems unsealed").detail["missing"]
    assert "no report after its close" in missing


def test_one_host_alone_needs_a_reason_and_others_get_nothing(task):
    analysed(task)
    with refused("Another host"):
        unseal(task, by=task.owner)
    with refused("Another host"):
        unseal(task, by=task.owner, reason="  ")
    stranger = get_user_model().objects.create(username="stranger")
    with refused("Only hosts"):
        ask_to_unseal(task, by=stranger)
    with refused("Only hosts"):
        unseal(task, by=stranger, reason="I am curious.")
    unseal(task, by=task.owner, reason="The other host is ill.")
    with refused("known already"):
        unseal(task, by=task.owner, reason="Again.")
    with refused("not sealed"):
        unseal(make_task(), by=task.owner, reason="Now.")


def test_after_the_names_the_analysis_is_as_it_was(task):
    run = analysed(task)
    campaign = run.campaign
    asked(campaign, runs=41)  # while sealed, options are free
    unseal(task, by=task.owner, reason="The other host is ill.")
    assert asked(campaign).options == run.options
    with refused("can no longer change.*runs"):
        asked(campaign, runs=42)
    assert names_of(campaign)


def test_without_a_blind_report_the_campaign_says_how_it_is_analysed(task):
    campaign = ended(task)
    unseal(task, by=task.owner, reason="The other host is ill.")
    analysis_runs.request_run(campaign, {}, by=task.owner)
    with refused("can no longer change.*runs"):
        analysis_runs.request_run(campaign, {"runs": 42}, by=task.owner)


def test_the_database_keeps_the_analysis_after_the_names(task):
    run = analysed(task)
    campaign = run.campaign
    other = run.options | {"seed": 99}
    free = AnalysisRun.objects.create(campaign=campaign, options=other, seed=99)
    unseal(task, by=task.owner, reason="The other host is ill.")
    AnalysisRun.objects.create(campaign=campaign, options=run.options, seed=run.seed)
    with pytest.raises(IntegrityError, match="as it was"), transaction.atomic():
        AnalysisRun.objects.create(campaign=campaign, options=other, seed=99)
    with pytest.raises(IntegrityError, match="options of a run stay"), transaction.atomic():
        AnalysisRun.objects.filter(pk=run.pk).update(options=other)
    AnalysisRun.objects.filter(pk=free.pk).update(progress=0.5)


def test_the_database_keeps_the_first_analysis_where_none_was_blind(task):
    campaign = ended(task)
    unseal(task, by=task.owner, reason="The other host is ill.")
    first = analysis_runs.request_run(campaign, {}, by=task.owner)
    with pytest.raises(IntegrityError, match="as it was"), transaction.atomic():
        AnalysisRun.objects.create(campaign=campaign, options={"runs": 42}, seed=1)
    AnalysisRun.objects.create(campaign=campaign, options=first.options, seed=first.seed)


def test_without_its_trigger_the_analysis_could_change(task):
    """The control: nothing else in the database refuses it."""
    run = analysed(task)
    unseal(task, by=task.owner, reason="The other host is ill.")
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER analysis_is_fixed_by_the_names ON rankme_analysisrun")
    AnalysisRun.objects.create(campaign=run.campaign, options={"runs": 42}, seed=1)


def test_the_page_of_a_report_has_a_table_of_names(client, task):
    run = analysed(task)
    client.force_login(task.owner)
    page = at("analysis-run", run.campaign.code, run.pk)
    assert b"Owls" not in client.get(page).content
    withdrawn = SystemUpload.objects.get(system__name="Bees")
    SystemUpload.objects.filter(pk=withdrawn.pk).update(withdrawn_at=run.requested_at)
    unseal(task, by=task.owner, reason="The other host is ill.")
    shown = client.get(page).content.decode()
    table = shown[shown.index('id="system-names"') :]
    code = SystemCode.objects.get(upload=withdrawn).code
    assert "Owls University" in table
    assert "withdrawn: judged, not ranked" in table[table.index(code) :]
    assert table.count("withdrawn: judged, not ranked") == 1


def test_a_published_report_names_teams_as_hosts_promised(client, task):
    run = analysed(task)
    report = publishing.publish_report(run, by=task.owner)
    unseal(task, by=task.owner, reason="The other host is ill.")
    for naming, is_shown in (("never", False), ("publication", True)):
        SharedTask.objects.update(teams_named=naming)
        shown = client.get(at("report-public", report.code)).content
        assert (b"Owls University" in shown) == is_shown, naming
