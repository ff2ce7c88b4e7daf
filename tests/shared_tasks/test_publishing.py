"""The public page of results: published by an act, under the names that the task publishes."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from rankme.actions.shared_task.disputes import make_dispute
from rankme.actions.shared_task.publishing import publish_results, withdraw_results
from rankme.errors import RefusedAction
from rankme.exporting.shared_task.files import FILES, PUBLIC
from rankme.models import AnalysisRun, SharedTask
from tests.api.conftest import client_of
from tests.shared_tasks.tasks import at, host, judged_task, make_task, unsealed

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def unsealed_once(rows_of_the_module) -> SharedTask:
    return unsealed(judged_task("Owls", "Bees", "Cats"))


@pytest.fixture
def task(unsealed_once) -> SharedTask:
    return SharedTask.objects.get(pk=unsealed_once.pk)


def test_a_host_publishes_results_and_takes_them_down_again(task):
    client = host()
    public, page = at("task-public", task.code), at("task-publish", task.code)
    assert Client().get(public).status_code == 404
    results = client.get(at("task-results", task.code)).text
    assert f'href="{page}"' in results
    assert "names, institutions and citations" in client.get(page).text
    assert SharedTask.objects.get().published_at is None, "to look is not to publish"
    shown = client.post(page, {"act": "publish"}, follow=True).text
    assert f"http://testserver{public}" in shown
    anybody = Client().get(public)
    assert anybody.status_code == 200 and "Owls" in anybody.text and "Cluster" in anybody.text
    assert f'href="{public}"' in Client().get(at("task-call", task.code)).text
    client.post(page, {"act": "withdraw"})
    assert Client().get(public).status_code == 404
    assert public not in Client().get(at("task-call", task.code)).text
    verbs = list(SharedTask.objects.get().events.values_list("verb", flat=True))
    assert {"results published", "published results taken down"} <= set(verbs)


def test_everybody_downloads_the_files_that_the_page_links_and_no_draft(task):
    publish_results(task, by=task.owner)
    page = Client().get(at("task-public", task.code)).text
    assert set(FILES) - set(PUBLIC) == {"overview.zip"}
    for name in PUBLIC:
        address = at("task-public-file", task.code, name)
        assert f'href="{address}"' in page, name
        assert Client().get(address).status_code == 200, name
    assert Client().get(at("task-public-file", task.code, "overview.zip")).status_code == 404
    withdraw_results(task, by=task.owner)
    assert Client().get(at("task-public-file", task.code, "results.csv")).status_code == 404


@pytest.mark.parametrize(
    ("fields", "is_named"),
    [
        ({"teams_named": "publication"}, True),
        ({"teams_named": "never"}, False),
        ({"teams_named": "date", "teams_named_at": timedelta(days=1)}, False),
        ({"teams_named": "date", "teams_named_at": timedelta(days=-1)}, True),
    ],
)
def test_names_are_public_as_the_task_has_promised(task, fields, is_named):
    if "teams_named_at" in fields:
        fields = fields | {"teams_named_at": timezone.now() + fields["teams_named_at"]}
    SharedTask.objects.update(**fields)
    task.refresh_from_db()
    publish_results(task, by=task.owner)
    answers = [Client().get(at("task-public", task.code))]
    names = [name for name in PUBLIC if not name.endswith(".zip")]
    answers += [Client().get(at("task-public-file", task.code, name)) for name in names]
    found = [b"owls" in answer.getvalue().lower() for answer in answers]
    assert found[:2] == [is_named] * 2 and any(found) == is_named


def test_names_go_again_while_teams_get_more_days(task):
    publish_results(task, by=task.owner)
    assert "Owls" in Client().get(at("task-public", task.code)).text
    SharedTask.objects.update(teams_first_days=9)
    assert "Owls" not in Client().get(at("task-public", task.code)).text


def test_nothing_is_published_before_the_unseal_or_while_teams_may_object(task):
    early = make_task()
    with pytest.raises(RefusedAction, match="not unsealed"):
        publish_results(early, by=early.owner)
    assert host().get(at("task-publish", early.code)).status_code == 404
    SharedTask.objects.filter(pk=task.pk).update(teams_first_days=7)
    task.refresh_from_db()
    assert "Publish the results after that" in host().get(at("task-publish", task.code)).text
    with pytest.raises(RefusedAction, match="may object until"):
        publish_results(task, by=task.owner)


@pytest.mark.parametrize("days", [None, 0])
def test_without_days_nobody_objects(task, days):
    SharedTask.objects.update(teams_first_days=days)
    captain = task.teams.get(name="Owls").members.get()
    with pytest.raises(RefusedAction, match="time to object"):
        make_dispute(task.tracks.get(), "No.", by=captain)


def test_a_track_without_a_report_keeps_the_results_back(task):
    AnalysisRun.objects.all().delete()
    with pytest.raises(RefusedAction, match="no finished report: English"):
        publish_results(task, by=task.owner)
    assert SharedTask.objects.get().published_at is None


def test_a_key_of_a_host_publishes(task):
    key, address = client_of("host"), f"/api/v1/tasks/{task.code}/publication/"
    assert key.post(address).json()["published_at"]
    assert Client().get(at("task-public", task.code)).status_code == 200
    assert key.delete(address).status_code == 204
    assert Client().get(at("task-public", task.code)).status_code == 404
    assert key.post(f"/api/v1/tasks/{make_task().code}/publication/").status_code == 409
