"""An open data set loads with the tools of the field, and names nobody."""

import io
import json
import zipfile

import mlcroissant
import pyarrow.parquet as parquet
import pytest
import yaml

from analysis.report.bundle import read_bundle
from rankme.actions.campaign import campaigns
from rankme.actions.campaign.paper import confirm_answers
from rankme.errors import RefusedAction
from rankme.exporting.paper import data_set
from rankme.exporting.paper.study import study_of
from rankme.models import Campaign, Invitation, Item, Participant
from tests.campaigns import rankme_definition
from tests.exporting_data import DECIDED
from tests.runs import asked, executed, rated_campaign

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def analysed_once(rows_of_the_module) -> Campaign:
    definition = rankme_definition(raters_per_trial=2, input_language="no")
    campaign = rated_campaign(definition, items=6)
    campaign = campaigns.close_campaign(campaign, by=campaign.owner)
    executed(asked(campaign), pictures=())
    confirm_answers(campaign, DECIDED, by=campaign.owner)
    return campaign


@pytest.fixture
def campaign(analysed_once) -> Campaign:
    return Campaign.objects.get(pk=analysed_once.pk)


def made(campaign) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data_set.data_set(study_of(campaign))))


# The reader's library of RDF warns about its own parts.
@pytest.mark.filterwarnings("ignore::DeprecationWarning:rdflib", "ignore:ConjunctiveGraph")
def test_a_data_set_is_described_in_the_fields_formats(campaign, tmp_path, client):
    """Validated and loaded by `mlcroissant`; it stays a bundle that can be recomputed."""

    archive = made(campaign)
    archive.extractall(tmp_path)
    loaded = mlcroissant.Dataset(jsonld=tmp_path / "croissant.json")
    issues = loaded.metadata.ctx.issues
    assert not issues.errors
    assert not issues.warnings
    records = list(loaded.records("judgements"))
    table = read_bundle(io.BytesIO(data_set.data_set(study_of(campaign)))).table
    assert len(records) == len(table)
    assert sum(each["judgements/value"] for each in records) == pytest.approx(table.value.sum())
    as_parquet = parquet.read_table(tmp_path / "judgements.parquet").to_pydict()
    assert as_parquet["value"] == table.value.tolist()
    assert as_parquet["rater"] == [table.rater.labels[code] for code in table.rater.codes]
    croissant = json.loads(archive.read("croissant.json"))
    assert croissant["license"].endswith("CC-BY-4.0.html")
    assert croissant["rai:annotationsPerItem"] == "2"
    front = archive.read("README.md").decode().split("---")[1]
    described = yaml.safe_load(front)
    assert described["license"] == "cc-by-4.0"
    assert described["language"] == ["en", "no"]
    # What `datasets.load_dataset` offers by name.
    assert {each["config_name"]: each["data_files"] for each in described["configs"]} == {
        "judgements": "judgements.parquet", "outputs": "outputs.parquet",
    }  # fmt: skip
    outputs = parquet.read_table(tmp_path / "outputs.parquet").to_pylist()
    assert outputs == [json.loads(line) for line in archive.read(data_set.MATERIAL).splitlines()]
    assert json.loads(archive.read(".zenodo.json"))["creators"][0] == {"name": "Lovelace, Ada"}
    cited = yaml.safe_load(archive.read("CITATION.cff"))
    assert cited["authors"] == [
        {"family-names": "Lovelace", "given-names": "Ada"}, {"name": "The Lab"},
    ]  # fmt: skip
    assert len(archive.read(data_set.MATERIAL).splitlines()) == 6 * 5
    client.force_login(campaign.owner)
    answer = client.get(f"/campaigns/{campaign.code}/paper/files/data.zip")
    assert answer.content == data_set.data_set(study_of(campaign))
    scripted = client.get(f"/api/v1/campaigns/{campaign.code}/paper/data.zip")
    assert scripted["Content-Type"] == "application/zip"
    assert b"".join(scripted) == answer.content


@pytest.mark.parametrize(
    ("leak", "where"),
    [("mail", "material/outputs.jsonl: the mail address ada@example.org"),
     ("id", "README.md: an id of a panel"),
     ("link", "README.md: a name of a personal link")],
)  # fmt: skip
def test_a_data_set_that_names_somebody_is_refused_and_says_where(campaign, leak, where):
    if leak == "mail":
        # The trigger freezes items once a campaign is launched; inputs came with the address.
        confirm_answers(campaign, {"contents": "1"}, by=campaign.owner)
        files = {"material/outputs.jsonl": b'{"input": "Write to Ada@Example.org."}'}
        found = list(data_set.personal(study_of(campaign), files))
        assert found == [where]
        confirm_answers(campaign, {"public": "ada@example.org"}, by=campaign.owner)
        assert not list(data_set.personal(study_of(campaign), files))
        return
    if leak == "id":
        Participant.objects.filter(campaign=campaign).update(session_id="5f3c0ffee")
        words = "5F3C0FFEE was fluent"
    else:
        Invitation.objects.create(campaign=campaign, token="t", name="Anna Albrecht")
        words = "anna albrecht translated it"
    confirm_answers(campaign, {"proficiency": words}, by=campaign.owner)
    with pytest.raises(RefusedAction, match=where):
        data_set.data_set(study_of(campaign))


def test_nothing_is_published_before_it_is_decided(campaign, client):
    confirm_answers(campaign, {"contents": "2"}, by=campaign.owner)
    assert data_set.MATERIAL not in made(campaign).namelist()
    assert Item.objects.first().input not in made(campaign).read("README.md").decode()
    campaign.closed_at = None
    campaign.state = "running"
    with pytest.raises(RefusedAction, match="the end of the campaign"):
        data_set.data_set(study_of(campaign))
    campaign.refresh_from_db()
    confirm_answers(campaign, {"licence": ""}, by=campaign.owner)
    with pytest.raises(RefusedAction, match="Licence of the data set"):
        data_set.data_set(study_of(campaign))
    client.force_login(campaign.owner)
    answer = client.get(f"/campaigns/{campaign.code}/paper/files/data.zip", follow=True)
    assert b"Not decided yet: Licence" in answer.content
