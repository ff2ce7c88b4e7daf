"""Outputs in the layouts of others: read by their readers, or by our own of their formats."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sacrebleu.dataset.wmt_xml import WMTXMLDataset

from analysis.meta_evaluation.mtme_archive import read_archive
from analysis.report.answer import answers_of
from rankme.actions.shared_task.sealing import Choice, seal
from rankme.exporting.bundle import run_table
from rankme.exporting.shared_task.files import task_file
from rankme.exporting.shared_task.results import results_of
from rankme.importing.system_outputs import Outputs, read_system_outputs
from rankme.models import Item, Output, SharedTask, SystemCode, SystemUpload, UploadCheck
from tests.shared_tasks.tasks import close, judged, make_task, make_team, submit, unsealed

pytestmark = pytest.mark.django_db


def unpacked(task, name: str, into: Path) -> list[str]:
    content = b"".join(task_file(results_of(task), name).content)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(into)
        return sorted(archive.namelist())


def outputs_of(name: str) -> list[str]:
    row = SystemCode.objects.get(upload__system__name=name)
    rows = Output.objects.filter(system__name=row.code, system__campaign=row.track.campaign)
    return list(rows.order_by("item__position").values_list("text", flat=True))


@pytest.fixture(scope="module")
def unsealed_once(rows_of_the_module) -> SharedTask:
    made = make_task(tracks=("en-de",))
    Item.objects.update(reference="A <reference> & more.")
    Item.objects.filter(position=1).update(input="Two\nlines")
    for place, name in enumerate(("Owls", "Bees", "Cats")):
        sent = submit(make_team(made, name))
        UploadCheck.objects.filter(upload=sent).update(scores={"chrf": 40.5 + place})
    close(made)
    return unsealed(judged(seal(made, by=made.owner)))


@pytest.fixture
def task(unsealed_once) -> SharedTask:
    return SharedTask.objects.get(pk=unsealed_once.pk)


def test_files_of_wmt_are_named_and_read_as_those_of_its_repositories(task, tmp_path):
    names = unpacked(task, "outputs-wmt.zip", tmp_path)
    assert names == [
        "txt/references/A-task.en-de.ref.A.de",
        "txt/sources/A-task.en-de.src.en",
        *(f"txt/system-outputs/A-task.en-de.hyp.{name}.de" for name in ("Bees", "Cats", "Owls")),
        "xml/A-task.en-de.all.xml",
    ]
    read = WMTXMLDataset._unwrap_wmt21_or_later(tmp_path / names[-1])
    assert [text.strip() for text in read["Owls"]] == outputs_of("Owls")
    assert set(read) >= {"Owls", "Bees", "Cats", "src"}
    for name in ("Owls", "Bees", "Cats"):
        lines = (tmp_path / f"txt/system-outputs/A-task.en-de.hyp.{name}.de").read_text()
        assert lines.splitlines() == outputs_of(name)
    sources = (tmp_path / "txt/sources/A-task.en-de.src.en").read_text().splitlines()
    assert sources[1] == "Two lines" and len(sources) == 4


def test_a_file_of_one_system_can_be_uploaded_again(task, tmp_path):
    unpacked(task, "outputs-wmt.zip", tmp_path)
    path = tmp_path / "txt/system-outputs/A-task.en-de.hyp.Bees.de"
    keys = [item.key for item in Item.objects.order_by("position")]
    assert read_system_outputs(Outputs(path, "bees.txt"), keys) == outputs_of("Bees")


def test_folders_of_mtme_are_read_as_an_archive_with_the_scores_of_people(task, tmp_path):
    names = unpacked(task, "outputs-mtme.zip", tmp_path)
    track = results_of(task).tracks[0]
    (answer,) = answers_of(track.report)
    archive = read_archive(tmp_path / "A-task", "en-de", human=answer.criterion)
    assert archive.judgements.system.labels == ("Bees", "Cats", "Owls")
    table = run_table(track.run)
    code_of = {row.upload.system.name: row.code for row in SystemCode.objects.all()}
    keys = {f"{item.position + 1:06}": item.key for item in Item.objects.all()}
    assert archive.judgements.value.size == 12
    for place, value in enumerate(archive.judgements.value):
        system = archive.judgements.system.labels[archive.judgements.system.codes[place]]
        item = keys[archive.judgements.item.labels[archive.judgements.item.codes[place]]]
        mine = (table.system.codes == table.system.labels.index(code_of[system])) & (
            table.item.codes == table.item.labels.index(item)
        )
        assert value == pytest.approx(np.mean(table.value[mine]), abs=1e-12)
    lines = (tmp_path / f"A-task/human-scores/en-de.{answer.criterion}.sys.score").read_text()
    scores = dict(line.split() for line in lines.splitlines())
    assert {code_of[name]: float(value) for name, value in scores.items()} == {
        each.system: each.value for each in answer.standings
    }
    assert "A-task/metric-scores/en-de/chrF-refA.sys.score" in names


def test_a_withdrawn_system_is_in_no_file_and_the_reference_has_its_own_name(tmp_path):
    made = make_task()
    for name in ("Owls", "Bees", "Cats"):
        submit(make_team(made, name))
    made.tracks.get().campaign.items.update(reference="A reference.")
    close(made)
    sealed = seal(made, Choice(with_reference=[made.tracks.get().pk]), by=made.owner)
    done = judged(sealed)
    gone = SystemUpload.objects.get(system__name="Cats", team__task=made)
    SystemUpload.objects.filter(pk=gone.pk).update(withdrawn_at=gone.received_at)
    told = unsealed(done)
    wmt = unpacked(told, "outputs-wmt.zip", tmp_path / "wmt")
    mtme = unpacked(told, "outputs-mtme.zip", tmp_path / "mtme")
    assert not any("Cats" in name for name in (*wmt, *mtme))
    assert "A-task/system-outputs/src-English/refA.txt" in mtme
    texts = "".join(
        path.read_text() for path in [*tmp_path.rglob("*.score"), *tmp_path.rglob("*.xml")]
    )
    assert "refA" in texts and "Cats" not in texts


def test_names_that_others_do_not_publish_are_codes_in_files(task, tmp_path):
    task.teams_named = "never"
    for name in ("outputs-wmt.zip", "outputs-mtme.zip"):
        found = unpacked(task, name, tmp_path / name)
        assert not any("Owls" in each for each in found)
        assert any("S01" in each for each in found)
