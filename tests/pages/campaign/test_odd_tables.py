"""Tables as other programs write them, uploaded through the pages with the corrections needed."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from rankme.actions.campaign import campaigns
from rankme.actions.imports.judgement_imports import start_archive
from rankme.models import Campaign, Item, Judgement, MaterialImport, Output
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.imports import work_on
from tests.pages.addresses import address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

FOLDER = Path(__file__).parents[2] / "data" / "odd_tables"
SYSTEMS = ["Alder 7B", "Birch", "Cedar (ours)"]
INPUT = "When does the reading room open on Sundays, and who may bring a dog along?"

Corrections = dict[str, str]
OUTPUTS: dict[str, tuple[Corrections, list[str]]] = {
    "title_and_notes.xlsx": ({}, SYSTEMS),
    "breaks_in_headings.ods": ({}, SYSTEMS),
    "title_and_breaks.csv": ({}, ["Alder", "Birch"]),
    "merged_cells.xlsx": ({}, SYSTEMS),
    "czech_with_index.parquet": ({}, SYSTEMS),
    "nested_records.jsonl": ({}, SYSTEMS),
    "records_under_a_key.json": ({}, SYSTEMS),
    "sheet_per_system.xlsx": ({"sheet": "*"}, ["Alder", "Birch"]),
}
# Judgements, raters, items, systems, criteria.
JUDGEMENTS: dict[str, tuple[Corrections, tuple[int, int, int, set[str], set[str]]]] = {
    "two_rows_of_headings.xlsx": (
        {},
        (60, 3, 5, {"Alder", "Birch"}, {"fluency", "adequacy"}),
    ),
    "google_forms.csv": ({}, (144, 6, 4, {"A", "B", "C"}, {"fluency", "adequacy"})),
    "qualtrics.csv": ({}, (60, 5, 3, {"red", "blue"}, {"fluency", "meaning"})),
    "limesurvey.csv": ({}, (30, 5, 3, {"rot", "blau"}, {"score"})),
    "microsoft_forms.xlsx": ({}, (40, 5, 4, {"one", "two"}, {"score"})),
}


def uploaded(olga, campaign: Campaign, name: str, *, field: str = "outputs") -> MaterialImport:
    page = "campaign-metrics-upload" if field == "file" else "campaign-material"
    file = SimpleUploadedFile(name, (FOLDER / name).read_bytes())
    answer = olga.post(address(page, campaign), {field: file})
    assert answer.status_code == 302, answer.text
    return work_on(campaign.material_imports.latest("pk"))


def chosen(page: str) -> dict[str, str]:
    """What the form of columns would send."""
    form = page[page.index("campaign-import") if "campaign-import" in page else 0 :]
    found = {
        unescape(name): unescape(value)
        for name, value in re.findall(r'<input[^>]*name="([^"]+)" value="([^"]*)"', form)
    }
    for name, options in re.findall(r'<select name="([^"]+)".*?>(.*?)</select>', form, re.S):
        selected = re.search(r'<option value="([^"]*)" selected', options)
        found[name] = unescape(selected.group(1)) if selected else ""
    return {name: value for name, value in found.items() if "csrf" not in name}


def imported(olga, row: MaterialImport, corrections: Corrections) -> MaterialImport:
    if corrections:
        page = olga.get(address("campaign-import", row.campaign, row.pk)).text
        answer = olga.post(
            address("campaign-import-columns", row.campaign, row.pk), chosen(page) | corrections
        )
        assert answer.status_code == 302, answer.text
        row = work_on(row)
    assert row.phase == MaterialImport.Phase.PREVIEWED, (row.error, row.problems[:3])
    assert olga.get(address("campaign-import", row.campaign, row.pk)).status_code == 200
    olga.post(address("campaign-import-take", row.campaign, row.pk))
    return work_on(row)


@pytest.mark.parametrize("name", OUTPUTS)
@pytest.mark.slow
def test_odd_tables_of_outputs_come_in(olga, name):
    corrections, systems = OUTPUTS[name]
    assert len(corrections) <= 1
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    imported(olga, uploaded(olga, campaign, name), corrections)
    names = campaign.systems.order_by("position").values_list("name", flat=True)
    assert list(names) == systems
    outputs = Output.objects.filter(item__campaign=campaign)
    assert outputs.count() == 5 * len(systems)
    assert outputs.filter(item__input=INPUT, text__startswith="Alder answers request 1").exists()
    assert "Sada" not in Item.objects.filter(campaign=campaign)[0].factors


@pytest.mark.parametrize("name", JUDGEMENTS)
@pytest.mark.slow
def test_odd_tables_of_judgements_come_in(olga, name):
    corrections, expected = JUDGEMENTS[name]
    assert len(corrections) <= 1
    archive = start_archive(make_owner(), title="Pilot")
    imported(olga, uploaded(olga, archive, name), corrections)
    archive.refresh_from_db()
    assert expected == (
        Judgement.objects.filter(output__item__campaign=archive).count(),
        archive.participants.count(),
        archive.items.count(),
        set(archive.systems.values_list("name", flat=True)),
        set(archive.criteria.values_list("name", flat=True)),
    )


def test_lists_of_turns_are_proposed_as_dialogues(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    row = uploaded(olga, campaign, "messages.jsonl")
    assert row.preview["tables"][0]["roles"] == ["system", "output"]
    page = olga.get(address("campaign-import", campaign, row.pk)).text
    assert "format: dialogue" in page
    imported(olga, row, {})
    assert Output.objects.filter(item__campaign=campaign).count() == 15


def test_scores_in_a_workbook_with_a_title_come_in(olga):
    campaign = make_campaign(items=6, systems=2)
    imported(olga, uploaded(olga, campaign, "scores.xlsx", field="file"), {})
    assert set(campaign.metrics.values_list("name", "outputs")) == {("COMET", 12), ("BLEURT", 12)}


def test_repeated_verdicts_of_an_arena_come_in(olga):
    campaign = make_campaign(items=6, systems=2)
    imported(olga, uploaded(olga, campaign, "arena.jsonl", field="file"), {})
    metric = campaign.metrics.get()
    assert (metric.name, metric.kind, metric.outputs) == ("gpt-4", "verdicts", 24)


def test_the_header_row_and_the_sheet_can_be_corrected(olga):
    campaign = campaigns.create_campaign(make_owner(), slider_definition())
    row = uploaded(olga, campaign, "title_and_notes.xlsx")
    page = olga.get(address("campaign-import", campaign, row.pk)).text
    sent = chosen(page)
    assert (sent["header"], sent["sheet"]) == ("3", "Outputs")
    columns = address("campaign-import-columns", campaign, row.pk)
    olga.post(columns, sent | {"header": "4"})
    table = work_on(row).preview["tables"][0]
    assert (table["header"], table["names"][0]) == (4, INPUT)
    page = olga.get(address("campaign-import", campaign, row.pk)).text
    olga.post(columns, chosen(page) | {"header": "3"})
    assert work_on(row).preview["tables"][0]["names"][1:] == SYSTEMS
    page = olga.get(address("campaign-import", campaign, row.pk)).text
    olga.post(columns, chosen(page) | {"sheet": "Notes"})
    assert work_on(row).preview["tables"][0]["names"] == ["Collected by", "Mila"]


def test_a_pattern_is_corrected_and_read_for_all_columns_that_fit(olga):
    archive = start_archive(make_owner(), title="Pilot")
    row = uploaded(olga, archive, "google_forms.csv")
    address_of_page = address("campaign-import", archive, row.pk)
    page = olga.get(address_of_page).text
    assert "criterion <bdi>Fluency</bdi>" in " ".join(page.split())
    sent = chosen(page) | {"pattern": "Text {item} - {system} [{criterion}]"}
    olga.post(address("campaign-import-columns", archive, row.pk), sent)
    assert work_on(row).preview["systems"] == ["System A", "System B", "System C"]
    wrong = chosen(olga.get(address_of_page).text) | {"pattern": "{word} [{item}]"}
    answer = olga.post(address("campaign-import-columns", archive, row.pk), wrong)
    assert answer.status_code == 422 and "unknown name" in answer.text
