"""Text elicitation from the link to the data set: there is nothing to rank, and texts to take."""

import csv
import io

import pytest
from django.urls import reverse

from rankme.actions.runs.analysis_runs import has_judgements
from rankme.actions.sitting import assignments, exclusions
from rankme.actions.sitting.withdrawing import withdraw
from rankme.exporting.texts import texts_csv
from rankme.importing import read_material
from rankme.models import Campaign, Participant
from tests.api.conftest import client_of
from tests.campaigns import make_campaign, make_owner, make_rater
from tests.experiments.cohorts import launched, rate
from tests.sittings import answer

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def written_once(rows_of_the_module) -> Campaign:
    campaign = launched("e2e-elicitation", full=False)
    assert rate(campaign) == 6, "24 representations, at most 20 for each of three workers"
    return campaign


@pytest.fixture
def campaign(written_once: Campaign) -> Campaign:
    return Campaign.objects.get(pk=written_once.pk)


def read(parts) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(b"".join(parts).decode(), newline="")))


def test_every_text_is_in_the_data_set_with_its_item_and_writer(campaign):
    rows = read(texts_csv(campaign, "long"))
    assert len(rows) == 24 * 3
    assert list(rows[0]) == ["item", "mr", "criterion", "text", "rater", "excluded", "shown_as"]
    inputs = dict(campaign.items.values_list("key", "input"))
    assert all(inputs[row["item"]] == row["mr"] for row in rows)
    writers = {item: {row["rater"] for row in rows if row["item"] == item} for item in inputs}
    assert all(len(raters) == 3 for raters in writers.values())
    assert len({row["text"] for row in rows}) == 72


def test_the_e2e_shape_is_read_back_as_references(campaign, tmp_path):
    (tmp_path / "references.csv").write_bytes(b"".join(texts_csv(campaign, "e2e")))
    mr = campaign.items.get(position=0).input
    (tmp_path / "System.tsv").write_text(f"MR\toutput\n{mr}\tA text.\n")
    with read_material([tmp_path / "references.csv", tmp_path / "System.tsv"]) as material:
        items = list(material.items())
    assert len(items) == 24
    assert all(len(item.reference.split("\n")) == 3 for item in items)


def test_what_an_excluded_worker_wrote_is_marked_or_left_out(campaign):
    rater = Participant.objects.first()
    exclusions.exclude_rater(rater, reason="Copied.", by=campaign.owner)
    rows = read(texts_csv(campaign, "long"))
    marked = {row["rater"] for row in rows if row["excluded"] == "1"}
    assert marked == {rater.label} and len(rows) == 72
    kept = read(texts_csv(campaign, "e2e"))
    assert len(kept) == sum(row["excluded"] == "0" for row in rows)


def test_withdrawn_texts_are_in_no_data_set(campaign):
    rater = Participant.objects.first()
    withdraw(rater, with_answers=True)
    for shape in ("long", "e2e"):
        assert 0 < len(read(texts_csv(campaign, shape))) < 72
    assert rater.label not in {row["rater"] for row in read(texts_csv(campaign, "long"))}


def test_a_changed_text_appears_once():
    campaign = launched("e2e-elicitation", full=False)
    rater = make_rater(campaign)
    held = assignments.claim_batch(rater)

    def write(text, **more):
        answers = [{"criterion": "text", "place": None, "value": text}]
        return answer(held, answers=answers, **more)

    long_text = "A fine place to eat with your whole family, near the river, and cheap. " * 2
    first = write(long_text + "First")
    write(long_text + "Second", replaces=str(first.key))
    held.refresh_from_db()
    assignments.Assignment.objects.filter(pk=held.pk).update(counts=True)
    assert [row["text"][-6:] for row in read(texts_csv(campaign, "long"))] == ["Second"]


def test_the_page_says_that_there_is_no_ranking_and_offers_the_texts(campaign, client):
    client.force_login(make_owner())
    assert not has_judgements(campaign)
    page = client.get(reverse("rankme:analysis-runs", args=[campaign.code])).content.decode()
    assert "Texts, not a ranking" in page and "New analysis" not in page
    files = reverse("rankme:export-judgements", args=[campaign.code])
    assert "?format=texts" in client.get(files).content.decode()
    got = client.get(files, {"format": "e2e"})
    assert got["Content-Disposition"].endswith('-mr-ref.csv"')
    assert len(read(got.streaming_content)) == 72


def test_a_script_gets_the_same_and_a_stranger_nothing(campaign):
    address = reverse("api-texts-csv", args=[campaign.code])
    rows = read(client_of("olga").get(address).streaming_content)
    assert rows == read(texts_csv(campaign, "long"))
    assert client_of("olga").get(address, {"shape": "verse"}).status_code == 400
    assert client_of("sven").get(address).status_code == 404


def test_campaigns_without_texts_offer_none(client):
    campaign = make_campaign()
    client.force_login(make_owner())
    page = client.get(reverse("rankme:export-judgements", args=[campaign.code]), {"format": "e2e"})
    assert page["Content-Type"].startswith("text/html")
    assert "mr,ref" not in page.content.decode() and "?format=texts" not in page.content.decode()
