"""The pages of a shared task, from the call to an upload that counts; and who may open which."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.shared_task import checks
from rankme.models import SharedTask, SystemCode, SystemUpload, TaskEvent, Team, UploadCheck
from rankme.pages.urls import task_urls
from tests.campaigns import make_owner
from tests.shared_tasks.tasks import at, close, host, make_task, make_team, submit

pytestmark = pytest.mark.django_db
LINES = b"The first.\nA second one.\nSome third.\nThe last.\n"
FACTS = {
    "title": "E2E again",
    "registration": "approve",
    "opens_at": "2026-01-01T00:00",
    "closes_at": "2099-01-01T00:00",
    "grace_seconds": 300,
    "late": "refuse",
    "most_uploads": 7,
    "teams_named": "publication",
}


def link_in(answer) -> str:
    return re.findall(r"<code>(http://\S+/team/enter/\S+)</code>", answer.content.decode())[0]


def registered(task: SharedTask, name: str = "Owls") -> tuple[Client, str]:
    visitor = Client()
    fields = {"name": name, "publication_name": name, "captain": "Ada"}
    link = link_in(visitor.post(at("task-call", task.code), fields))
    assert visitor.get(link).headers["Location"] == at("team")
    return visitor, link.rstrip("/").rsplit("/", 1)[-1]


def test_a_host_makes_a_task_with_a_track_by_pages_alone():
    client = host()
    assert b"You run no shared task yet" in client.get(at("tasks")).content
    assert client.get(at("task-new")).status_code == 200
    client.post(at("task-new"), FACTS)
    task = SharedTask.objects.get()
    client.post(at("task-track", task.code), {"name": "English"})
    assert task.tracks.get().campaign.is_draft
    refused = client.post(at("task-edit", task.code), FACTS | {"closes_at": "2020-01-01T00:00"})
    assert refused.status_code == 422
    assert "has to close after it opens" in str(refused.context["form"].errors)
    shown = client.get(at("task", task.code)).content
    assert b"2098-12-31 12:00 AoE" in shown
    assert b"English" in shown


def test_the_campaign_of_a_track_asks_for_sources_and_then_waits_for_the_seal():
    task, client = make_task(), host()
    campaign = task.tracks.get().campaign
    page = client.get(at("campaign", campaign.code)).content.decode()
    assert "The outputs come with the seal" in page
    assert f'href="{at("task", task.code)}"' in page
    assert "Launch campaign" not in page
    campaign.items.all().delete()
    page = client.get(at("campaign", campaign.code)).content.decode()
    assert "Upload sources" in page and "Upload outputs" not in page
    form = client.get(at("campaign-material", campaign.code)).content.decode()
    assert "Upload sources" in form and "Items (optional)" not in form
    SharedTask.objects.update(sealed_at=timezone.now())
    assert "Upload outputs" in client.get(at("campaign", campaign.code)).content.decode()


def test_a_host_uploads_the_sources_and_sees_them_before_they_are_taken():
    task, client = make_task(), host()
    campaign = task.tracks.get().campaign
    campaign.items.all().delete()
    table = SimpleUploadedFile("items.csv", b"item,input,reference\ni1,name[Loch Fyne],A place.\n")
    client.post(at("campaign-material", campaign.code), {"outputs": table})
    upload = campaign.material_imports.get()
    address = at("campaign-import", campaign.code, upload.pk)
    assert execute_import(upload.pk, "tester")
    page = client.get(address).content.decode()
    assert "1 item, without outputs" in " ".join(page.split())
    assert "name[Loch Fyne]" in page and "A place." in page
    client.post(at("campaign-import-take", campaign.code, upload.pk))
    assert execute_import(upload.pk, "tester")
    assert list(campaign.items.values_list("input", flat=True)) == ["name[Loch Fyne]"]
    assert "Continue" in client.get(address).content.decode()


def test_members_who_do_not_host_meet_no_link_to_the_task():
    task = make_task()
    campaign = task.tracks.get().campaign
    campaign.memberships.create(username="mira", user=make_owner("mira"), role="editor")
    page = host("mira").get(at("campaign", campaign.code)).content.decode()
    assert at("task", task.code) not in page


def test_a_team_comes_by_its_link_uploads_and_chooses_its_primary():
    task = make_task()
    visitor, _secret = registered(task)
    visitor.post(at("team-system"), {"name": "Big", "is_constrained": "on"})
    system, track = Team.objects.get().systems.get(), task.tracks.get()
    fields = {"system": system.pk, "track": track.pk}
    file = SimpleUploadedFile("o.txt", LINES)
    visitor.post(at("team-upload"), fields | {"file": file})
    upload = SystemUpload.objects.get()
    assert checks.execute(UploadCheck.objects.get().pk, "worker")
    assert upload.role == "none"
    visitor.post(at("team-role", upload.pk), {"role": "primary"})
    upload.refresh_from_db()
    assert upload.role == "primary"
    shown = visitor.get(at("team")).content
    assert b"Primary" in shown
    assert visitor.get(at("team-receipt", upload.pk)).json()["sha256"] == upload.sha256
    assert b"serves soup" not in visitor.get(at("team-sources", track.pk)).content
    page = host().get(at("task", task.code)).content
    assert b"Without a primary upload" not in page


def test_an_upload_that_has_begun_by_the_page_may_end_after_the_close():
    task = make_task()
    visitor, _secret = registered(task)
    visitor.post(at("team-system"), {"name": "Big"})
    system, track = Team.objects.get().systems.get(), task.tracks.get()
    assert visitor.post(at("team-ticket"), {"track": "7" * 30}).status_code == 404
    ticket = visitor.post(at("team-ticket"), {"track": track.pk}).json()["ticket"]
    SharedTask.objects.update(closes_at=timezone.now())
    fields = {"system": system.pk, "track": track.pk}
    for more in ({}, {"ticket": ticket}):
        file = SimpleUploadedFile("o.txt", LINES)
        visitor.post(at("team-upload"), fields | more | {"file": file})
    upload = SystemUpload.objects.get()  # the one without a ticket was refused
    assert (upload.in_grace, upload.is_late) == (True, False)


def test_hosts_find_tasks_that_they_run_and_teams_their_own_pages_alone():
    task = make_task()
    team = make_team(task)
    upload = submit(team)
    stranger = host("stranger")
    other, _secret = registered(task, "Bees")
    parts = {
        "code": task.code,
        "team": team.pk,
        "choice": "approve",
        "kind": "invitation",
        "secret": "unknown",
        "number": upload.pk,
        "track": task.tracks.get().pk,
        "name": "results.csv",
    }
    # Nothing of this task is published, so its public pages are there for nobody.
    public = {"task-call", "tasks", "task-new"}
    for pattern in task_urls:
        given = {name: parts[name] for name in pattern.pattern.converters}
        address = reverse(f"rankme:{pattern.name}", kwargs=given)
        for method in ("get", "post"):
            status = getattr(stranger, method)(address).status_code
            if pattern.name not in public:
                assert status in (403, 404, 405), (pattern.name, method, status)
    assert other.get(at("team-receipt", upload.pk)).status_code == 404
    assert other.post(at("team-role", upload.pk), {"role": "withdraw"}).status_code == 404


def test_hosts_decide_about_teams_and_replace_a_lost_captain():
    task, client = make_task(), host()
    visitor, _secret = registered(task)
    team = Team.objects.get()
    client.post(at("task-decide", task.code, team.pk, "approve"))
    team.refresh_from_db()
    assert team.state == "approved"
    link = link_in(client.post(at("task-link", task.code, str(team.pk))))
    assert visitor.get(at("team")).status_code == 403
    assert Client().get(link).status_code == 302
    assert client.post(at("task-decide", task.code, team.pk, "other")).status_code == 404


def test_the_rehearsal_team_appears_on_no_page_of_the_task():
    task, client = make_task(), host()
    visitor = Client()
    visitor.get(link_in(client.post(at("task-link", task.code, "rehearsal"))))
    assert visitor.get(at("team")).status_code == 200
    team = task.teams.get(kind="rehearsal")
    team.systems.create(name="Trial9")
    submit(team)
    page = client.get(at("task", task.code)).content.decode()
    assert "Trial9" not in page
    assert "No uploads yet" in page


def test_between_seal_and_names_hosts_see_teams_and_nothing_of_their_uploads():
    task, client = make_task(), host()
    team = make_team(task)
    upload = submit(team)
    detail = {"upload": upload.pk}
    TaskEvent.objects.create(task=task, team=team, verb="outputs uploaded", detail=detail)
    before = client.get(at("task", task.code)).content.decode()
    # A link that were made now would end before its team could upload.
    ended = ("Arrived", "outputs uploaded", "Add a track", "Invite a team", "Rehearse as a team",
             "Upload baselines")  # fmt: skip
    assert upload.track.name in before and [each for each in ended if each not in before] == []
    SharedTask.objects.update(sealed_at=timezone.now())
    after = client.get(at("task", task.code)).content.decode()
    assert team.name in after
    assert [each for each in (*ended, upload.sha256) if each in after] == []
    answer = client.post(at("task-link", task.code, str(team.pk))).content.decode()
    assert "/team/enter/" not in answer
    assert "Make the link once the names are known" in answer


def test_hosts_seal_by_the_page_and_one_with_a_reason_unseals():
    task = make_task(late="mark")
    for name in ("Owls", "Bees"):
        submit(make_team(task, name))
    client = host()
    assert "Uploads may arrive until" in client.get(at("task-seal", task.code)).content.decode()
    client.post(at("task-seal", task.code))
    assert not SharedTask.objects.get().is_sealed
    close(task)
    page = client.get(at("task-seal", task.code)).content.decode()
    assert "Owls" in page and "Bees" in page
    client.post(at("task-seal", task.code), {"reference": [task.tracks.get().pk, "no number"]})
    assert SharedTask.objects.get().is_sealed
    assert set(SystemCode.objects.values_list("code", flat=True)) == {"S01", "S02", "S03"}

    page = client.get(at("task-unseal", task.code)).content.decode()
    assert "was not registered by a launch" in page and "Owls" not in page
    client.post(at("task-unseal", task.code), {"act": "ask"})
    client.post(at("task-unseal", task.code), {"act": "alone", "reason": " "})
    assert SharedTask.objects.get().is_sealed
    client.post(at("task-unseal", task.code), {"act": "alone", "reason": "It was a rehearsal."})
    task.refresh_from_db()
    assert (task.is_sealed, task.unseal_reason) == (False, "It was a rehearsal.")
    assert client.get(at("task-unseal", task.code)).status_code == 302
