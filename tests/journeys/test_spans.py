"""Marks in the text, from the rater to the report and into every file that has them."""

import io
import json
import random
import zipfile

import pytest
from django.db import IntegrityError
from django.urls import reverse

from analysis.report.stored import read_report
from analysis.spans.files import read_spans, write_spans
from analysis.spans.judged import marked_outputs
from analysis.spans.model import MarkedOutput, SpanTable
from analysis.spans.own import fingerprint
from analysis.table_files import read_table
from rankme.actions.campaign.campaigns import create_campaign, launch_campaign
from rankme.actions.imports.judgement_imports import import_judgements
from rankme.actions.material import materials
from rankme.actions.sitting.assignments import claim_batch
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.exporting.spans import FORMS, span_table
from rankme.models import Campaign, Judgement, Output
from rankme.pages.rater.page_document import page_document
from rankme.pages.rater.shown_trials import trials_of
from rankme.protocols.files import preset
from rankme.queries.judgement_table import judgement_table
from rankme.simulation.answers import Taste, answers_to
from tests.analysis.marked import everything, mark
from tests.campaigns import make_owner, make_rater
from tests.imports import work_on
from tests.marking import marked_campaign
from tests.pages.rater.visits import begin, payload_for, send
from tests.runs import asked, executed

pytestmark = pytest.mark.django_db(transaction=True)


def stored_marks(campaign):
    """What the record has: the marks of each rater and output."""
    rows = Judgement.objects.filter(criterion__name="errors").select_related(
        "submission__assignment__participant", "output__system", "output__item"
    )
    return {
        (
            row.submission.assignment.participant.label,
            row.output.system.name,
            row.output.item.key,
        ): [(mark["start"], mark["end"], mark["text"]) for mark in json.loads(row.text)["marks"]]
        for row in rows
    }


def files_in(content):
    """The file that was downloaded, or those of the zip that it is."""
    file = io.BytesIO(content)
    if not zipfile.is_zipfile(file):
        return [io.BytesIO(content)]
    with zipfile.ZipFile(file) as archive:
        return [io.BytesIO(archive.read(name)) for name in archive.namelist()]


def read_marks(spans):
    return {
        each.key: [(mark.start, mark.end, mark.text) for mark in each.marks]
        for each in spans.outputs
    }


def test_marks_reach_the_table_the_files_and_the_report(client, tmp_path):
    campaign = marked_campaign("esa", raters=4)  # two batches, each with two raters
    expected = stored_marks(campaign)
    assert sum(map(len, expected.values())) > 20

    table = judgement_table(campaign)
    assert read_marks(marked_outputs(table)) == expected
    path = tmp_path / "judgements.csv"
    path.write_bytes(b"".join(judgements_csv(campaign)))
    assert read_table(path).sha256 == table.sha256
    lines = [json.loads(line) for line in judgements_jsonl(campaign)]
    assert json.loads(lines[0]["judgements"][0]["text"])["sha256"]

    run = executed(asked(campaign), pictures=())
    section = read_report(run.finished_result["report"]).criterion("errors").spans
    assert {each.system for each in section.systems} == {"Linden", "Maple", "Oak", "Poplar"}
    assert section.systems[0].system == "Linden"
    assert section.systems[0].low < section.systems[0].score < section.systems[0].high
    assert section.systems[0].per_100_words > 0
    assert section.ranking.systems[0].system == "Linden"
    assert section.agreement.pairs == 52
    assert {each.severity for each in section.kinds} == {"minor", "major"}

    client.force_login(campaign.owner)
    address = reverse("rankme:export-judgements", args=[campaign.code])
    assert "Pearmut" in client.get(address).text
    for form in FORMS:
        answer = client.get(address, {"format": "spans", "criterion": "errors", "form": form})
        assert read_marks(read_spans(*files_in(answer.content))) == read_marks(
            span_table(campaign, "errors")
        )
    assert (
        client.get(address, {"format": "spans", "criterion": "x", "form": "csv"}).status_code == 404
    )
    page = client.get(reverse("rankme:analysis-run", args=[campaign.code, run.pk]))
    for words in (
        "Error spans: penalties",
        "Marks by category and severity",
        "Clusters by penalty",
    ):
        assert words in page.text


