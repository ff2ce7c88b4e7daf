"""Saying what the columns of judgements are: by page, API, command and campaign file."""

import io
import json
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from rankme.actions.campaign.campaigns import definition_of
from rankme.actions.imports.judgement_imports import start_archive
from rankme.actions.material import materials
from rankme.models import Campaign, Criterion, Judgement, MaterialImport, System
from rankme.protocols.files import definition_to_yaml
from tests.campaigns import make_owner
from tests.imports import work_on
from tests.pages.addresses import page_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

BOTH = "annotator,prompt_id,gpt_fluency,gpt_style,llama_fluency,llama_style\nada,1,4,5,2,1\n"
UNKNOWN = "wer,was,A,B\nada,1,4,5\nben,1,3,2\n"
DESCRIBED = {"role-0-0": "rater", "role-0-1": "item", "role-0-2": "value", "role-0-3": "value"}
READING = {
    "tables": [
        {
            "columns": {"rater": "wer", "item": "was"},
            "value_columns": {"A": {"criterion": "A"}, "B": {"criterion": "B"}},
        }
    ]
}


@pytest.fixture
def archive() -> Campaign:
    return start_archive(make_owner(), title="Old")


def checked(archive: Campaign, folder: Path, content: str, **more) -> MaterialImport:
    path = folder / "ratings.csv"
    path.write_text(content)
    kind = MaterialImport.Kind.JUDGEMENTS
    return work_on(materials.start_import(archive, [path], kind=kind, by=archive.owner, **more))


def chosen(page: str) -> list[str]:
    return re.findall(r'<option value="([^"]*)" selected>', page)


def test_what_is_proposed_is_shown_above_the_first_rows_and_in_one_sentence(
    olga, archive, tmp_path
):
    row = checked(archive, tmp_path, BOTH)
    assert (row.state, row.phase) == ("done", "previewed")
    page = olga.get(page_of(row)).text
    assert chosen(page)[:6] == ["rater", "item", "value", "value", "value", "value"]
    words = re.sub(r"\s+([:,.])", r"\1", " ".join(page.split()))
    assert "4 judgements: 1 rater, 2 systems × 1 item, 2 criteria." in words
    assert "gpt_fluency&quot; (system gpt, criterion fluency)" in page


def test_unknown_columns_are_described_imported_and_remembered(olga, archive, tmp_path):
    row = checked(archive, tmp_path, UNKNOWN)
    assert (row.state, row.phase) == ("failed", "columns")
    page = olga.get(page_of(row)).text
    assert "Say which column names the items" in page and 'name="role-0-3"' in page

    olga.post(page_of(row, "campaign-import-columns"), {**DESCRIBED, "headings": "system"})
    row = work_on(row)
    assert row.preview["systems"] == ["A", "B"]
    assert "system" not in chosen(olga.get(page_of(row)).text), "it is the usual one"

    olga.post(page_of(row, "campaign-import-columns"), {**DESCRIBED, "headings": "criterion"})
    row = work_on(row)
    assert row.preview["systems"] == ["ratings"]
    assert "criterion" in chosen(olga.get(page_of(row)).text), "a choice is kept"
    olga.post(page_of(row, "campaign-import-take"))
    work_on(row)
    assert set(Criterion.objects.values_list("name", flat=True)) == {"a", "b"}
    assert Judgement.objects.count() == 4
    archive.refresh_from_db()
    assert "value_columns:" in definition_to_yaml(definition_of(archive))

    following = start_archive(archive.owner, title="Next")
    assert checked(following, tmp_path, UNKNOWN).preview["systems"] == ["ratings"]


def test_what_is_known_of_a_table_is_chosen_already(olga, archive, tmp_path):
    row = checked(archive, tmp_path, "annotator,was,model,A\nada,1,gpt,4\n")
    page = olga.get(page_of(row)).text
    assert chosen(page)[:4] == ["rater", "leave out", "system", "leave out"]


def test_plain_names_leave_the_campaign_file_as_it_is(archive, tmp_path):
    row = checked(archive, tmp_path, "rater,item,system,criterion,value\nada,1,A,q,3\n")
    materials.take_import(row, by=archive.owner)
    work_on(row)
    archive.refresh_from_db()
    assert definition_of(archive).material is None


def test_the_api_takes_the_same_description(olga, archive, tmp_path):
    row = checked(archive, tmp_path, UNKNOWN)
    address = f"/api/v1/campaigns/{archive.code}/imports/{row.pk}/"
    assert olga.get(address).json()["preview"]["tables"][0]["names"] == ["wer", "was", "A", "B"]
    sent = olga.post(f"{address}columns/", json.dumps(READING), content_type="application/json")
    assert sent.status_code == 202, sent.content
    found = work_on(row).preview
    assert [criterion["name"] for criterion in found["criteria"]] == ["A", "B"]


def dry_run(path: Path, **more) -> dict:
    out = io.StringIO()
    call_command("import_judgements", path, dry_run=True, json=True, stdout=out, **more)
    return json.loads(out.getvalue())


def test_a_dry_run_prints_the_proposal_and_stores_nothing(tmp_path, capsys):
    path = tmp_path / "ratings.csv"
    path.write_text(BOTH)
    found = dry_run(path)
    assert found["columns"] == {"rater": "annotator", "item": "prompt_id"}
    assert found["value_columns"]["llama_style"] == {"system": "llama", "criterion": "style"}
    assert (found["layout"], found["systems"], found["items"], found["judgements"]) == (
        "wide", 2, 1, 4,
    )  # fmt: skip
    assert not Campaign.objects.exists()
    call_command("import_judgements", path, dry_run=True)
    said = capsys.readouterr().out
    assert "4 judgements: 1 raters, 2 systems × 1 items, 2 criteria" in said
    path.write_text(UNKNOWN)
    assert "names the items" in dry_run(path)["problems"][0]["text"]


def test_the_command_takes_a_description_and_a_campaign_file_remembers_it(tmp_path):
    make_owner()
    path = tmp_path / "ratings.csv"
    path.write_text(UNKNOWN)
    given = json.dumps(READING)
    with pytest.raises(CommandError, match="names the items"):
        call_command("import_judgements", path, owner="olga")
    with pytest.raises(CommandError, match="--owner"):
        call_command("import_judgements", path, columns=given)
    call_command("import_judgements", path, owner="olga", columns=given, stdout=io.StringIO())
    first = Campaign.objects.get()
    kept = tmp_path / "campaign.yaml"
    kept.write_text(definition_to_yaml(definition_of(first)))
    call_command("import_judgements", path, owner="olga", definition=kept, stdout=io.StringIO())
    assert set(System.objects.values_list("name", flat=True)) == {"ratings"}
    assert Judgement.objects.count() == 8


def test_the_command_takes_several_files_and_folders(tmp_path):
    folder = tmp_path / "sittings"
    folder.mkdir()
    for path in (tmp_path / "ada.csv", folder / "ben.csv", folder / "cy.csv"):
        path.write_text(f"rater,item,system,fluency\n{path.stem},x,A,4\n{path.stem},x,B,3\n")
    make_owner()
    files = [str(tmp_path / "ada.csv"), str(folder)]
    call_command("import_judgements", *files, owner="olga", stdout=io.StringIO())
    archive = Campaign.objects.get()
    assert (archive.title, archive.participants.count()) == ("ada", 3)
