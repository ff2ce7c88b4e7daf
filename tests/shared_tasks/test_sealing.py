"""The seal: which systems are in, under which codes, and what it commits to."""

import re
from datetime import timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from rankme.actions.campaign import campaigns
from rankme.actions.material import materials
from rankme.actions.shared_task import sealing, tasks
from rankme.actions.shared_task.sealing import Choice, commitment, mapping_of, seal
from rankme.errors import RefusedAction, RefusedTransition
from rankme.models import (
    AuditEvent,
    Item,
    Output,
    SharedTask,
    SystemCode,
    SystemUpload,
    TaskEvent,
    Team,
    TeamSystem,
    UploadCheck,
)
from tests.database.rules import assert_kept_by
from tests.shared_tasks.tasks import at, close, host, make_task, make_team, submit

pytestmark = pytest.mark.django_db


def sealed_names(task: SharedTask) -> set[str]:
    codes = SystemCode.objects.filter(track__task=task).select_related("upload__system")
    return {each.upload.system.name if each.upload else "reference" for each in codes}


def entered(task: SharedTask, *names: str) -> list[SystemUpload]:
    return [submit(make_team(task, name)) for name in names]


def closed_task() -> SharedTask:
    task = make_task()
    entered(task, "Owls", "Bees")
    close(task)
    return task


def sealed_task() -> SharedTask:
    task = closed_task()
    return seal(task, by=task.owner)


def refused(message: str):
    return pytest.raises(RefusedAction, match=message)


def test_outputs_enter_the_campaign_under_codes_alone():
    task = make_task(tracks=("English", "German"))
    english, german = task.tracks.all()
    made = {}
    for name in ("Owls", "Bees", "Cats"):
        team = make_team(task, name)
        made |= {
            upload.pk: upload
            for upload in (submit(team, track=english), submit(team, track=german))
        }
    close(task)
    seal(task, Choice(with_reference=[german.pk]), by=task.owner)
    assert [each.name for each in english.campaign.systems.all()] == ["S01", "S02", "S03"]
    assert [each.name for each in german.campaign.systems.all()] == ["S01", "S02", "S03", "S04"]
    for row in SystemCode.objects.select_related("track__campaign"):
        texts = Output.objects.filter(
            system__campaign=row.track.campaign, system__name=row.code
        ).order_by("item__position")
        expected = (
            [item.reference for item in row.track.campaign.items.all()]
            if row.upload_id is None
            else [f"{made[row.upload_id].system.name.lower()} {place}" for place in range(4)]
        )
        assert [each.text for each in texts] == expected


def change_an_item(task: SharedTask, **texts: str) -> None:
    item = task.tracks.get().campaign.items.first()
    Item.objects.filter(pk=item.pk).update(**texts)


@pytest.mark.parametrize("what", ["input", "context"])
def test_outputs_for_other_sources_are_not_sealed(what: str):
    task = closed_task()
    pack = tasks.source_pack(task.tracks.get())
    before = getattr(task.tracks.get().campaign.items.first(), what)
    change_an_item(task, **{what: "Something else"})
    with refused("“English” have changed since the task opened"):
        seal(task, by=task.owner)
    assert not Output.objects.exists()
    change_an_item(task, **{what: before})
    assert tasks.source_pack(task.tracks.get()) == pack
    assert seal(task, by=task.owner).sealed_at


def test_sources_that_an_import_changes_during_the_seal_are_noticed(monkeypatch):
    task = closed_task()
    tasks.source_pack(task.tracks.get())
    ready = sealing.ready_to_launch

    def ready_after_an_import(campaign):
        change_an_item(task, input="Something else")
        return ready(campaign)

    monkeypatch.setattr(sealing, "ready_to_launch", ready_after_an_import)
    with refused("have changed since the task opened"):
        seal(task, by=task.owner)


@pytest.mark.parametrize("reference", ["A corrected reference.", None])
def test_the_page_and_the_history_say_whether_references_have_changed(reference):
    task = closed_task()
    tasks.source_pack(task.tracks.get())
    if reference:
        change_an_item(task, reference=reference)
    client = host()
    page = client.get(at("task-seal", task.code)).content.decode()
    assert ("The references have changed" in page) is bool(reference)
    seal(task, by=task.owner)
    detail = TaskEvent.objects.get(verb="systems sealed").detail
    assert detail["other_references"] == (["English"] if reference else [])
    history = client.get(at("task", task.code)).content.decode()
    assert ("References changed since the opening" in history) is bool(reference)


def test_only_what_counts_is_in():
    task = make_task(late="mark")
    entered(task, "Owls", "Bees")
    submit(make_team(task, "Ducks"), role="none")
    submit(make_team(task, "Eels"), is_valid=False)
    submit(make_team(task, "Foxes"), role="contrastive")
    submit(make_team(task, "Rehearsal", kind="rehearsal"))
    submit(make_team(task, "Geese", state="waiting"))
    gone = submit(make_team(task, "Hens"))
    SystemUpload.objects.filter(pk=gone.pk).update(withdrawn_at=timezone.now())
    submit(make_team(task, "Ibises"))
    Team.objects.filter(name="Ibises").update(state="withdrawn")
    hosts = make_team(task, "Hosts", kind="hosts")
    submit(hosts)
    submit(hosts, role="contrastive", system=TeamSystem.objects.create(team=hosts, name="Copy"))
    close(task)
    late, later = entered(task, "Jays", "Kites")
    assert late.is_late
    assert later.is_late
    seal(task, Choice(late=[late.pk]), by=task.owner)
    assert sealed_names(task) == {"Owls", "Bees", "Hosts", "Copy", "Jays"}


