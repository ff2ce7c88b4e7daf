"""A bundle with its material is repeated by new raters, and a report shows both studies."""

import io

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from analysis.report.answer import answers_of
from analysis.report.bundle import Bundle
from analysis.scales.reproduction import small_sample_cv
from rankme.actions.campaign import campaigns, replicas
from rankme.actions.campaign.paper import confirm_answers
from rankme.exporting import bundle
from rankme.exporting.paper import data_set, earlier
from rankme.exporting.paper.study import study_of
from rankme.management.commands.campaign import as_upload
from rankme.management.loading import take_material
from rankme.models import Campaign, Output
from rankme.protocols.files import definition_to_yaml, preset
from tests.campaigns import make_owner
from tests.exporting_data import DECIDED
from tests.runs import asked, executed, rate, rated_campaign
from tests.sources import PROJECT


@pytest.mark.django_db
def test_a_study_is_repeated_and_compared(client, tmp_path):
    first = rated_campaign(items=6)
    first = campaigns.close_campaign(first, by=first.owner)
    run = executed(asked(first), pictures=())
    confirm_answers(first, DECIDED, by=first.owner)
    file = tmp_path / "data.zip"
    file.write_bytes(data_set.data_set(study_of(first)))
    out = io.StringIO()
    call_command("campaign", "replicate", str(file), stdout=out)
    again = Campaign.objects.exclude(pk=first.pk).get()
    assert again.is_draft
    assert again.title == "Replication of Quality"
    assert f"Code:     {again.code}" in out.getvalue()
    assert "GBP" in out.getvalue()
    for texts in ("item__key", "item__input", "item__reference", "item__context", "item__factors"):
        stored = [
            list(
                Output.objects.filter(system__campaign=each)
                .order_by("item__position", "system__position")
                .values_list("system__name", "text", texts)
            )
            for each in (first, again)
        ]
        assert stored[0] == stored[1]
    mine, theirs = (campaigns.definition_of(each).model_dump() for each in (first, again))
    changed = {name for name in mine if mine[name] != theirs[name]}
    assert changed <= {"title", "seed", "material"}
    assert mine["seed"] != theirs["seed"]
    again = campaigns.launch_campaign(again, by=again.owner)
    rate(again, raters=4)
    repeated = executed(asked(again), pictures=())
    (table,) = earlier.tables(study_of(again))
    reports = [study_of(each).report for each in (first, again)]
    told = [
        {(pair.a, pair.b) for answer in answers_of(report) for pair in answer.pairs
         if pair.p < answer.alpha}
        for report in reports
    ]  # fmt: skip
    same = 10 - len(told[0] ^ told[1]) + len(told[0] & {(b, a) for a, b in told[1]})
    assert f"Same conclusion about {same} of 10 pairs of systems" in " ".join(table.notes)
    before, after = (
        {row.system: row.mean for row in study_of(each).report.criteria[0].systems}
        for each in (first, again)
    )
    for system, was, now, cv in (row.cells for row in table.rows):
        assert (was, now) == (before[system], after[system])
        assert cv == small_sample_cv([was, now])
    client.force_login(again.owner)
    page = client.get(f"/campaigns/{again.code}/analysis/{repeated.pk}/").content.decode()
    assert "both studies" in page
    assert "CV*" in page
    own = client.get(f"/campaigns/{first.code}/analysis/{run.pk}/").content.decode()
    assert "both studies" not in own


def test_a_bundle_without_material_gives_a_draft_that_waits_for_it(db, tmp_path):
    first = rated_campaign(items=6)
    run = executed(asked(first), pictures=())
    file = tmp_path / "report.zip"
    with bundle.report_file(run, "bundle.zip").content as stored:
        file.write_bytes(stored.read())
    out = io.StringIO()
    call_command("campaign", "replicate", str(file), title="Again", stdout=out)
    assert "no inputs and outputs" in out.getvalue()
    assert Campaign.objects.get(title="Again").items.count() == 0
    (tmp_path / "other.zip").write_bytes(b"no zip")
    with pytest.raises(CommandError, match="not a bundle"):
        call_command("campaign", "replicate", str(tmp_path / "other.zip"))


def test_scores_of_an_earlier_study_are_uploaded_and_compared(db, client):
    campaign = rated_campaign(items=6)
    executed(asked(campaign), pictures=())
    client.force_login(campaign.owner)
    address = f"/campaigns/{campaign.code}/paper/"
    table = "criterion,system,score\nquality,Sys0,50\nquality,Sys1,x\nquality,Sys0,1\n"
    file = io.BytesIO(table.encode())
    refused = client.post(f"{address}earlier/", {"file": file})
    assert refused.status_code == 422
    assert b"Line 3, score: write a number." in refused.content
    assert b"Line 4, system" in refused.content
    file = io.BytesIO(b"criterion,system,score\nquality,Sys0,50\nquality,Sys1,30\nother,A,1\n")
    assert client.post(f"{address}earlier/", {"file": file}).status_code == 302
    assert b"1 pairs of systems" in client.get(address).content
    latex = client.get(f"{address}files/earlier.tex").content.decode()
    assert "CV* &" in latex or "& CV*" in latex
    assert "Sys1,30" in client.get(f"{address}files/earlier.csv").content.decode()
    assert b"not the same conclusion" in client.get(address).content
    letters = b"criterion,system,score,letters\nquality,Sys0,50,A\nquality,Sys1,30,B\n"
    assert client.post(f"{address}earlier/", {"file": io.BytesIO(letters)}).status_code == 302
    page = client.get(address).content.decode()
    assert "Same conclusion about 0 of 1 pairs of systems; told apart only earlier: 1;" in page
    assert "not the same conclusion" not in page


MADE = {
    "image-captions": ["captions/captions.zip"],
    "audio-quality": ["tunes/tunes.zip"],
    "rotowire-facts": ["games_by_sentence/games.json", "games_by_sentence/outputs.csv"],
    "document-esa": ["translated_documents/outputs.csv"],
    "chat-likert": ["chat/outputs.csv", "chat/items.csv"],
    "tuna08-identification": ["domains/tuna.zip"],
    "sr11-deep": ["sentences/outputs.csv", "sentences/items.csv"],
}
KEPT = (
    "system__name", "text", "alt", "media__path", "media__sha256", "item__key", "item__input",
    "item__reference", "item__context", "item__factors", "item__alt", "item__media__path",
    "item__media__sha256",
)  # fmt: skip


@pytest.mark.django_db
@pytest.mark.parametrize("name", MADE)
def test_material_of_every_kind_comes_through(name, tmp_path):
    paths = [PROJECT / "rankme/demonstration" / path for path in MADE[name]]
    first = campaigns.create_campaign(make_owner(), preset(name))
    take_material(first, paths, by=first.owner)
    files = data_set.material(study_of(first))
    files["campaign.yaml"] = definition_to_yaml(campaigns.definition_of(first)).encode()
    report = {"criteria": [], "signature": "s", "options": {}}
    found = Bundle(None, None, report, files)
    again = replicas.replicate(found, by=first.owner)
    written = replicas.write_material(found, tmp_path)
    take_material(again, as_upload(tmp_path, written), by=again.owner)
    before, after = (
        list(
            Output.objects.filter(system__campaign=each)
            .order_by("item__position", "system__position")
            .values(*KEPT)
        )
        for each in (first, again)
    )
    assert before == after
    assert before
