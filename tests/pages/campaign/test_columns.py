"""Saying what the columns of an upload are: by page, API, command and campaign file."""

import io
import json
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.campaigns import definition_of
from rankme.actions.imports.import_jobs import execute_import
from rankme.actions.imports.judgement_imports import start_archive
from rankme.actions.material import materials
from rankme.errors import RefusedAction
from rankme.importing import Reading
from rankme.models import Campaign, Judgement, MaterialImport, Output, Participant
from rankme.protocols.files import definition_from_yaml, definition_to_yaml
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.imports import work_on
from tests.pages.addresses import page_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

KNOWN = "model,prompt,response\nA,Why?,Because.\nA,How?,Thus.\nB,Why?,So.\nB,How?,Well.\n"
UNKNOWN = "alpha,beta,gamma\nA,1,Because.\nA,2,Thus.\nB,1,So.\nB,2,Well.\n"
TABLE = {"layout": "long", "columns": {"system": "alpha", "item": "beta", "output": "gamma"}}
DESCRIBED = {"role-0-0": "system", "role-0-1": "item", "role-0-2": "output"}


@pytest.fixture
def campaign() -> Campaign:
    return campaigns.create_campaign(make_owner(), slider_definition())


def checked(campaign: Campaign, folder: Path, content: str | bytes, **more) -> MaterialImport:
    path = folder / "data.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    row = materials.start_import(campaign, [path], by=campaign.owner, **more)
    return work_on(row)


def test_known_names_need_no_description_and_are_shown_with_the_first_rows(
    olga, campaign, tmp_path
):
    row = checked(campaign, tmp_path, KNOWN)
    assert row.phase == MaterialImport.Phase.PREVIEWED
    page = olga.get(page_of(row)).text
    assert '<option value="item+input" selected>' in page
    assert "Because." in page and ">Import<" in page


def test_unknown_columns_are_described_on_the_page_and_imported(olga, campaign, tmp_path):
    row = checked(campaign, tmp_path, UNKNOWN)
    assert (row.state, row.phase) == ("failed", MaterialImport.Phase.COLUMNS)
    page = olga.get(page_of(row)).text
    assert 'name="role-0-2"' in page and "Check again" in page and "Because." in page

    answer = olga.post(page_of(row, "campaign-import-columns"), DESCRIBED)
    assert answer["Location"] == page_of(row)
    assert work_on(row).phase == MaterialImport.Phase.PREVIEWED
    olga.post(page_of(row, "campaign-import-take"))
    work_on(row)
    assert set(Output.objects.values_list("system__name", "item__key", "text")) == {
        ("A", "1", "Because."),
        ("A", "2", "Thus."),
        ("B", "1", "So."),
        ("B", "2", "Well."),
    }


def test_a_senseless_description_is_refused_next_to_the_columns(olga, campaign, tmp_path):
    row = checked(campaign, tmp_path, UNKNOWN)
    twice = {**DESCRIBED, "role-0-1": "system"}
    answer = olga.post(page_of(row, "campaign-import-columns"), twice)
    assert answer.status_code == 422
    assert "Two columns are the system" in answer.text
    row.refresh_from_db()
    assert row.phase == MaterialImport.Phase.COLUMNS


def test_the_encoding_can_be_corrected(olga, campaign, tmp_path):
    text = "system,item,output\nA,1,\u0161koda\n"
    row = checked(campaign, tmp_path, text.encode("cp1250"))
    roles = {"role-0-0": "system", "role-0-1": "item", "role-0-2": "output"}
    olga.post(page_of(row, "campaign-import-columns"), {**roles, "encoding": "cp1250"})
    assert work_on(row).preview["samples"][0]["outputs"] == {"A": "škoda"}


def chosen(page: str) -> set[str]:
    return set(re.findall(r'<option value="([^"]+)" selected>', page))


def test_a_refused_correction_is_still_chosen_when_the_form_comes_back(olga, campaign, tmp_path):
    """Twice the same item for system A; names that need no description do not lose the encoding."""
    for text, encoding in (
        ("alpha,beta,gamma\nA,1,\u0161koda\nA,1,Thus.\n", "cp1250"),
        ("system,item,output\nA,1,\u0161koda\nA,1,Thus.\n", "cp1250"),
    ):
        row = checked(campaign, tmp_path, UNKNOWN)
        content = text.encode(encoding)
        stored = next(iter(row.files.values()))
        (settings.MEDIA_ROOT / stored).write_bytes(content)
        if text.startswith("system"):
            row.preview["tables"][0]["names"] = ["system", "item", "output"]
            row.save()
        answer = {**DESCRIBED, "encoding": encoding}
        olga.post(page_of(row, "campaign-import-columns"), answer)
        row = work_on(row)
        assert row.problems
        page = olga.get(page_of(row)).text
        assert chosen(page) == {"system", "item", "output", encoding}


def test_the_page_says_how_a_text_was_read(olga, campaign, tmp_path):
    row = checked(campaign, tmp_path, "system,item,output\nA,1,\xe9t\xe9\n".encode("cp1252"))
    page = olga.get(page_of(row)).text
    assert "Read as Windows-1252 (Western Europe)." in page


def test_a_refusal_says_what_to_do_next(olga, campaign, tmp_path):
    page = olga.get(page_of(checked(campaign, tmp_path, UNKNOWN))).text
    assert "Choose a meaning for each column, then check again." in page
    twice = KNOWN + "A,Why?,Again.\n"
    page = olga.get(page_of(checked(campaign, tmp_path, twice))).text
    assert "Upload a corrected file, or correct the columns and check again." in page
    twice = "system,item,output\nA,1,x\nA,1,y\n"
    page = olga.get(page_of(checked(campaign, tmp_path, twice))).text
    assert "Fix the problems below and upload the file again." in page


