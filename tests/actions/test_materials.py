"""Uploads: stored, checked, previewed, and taken whole or not at all."""

import os
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command

from rankme.actions import jobs
from rankme.actions.campaign import campaigns
from rankme.actions.imports import import_jobs
from rankme.actions.material import materials
from rankme.errors import RefusedAction
from rankme.models import Item, MaterialImport, Output
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.importing.workbooks import workbook
from tests.imports import work_on

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

ROWS = [
    ("alpha", "1", "The Eagle is a pub."),
    ("alpha", "2", "Tab\\t and back\\\\slash, quoted."),
    ("beta", "1", "A pub called The Eagle. ünïcödé 𝄞"),
    ("beta", "2", ""),
]


def table(rows=ROWS) -> bytes:
    lines = ["system\titem\toutput", *("\t".join(row) for row in rows)]
    return ("\n".join(lines) + "\n").encode()


def upload(content: bytes = b"", name: str = "outputs.tsv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content or table())


@pytest.fixture
def owner():
    return make_owner()


@pytest.fixture
def draft(owner):
    return campaigns.create_campaign(owner, slider_definition())


def stored_files() -> list[str]:
    if not default_storage.exists("imports"):
        return []
    return default_storage.listdir("imports")[1]


def previewed(draft, owner, content: bytes = b"") -> MaterialImport:
    return work_on(materials.start_import(draft, [upload(content)], by=owner))


def taken(draft, owner, content: bytes = b"") -> MaterialImport:
    row = previewed(draft, owner, content)
    materials.take_import(row, by=owner)
    return work_on(row)


def stored_rows(campaign) -> list[tuple[str, str, str]]:
    outputs = Output.objects.filter(item__campaign=campaign).order_by("id")
    return list(outputs.values_list("system__name", "item__key", "text"))


def test_a_file_that_ends_its_reader_is_tried_once_and_refused_in_words(draft, owner):
    far_cell = workbook(("A1", "system"), ("XFD1048576", "x"))
    row = work_on(materials.start_import(draft, [upload(far_cell, "wide.xlsx")], by=owner))
    assert (row.state, row.phase, row.attempts) == ("failed", "check", 1)
    assert "upload the file again" in row.error
    assert row.problems[0]["file"] == "wide.xlsx"
    assert "more than 2 GB of memory" in row.problems[0]["message"]


def test_texts_that_raters_see_as_written_are_named_before_the_import(owner):
    asked = [criterion.name for criterion in slider_definition().criteria]
    screens = [{"name": "s", "show": [{"block": "outputs", "format": "markdown"}], "ask": asked}]
    draft = campaigns.create_campaign(owner, slider_definition(screens=screens))
    rows = [("alpha", "1", "x " * 20_001), ("alpha", "2", "> " * 60 + "x"), ("beta", "1", "*x*")]
    row = previewed(draft, owner, table(rows))
    notes = [note for note in row.preview["notes"] if "Markdown" in note]
    assert notes == [
        "2 texts are too long or too deeply nested for Markdown, and raters will see them as they "
        "were written, such as the output of alpha for 1."
    ]
    plain = previewed(campaigns.create_campaign(owner, slider_definition()), owner, table(rows))
    assert not any("Markdown" in note for note in plain.preview["notes"])


def test_an_upload_is_checked_and_previewed_and_changes_nothing_yet(draft, owner):
    row = previewed(draft, owner)
    assert (row.state, row.phase, row.format) == ("done", "previewed", "long")
    assert row.preview["n_outputs"] == 4
    assert row.preview["empty"] == 1
    assert not Item.objects.exists()


def test_the_imported_rows_are_the_uploaded_ones(draft, owner, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        row = taken(draft, owner)
    assert (row.state, row.phase) == ("done", "taken")
    assert stored_rows(draft) == ROWS
    assert list(draft.systems.values_list("folded", flat=True)) == ["alpha", "beta"]
    assert stored_files() == []
    with pytest.raises(RefusedAction):
        materials.drop_import(row, by=owner)


def test_items_keep_their_texts_and_factors(draft, owner):
    items = b"item\tinput\treference\tdomain\n1\tname[Eagle]\tThe Eagle.\tpub\n2\tx\ty\tcafe\n"
    files = {"outputs": upload(), "items": upload(items, "items.tsv")}
    row = work_on(materials.start_import(draft, files, by=owner))
    assert row.problems == []
    materials.take_import(row, by=owner)
    work_on(row)
    item = draft.items.get(key="1")
    assert (item.input, item.reference) == ("name[Eagle]", "The Eagle.")
    assert item.factors == {"domain": "pub"}


def test_faults_come_all_at_once_with_their_places_and_nothing_is_kept(
    draft, owner, django_capture_on_commit_callbacks
):
    faulty = table([*ROWS, ("alpha", "1", "again"), ("beta", "1")])
    with django_capture_on_commit_callbacks(execute=True):
        row = previewed(draft, owner, faulty)
    assert row.state == "failed"
    assert [problem["line"] for problem in row.problems] == [6, 7]
    assert {problem["file"] for problem in row.problems} == {"outputs.tsv"}
    assert stored_files() == []
    with pytest.raises(RefusedAction):
        materials.take_import(row, by=owner)


def test_a_second_upload_takes_the_place_of_the_first(draft, owner):
    taken(draft, owner)
    taken(draft, owner, table([("gamma", "9", "Other.")]))
    assert stored_rows(draft) == [("gamma", "9", "Other.")]
    assert [system.name for system in draft.systems.all()] == ["gamma"]


def test_a_new_upload_discards_the_waiting_one(draft, owner, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        first = previewed(draft, owner)
        previewed(draft, owner)
    first.refresh_from_db()
    assert first.phase == "dropped"
    assert len(stored_files()) == 1


def test_one_import_at_a_time(draft, owner):
    materials.start_import(draft, [upload()], by=owner)
    with pytest.raises(RefusedAction, match="still running"):
        materials.start_import(draft, [upload()], by=owner)
    assert len(stored_files()) == 1


def test_a_dropped_upload_is_gone_with_its_files(draft, owner, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        row = previewed(draft, owner)
        materials.drop_import(row, by=owner)
    row.refresh_from_db()
    assert (row.phase, stored_files()) == ("dropped", [])
    with pytest.raises(RefusedAction):
        materials.take_import(row, by=owner)


def test_an_upload_that_is_dropped_before_its_check_is_not_checked(draft, owner):
    row = materials.start_import(draft, [upload()], by=owner)
    materials.drop_import(row, by=owner)
    assert not import_jobs.execute_import(row.pk, "worker")
    row.refresh_from_db()
    assert (row.state, row.phase) == ("cancelled", "dropped")


def test_a_preview_from_before_the_launch_cannot_be_imported_after_it(owner):
    campaign = make_campaign(launch=False, owner=owner)
    row = previewed(campaign, owner)
    before = stored_rows(campaign)
    campaigns.launch_campaign(campaign, by=owner)
    with pytest.raises(RefusedAction, match="has been launched"):
        materials.take_import(row, by=owner)
    assert stored_rows(campaign) == before


def test_a_launch_that_slips_in_before_the_worker_refuses_the_taking(owner):
    campaign = make_campaign(launch=False, owner=owner)
    row = previewed(campaign, owner)
    materials.take_import(row, by=owner)
    MaterialImport.objects.filter(pk=row.pk).update(state="done")
    campaigns.launch_campaign(campaign, by=owner)
    MaterialImport.objects.filter(pk=row.pk).update(state="queued")
    before = stored_rows(campaign)
    row = work_on(row)
    assert (row.state, "has been launched" in row.error) == ("failed", True)
    assert stored_rows(campaign) == before


def test_a_worker_that_fails_half_way_changes_nothing(draft, owner, monkeypatch):
    taken(draft, owner)
    row = previewed(draft, owner, table([("gamma", "9", "Other.")]))
    materials.take_import(row, by=owner)

    def die(*arguments, **named):
        raise jobs.LostClaim

    monkeypatch.setattr(materials.jobs, "finish", die)
    work_on(row)
    assert stored_rows(draft) == ROWS
    assert row.state == "working"


def test_files_that_are_gone_are_told(draft, owner):
    row = materials.start_import(draft, [upload()], by=owner)
    default_storage.delete(row.files["0"])
    row = work_on(row)
    assert row.state == "failed" and "outputs.tsv" in row.error


def test_files_of_one_name_none_and_too_large_ones_are_refused_before_they_are_stored(
    draft, owner, monkeypatch
):
    with pytest.raises(RefusedAction, match="same name"):
        materials.start_import(draft, [upload(), upload()], by=owner)
    with pytest.raises(RefusedAction, match="at least one file"):
        materials.start_import(draft, [], by=owner)
    small = materials.LIMITS.__class__(file_bytes=10, total_bytes=10)
    monkeypatch.setattr(materials, "LIMITS", small)
    with pytest.raises(RefusedAction, match="MB"):
        materials.start_import(draft, [upload()], by=owner)
    assert stored_files() == []


def test_no_name_of_a_stranger_reaches_the_disk(draft, owner):
    row = materials.start_import(draft, [upload(name="../../etc/passwd.tsv")], by=owner)
    assert row.labels == {"0": "passwd.tsv"}
    assert all(len(name) == 24 and name.isalnum() for name in stored_files())


def test_the_command_checks_and_takes(draft, tmp_path: Path, capsys):
    (tmp_path / "outputs.tsv").write_bytes(table())
    call_command("import_material", draft.code, str(tmp_path / "outputs.tsv"))
    assert "4 outputs of 2 systems for 2 items" in capsys.readouterr().out
    assert not Output.objects.exists()
    call_command("import_material", draft.code, str(tmp_path / "outputs.tsv"), "--take")
    assert stored_rows(draft) == ROWS


def test_the_command_lists_every_fault(draft, tmp_path: Path):
    (tmp_path / "outputs.tsv").write_bytes(table([*ROWS, ("alpha", "1", "again")]))
    with pytest.raises(CommandError, match="line 6"):
        call_command("import_material", draft.code, str(tmp_path / "outputs.tsv"))


def made_old(*names: str) -> set[str]:
    for name in names:
        os.utime(default_storage.path(name), (0, 0))
    return {Path(name).name for name in names}


def test_files_that_a_killed_process_left_are_swept_and_no_others(draft, owner):
    """Left: by an upload without a row, and by one that was over before its files were deleted."""
    rowless = default_storage.save("imports/rowless", ContentFile(b"x"))
    over = materials.start_import(draft, [upload()], by=owner)
    MaterialImport.objects.filter(pk=over.pk).update(state="failed")
    waiting = previewed(draft, owner)
    queued = materials.start_import(make_campaign(launch=False), [upload()], by=owner)
    assert materials.sweep_uploads() == 0, "what was just stored may be getting its row"
    made_old(rowless, *over.files.values())
    needed = made_old(*waiting.files.values(), *queued.files.values())
    assert materials.sweep_uploads() == 2
    assert set(stored_files()) == needed