@pytest.mark.parametrize("side", ["output", "source"])
def test_the_database_refuses_a_mark_with_another_text(side):
    campaign = marked_campaign("esa", raters=1)
    found = Judgement.objects.filter(criterion__name="errors", value__gt=0).first()
    marks = json.loads(found.text)["marks"]
    wrong = json.dumps({"marks": [{**marks[0], "side": side, "text": "something else"}]})
    fields = {"submission": found.submission, "criterion": found.criterion, "value": 1}
    other = Output.objects.filter(item__campaign=campaign).exclude(pk=found.output_id).first()
    with pytest.raises(IntegrityError, match="another text"):
        Judgement.objects.create(**fields, output=other, text=wrong)


@pytest.mark.parametrize("form", ["google", "pearmut", "factgenie", "json", "csv"])
def test_marks_from_elsewhere_become_an_archive_that_loses_nothing(form, tmp_path):
    given = everything()
    path = tmp_path / "marks"
    write_spans(given, form, path)
    campaign = import_judgements(make_owner(), path, title="Elsewhere", keep_rater_names=True)
    found = span_table(campaign, "errors")
    assert fingerprint(found) == fingerprint(read_spans(path))
    assert fingerprint(found) == fingerprint(given)
    again = tmp_path / "judgements.csv"
    again.write_bytes(b"".join(judgements_csv(campaign)))
    copied = import_judgements(make_owner(), again, title="Again", keep_rater_names=True)
    assert read_marks(marked_outputs(judgement_table(copied))) == read_marks(found)


def test_suggested_marks_come_in_with_their_outputs_and_reach_the_rater(tmp_path):
    given = MarkedOutput(
        *("a model", "System A", "1"),
        (mark("The dog walked.", 8, 14),),
        "The dog walked.",
        "Er lief.",
    )
    path = tmp_path / "suggestions.jsonl"
    write_spans(SpanTable((given,)), "json", path)
    owner = make_owner()
    campaign = create_campaign(owner, preset("esa"))
    row = materials.start_import(campaign, [path], by=owner)
    work_on(row)
    assert row.format == "spans", row.problems
    materials.take_import(row, by=owner)
    work_on(row)
    campaign = launch_campaign(Campaign.objects.get(pk=campaign.pk), by=owner)
    held = claim_batch(make_rater(campaign))
    (trial,) = page_document(preset("esa"), trials_of(held))["trials"]
    ((suggested,),) = trial["marks"]
    assert (suggested["start"], suggested["end"], suggested["text"]) == (8, 14, "walked")
    assert (suggested["prefilled"], suggested["confirmed"]) == ("a model", False)


def test_a_screen_with_huge_events_is_refused_and_real_ones_are_stored(client):
    """As one rater filled the disk: nothing looked at what the events said."""
    campaign = marked_campaign(raters=0)
    document = begin(client, campaign)
    trial = document["trials"][0]
    bad = Taste(random.Random(1), dict.fromkeys(trial["outputs"], -3.0), 0)
    fits = answers_to(document["screens"][0], trial, bad)
    real = json.loads(json.dumps(fits))
    assert any(each["value"]["events"] for each in fits if isinstance(each["value"], dict))
    for each in fits:
        if isinstance(each["value"], dict):
            each["value"]["events"] = [{"do": "add", "at": 1, "id": 1, "text": "界" * 20_000}]
    assert send(client, campaign, payload_for(campaign, document, answers=fits)).status_code == 422
    assert send(client, campaign, payload_for(campaign, document, answers=real)).status_code == 201