def test_the_campaign_file_remembers_the_columns_for_the_next_upload(campaign, tmp_path):
    row = checked(campaign, tmp_path, UNKNOWN)
    given = {
        "tables": [{"layout": "long", "columns": dict(system="alpha", item="beta", output="gamma")}]
    }
    row = checked(campaign, tmp_path, UNKNOWN, options={"reading": given})
    materials.take_import(row, by=campaign.owner)
    work_on(row)
    campaign.refresh_from_db()
    text = definition_to_yaml(definition_of(campaign))
    assert "output: gamma" in text
    assert definition_from_yaml(text).material == definition_of(campaign).material
    assert checked(campaign, tmp_path, UNKNOWN).phase == MaterialImport.Phase.PREVIEWED
    assert dry_run(campaign, tmp_path / "data.csv")["problems"] == []


def test_what_is_remembered_survives_a_form_that_was_opened_before(campaign, tmp_path):
    definition, version = definition_of(campaign), campaigns.definition_version(campaign)
    row = checked(campaign, tmp_path, KNOWN)
    materials.take_import(row, by=campaign.owner)
    work_on(row)
    campaign.refresh_from_db()
    campaigns.change_definition(campaign, definition, by=campaign.owner, base=version)
    campaign.refresh_from_db()
    assert definition_of(campaign).material is not None


def test_plain_names_leave_the_campaign_file_as_it_is(campaign, tmp_path):
    row = checked(campaign, tmp_path, "system,item,output\nA,1,x\n")
    materials.take_import(row, by=campaign.owner)
    work_on(row)
    campaign.refresh_from_db()
    assert definition_of(campaign).material is None


def test_an_import_under_way_or_done_is_not_described_again(campaign, tmp_path):
    row = checked(campaign, tmp_path, KNOWN)
    materials.take_import(row, by=campaign.owner)
    with pytest.raises(RefusedAction):
        materials.read_again(row, Reading(), by=campaign.owner)
    work_on(row)
    with pytest.raises(RefusedAction):
        materials.read_again(row, Reading(), by=campaign.owner)


# --- the command ---


def dry_run(campaign: Campaign, path: Path, **more) -> dict:
    out = io.StringIO()
    call_command(
        "import_material", campaign.code, path, dry_run=True, json=True, stdout=out, **more
    )
    return json.loads(out.getvalue())


def test_a_dry_run_prints_the_proposal_and_stores_nothing(campaign, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(KNOWN)
    found = dry_run(campaign, path)
    assert found["columns"] == {
        "system": "model",
        "item": "prompt",
        "input": "prompt",
        "output": "response",
    }
    assert (found["layout"], found["systems"], found["items"]) == ("long", 2, 2)
    assert found["problems"] == []
    assert not MaterialImport.objects.exists()


def test_a_dry_run_of_a_wide_table_names_its_systems(campaign, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("id,prompt,GPT,Llama\n1,Why?,a b c,d e f\n2,How?,g h i,\n")
    found = dry_run(campaign, path)
    assert (found["layout"], found["missing"]) == ("wide", 1)
    assert found["columns"] == {"item": "id", "input": "prompt"}
    assert found["system_columns"] == {"GPT": "GPT", "Llama": "Llama"}


def test_the_same_problem_in_many_rows_is_one_line(campaign, tmp_path):
    path = tmp_path / "data.csv"
    rows = "".join(f"A,{number},x,extra\n" for number in range(160))
    path.write_text(f"system,item,output\nA,i,good\n{rows}")
    (problem,) = dry_run(campaign, path)["problems"]
    assert (problem["count"], problem["lines"][:2]) == (160, [3, 4])
    assert "and in 159 more rows" in problem["text"]


def test_the_command_takes_a_description(campaign, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text(UNKNOWN)
    assert dry_run(campaign, path)["problems"]
    given = json.dumps({"tables": [TABLE]})
    assert dry_run(campaign, path, columns=given)["problems"] == []
    call_command(
        "import_material", campaign.code, path, columns=given, take=True, stdout=io.StringIO()
    )
    assert Output.objects.count() == 4
    with pytest.raises(CommandError, match="not JSON"):
        call_command("import_material", campaign.code, path, columns="{", stdout=io.StringIO())


def test_what_is_added_to_a_launched_campaign_leaves_its_file_as_it_is(olga, tmp_path):
    launched = make_campaign()
    row = checked(launched, tmp_path, UNKNOWN, options={"reading": {"tables": [TABLE]}})
    assert row.phase == "previewed"
    materials.take_import(row, by=launched.owner)
    assert execute_import(row.pk, "tester")
    row.refresh_from_db()
    before = launched.definition
    launched.refresh_from_db()
    assert (row.state, launched.definition) == ("done", before)


def test_files_with_the_same_columns_are_one_table_on_the_page(olga, tmp_path):
    archive = start_archive(make_owner(), title="Elsewhere")
    paths = []
    for rater in ("ada", "ben", "cy"):
        paths.append(tmp_path / f"{rater}.csv")
        paths[-1].write_text(f"who,item,system,score\n{rater},x,A,4\n{rater},x,B,3\n")
    kind = MaterialImport.Kind.JUDGEMENTS
    row = work_on(materials.start_import(archive, paths, kind=kind, by=archive.owner))
    page = olga.get(page_of(row)).text
    assert page.count("<caption>") == 1
    assert "and 2 more tables with the same columns" in page

    roles = {"role-0-0": "rater", "role-0-1": "item", "role-0-2": "system", "role-0-3": "value"}
    olga.post(page_of(row, "campaign-import-columns"), roles)
    work_on(row)
    olga.post(page_of(row, "campaign-import-take"))
    work_on(row)
    assert (Judgement.objects.count(), Participant.objects.count()) == (6, 3)