def test_preregistered_systems_have_the_first_places_then_time_decides():
    task = make_task(most_judged=2)
    entered(task, "Early", "Later", "Registered")
    SharedTask.objects.update(preregister_until=timezone.now() - timedelta(minutes=30))
    TeamSystem.objects.filter(name="Registered").update(
        registered_at=timezone.now() - timedelta(minutes=40)
    )
    close(task)
    seal(task, by=task.owner)
    assert sealed_names(task) == {"Registered", "Early"}
    assert task.events.get().detail["over_the_limit"] == {"English": ["Later 1"]}
    history = host().get(at("task", task.code)).content.decode()
    assert re.search(
        r"Not judged, over the limit:\s*<bdi>English</bdi>: <bdi>Later 1</bdi>", history
    )


def test_the_seal_commits_to_the_mapping_and_its_events_name_nobody():
    task = sealed_task()
    uploads = SystemUpload.objects.all()
    mapping = mapping_of(task)
    assert task.seal_sha256 == commitment(task.seal_salt, mapping)
    (codes,) = mapping.values()
    first, second = codes.values()
    swapped = {code: dict(zip(codes, (second, first), strict=True)) for code in mapping}
    assert task.seal_sha256 != commitment(task.seal_salt, swapped)
    assert task.seal_sha256 != commitment("0" * 64, mapping)
    events = [*task.events.all(), *AuditEvent.objects.filter(verb="systems sealed")]
    assert len(events) == 2
    for event in events:
        assert event.detail["commitment"] == task.seal_sha256
        for secret in ("Owls", "Bees", task.seal_salt, uploads[0].sha256):
            assert secret not in str(event.detail)


def test_codes_do_not_follow_the_order_of_uploads():
    orders = set()
    for number in range(6):
        task = make_task(seed=1, title=f"Task {number}")
        entered(task, "A1", "B1", "C1", "D1")
        close(task)
        seal(task, by=task.owner)
        codes = SystemCode.objects.filter(track__task=task).order_by("upload")
        orders.add(tuple(codes.values_list("code", flat=True)))
    assert len(orders) > 1  # all six alike by chance: once in eight million


def test_sealing_again_changes_nothing():
    task = closed_task()
    first = seal(task, by=task.owner)
    again = seal(task, by=task.owner)
    assert (again.sealed_at, again.seal_sha256) == (first.sealed_at, first.seal_sha256)
    assert SystemCode.objects.count() == 2


def test_nothing_is_sealed_before_the_close_and_its_grace():
    task = make_task()
    entered(task, "Owls")
    with refused("Uploads may arrive until"):
        seal(task, by=task.owner)
    SharedTask.objects.update(closes_at=timezone.now() - timedelta(seconds=5), grace_seconds=60)
    with refused("Uploads may arrive until"):
        seal(task, by=task.owner)


def test_a_track_without_a_valid_primary_and_checks_under_way_are_refused():
    task = make_task()
    made = submit(make_team(task), is_valid=False)
    close(task)
    with refused("“English” has no valid primary"):
        seal(task, by=task.owner)
    UploadCheck.objects.filter(upload=made).update(state="working")
    with refused("still being checked"):
        seal(task, by=task.owner)
    UploadCheck.objects.filter(upload=made).delete()
    with refused("still being checked"):
        seal(task, by=task.owner)


def test_a_campaign_with_systems_or_already_launched_is_refused_as_a_whole():
    task = make_task(tracks=("English", "German"))
    team = make_team(task)
    for track in task.tracks.all():
        submit(team, track=track)
    close(task)
    second = task.tracks.last().campaign
    second.systems.create(name="Other", folded="other", position=0)
    with refused("“German” has systems already"):
        seal(task, by=task.owner)
    assert not SystemCode.objects.exists()
    assert not task.tracks.first().campaign.systems.exists()
    Output.objects.bulk_create(
        Output(item=item, system=second.systems.get(), text="x") for item in second.items.all()
    )
    campaigns.launch_campaign(second, by=task.owner)
    with pytest.raises(RefusedTransition):
        seal(task, by=task.owner)


def test_a_reference_that_is_missing_and_a_file_that_changed_are_refused():
    task = make_task()
    made = submit(make_team(task))
    track = task.tracks.get()
    close(task)
    track.campaign.items.filter(position=2).update(reference="")
    with refused("item-2 has no reference"):
        seal(task, Choice(with_reference=[track.pk]), by=task.owner)
    with default_storage.open(made.stored, "wb") as file:
        file.write(b"other")
    with refused("is not the one that was sent"):
        seal(task, by=task.owner)


SEALED = {
    "output_is_sealed": ("rankme_output", "text = 'x'"),
    "item_is_sealed": ("rankme_item", "reference = 'x'"),
    "system_is_sealed": ("rankme_system", "name = 'x'"),
}


@pytest.mark.parametrize("trigger", SEALED)
def test_what_the_codes_stand_for_stays_as_it_was_sealed(trigger: str):
    sealed_task()
    assert_kept_by(trigger, *SEALED[trigger], "the shared task is sealed")


def test_outputs_of_a_sealed_task_are_not_replaced_by_an_upload():
    task = sealed_task()
    campaign = task.tracks.get().campaign
    file = SimpleUploadedFile("other.csv", b"item,system,input,output\n1,S01,a,b\n")
    with refused("is sealed"):
        materials.start_import(campaign, [file], by=task.owner)
    assert not campaign.material_imports.exists()
    assert campaigns.launch_campaign(campaign, by=task.owner).launched_at
