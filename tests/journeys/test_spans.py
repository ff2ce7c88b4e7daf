"""Marks in the text, from the rater to the report and into every file that has them."""

import json

import pytest
from django.urls import reverse

from analysis.report.stored import read_report
from analysis.spans.judged import marked_outputs
from analysis.table_files import read_table
from rankme.exporting.judgements import judgements_csv, judgements_jsonl
from rankme.models import Judgement
from rankme.queries.judgement_table import judgement_table
from tests.marking import marked_campaign
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


def read_marks(spans):
    return {
        each.key: [(mark.start, mark.end, mark.text) for mark in each.marks]
        for each in spans.outputs
    }


def test_marks_reach_the_table_the_files_and_the_report(client, tmp_path):
    campaign = marked_campaign("esa")
    expected = stored_marks(campaign)
    assert sum(map(len, expected.values())) > 20

    table = judgement_table(campaign)
    assert read_marks(marked_outputs(table)) == expected
    path = tmp_path / "judgements.csv"
    path.write_bytes(b"".join(judgements_csv(campaign)))
    assert read_table(path).sha256 == table.sha256
    lines = [json.loads(line) for line in judgements_jsonl(campaign)]
    assert json.loads(lines[0]["judgements"][0]["text"])["sha256"]

    run = executed(asked(campaign))
    section = read_report(run.finished_result["report"]).criterion("errors").spans
    assert {each.system for each in section.systems} == {"Linden", "Maple", "Oak", "Poplar"}
    assert section.systems[0].system == "Linden"
    assert section.systems[0].low < section.systems[0].score < section.systems[0].high
    assert section.systems[0].per_100_words > 0
    assert section.ranking.systems[0].system == "Linden"
    assert section.agreement.pairs == 48
    assert {each.severity for each in section.kinds} == {"minor", "major"}

    client.force_login(campaign.owner)
    page = client.get(reverse("rankme:analysis-run", args=[campaign.code, run.pk]))
    for words in (
        "Error spans: penalties",
        "Marks by category and severity",
        "Clusters by penalty",
    ):
        assert words in page.content.decode()
