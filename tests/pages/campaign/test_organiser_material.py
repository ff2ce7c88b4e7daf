"""Material through the pages: upload, check, preview, take or drop."""

import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils.html import escape

from rankme.actions.campaign import campaigns
from rankme.actions.imports.import_jobs import execute_import
from rankme.importing import JUDGEMENT_READERS, READERS
from rankme.models import Campaign, MaterialImport, Output
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.pages.addresses import address

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]

OUTPUTS = (
    "system,item,output\nA,1,The sun shines.\nA,2,\nB,1,The sun shines.\nB,2,It ra\u200bins.\n"
)
ITEMS = "item,input,reference\n1,sun,Sun.\n2,rain,Rain.\n"


@pytest.fixture
def campaign() -> Campaign:
    return campaigns.create_campaign(make_owner(), slider_definition())


def upload(olga, campaign: Campaign, outputs: str = OUTPUTS, items: str = ITEMS, **more):
    files = {"outputs": SimpleUploadedFile("outputs.csv", outputs.encode())}
    if items:
        files["items"] = SimpleUploadedFile("items.csv", items.encode())
    sent = {"format": ""} | files | more
    return olga.post(address("campaign-material", campaign), sent)


def checked(olga, campaign: Campaign, **files) -> MaterialImport:
    """Upload, and do what a worker would."""
    assert upload(olga, campaign, **files).status_code == 302
    found = campaign.material_imports.latest("pk")
    assert execute_import(found.pk, "tester")
    return found


def test_without_material_the_page_says_what_is_read(olga, campaign):
    page = olga.get(address("campaign-material", campaign)).text
    assert "Upload outputs" in page
    for reader in READERS.values():
        assert f"<strong>{reader.title}</strong>" in page and escape(reader.help) in page


def test_an_upload_is_followed_until_it_was_checked(olga, campaign):
    answer = upload(olga, campaign)
    found = campaign.material_imports.get()
    assert answer["Location"] == address("campaign-import", campaign, found.pk)
    page = olga.get(answer["Location"]).text
    assert "data-live" in page and "<progress" in page and "outputs.csv" in page
    assert ">Import<" not in page


def test_the_preview_shows_what_may_surprise(olga, campaign):
    found = checked(olga, campaign)
    page = olga.get(address("campaign-import", campaign, found.pk)).text
    assert "data-over" in page  # the script stops asking
    assert "1 empty" in page
    assert "Identical outputs" in page
    assert "Unusual characters" in page
    assert "The sun shines." in page
    assert page.index("<bdi>A</bdi></dt>") < page.index("<bdi>B</bdi></dt>")
    assert not Output.objects.exists()


def test_what_was_seen_is_taken_in(olga, campaign):
    found = checked(olga, campaign)
    olga.post(address("campaign-import-take", campaign, found.pk))
    assert execute_import(found.pk, "tester")
    assert Output.objects.count() == 4
    page = olga.get(address("campaign-import", campaign, found.pk)).text
    assert "Import complete." in page
    page = olga.get(address("campaign-item", campaign, 2)).text
    assert "It ra\u200bins." in page and "rain" in page


def test_what_was_seen_can_be_dropped(olga, campaign):
    found = checked(olga, campaign)
    olga.post(address("campaign-import-drop", campaign, found.pk))
    assert not Output.objects.exists()
    page = olga.get(address("campaign-import", campaign, found.pk)).text
    assert "This upload was discarded." in page
    refused = olga.post(address("campaign-import-take", campaign, found.pk), follow=True)
    assert "Only an upload that has passed its check" in refused.text


def test_every_problem_is_listed_with_file_line_and_column(olga, campaign):
    found = checked(olga, campaign, outputs="system,item,output\nA,1,x\nA,1,y\nB,9,z\nB,1\n")
    page = olga.get(address("campaign-import", campaign, found.pk)).text
    found.refresh_from_db()
    assert len(found.problems) >= 3
    assert "Nothing was imported." in page
    for problem in found.problems:
        assert re.search(rf'data-label="Line">\s*{problem["line"]}\b', page)
    assert ">Import<" not in page
    assert not Output.objects.exists()


def test_one_upload_at_a_time(olga, campaign):
    upload(olga, campaign)
    answer = upload(olga, campaign)
    assert answer.status_code == 422
    assert "still running" in answer.text
    assert campaign.material_imports.count() == 1


def test_a_missing_file_is_reported_at_the_field(olga, campaign):
    answer = olga.post(address("campaign-material", campaign), {})
    assert answer.status_code == 422
    assert answer.context["form"].errors["outputs"]


def test_after_the_launch_an_upload_only_adds(olga):
    campaign = make_campaign()
    page = olga.get(address("campaign-material", campaign)).text
    assert "can only add new" in page and "Replace the outputs" not in page
    outputs = "system,item,output\nSys0,item-0,Another text.\nSys4,item-0,New.\n"
    refused = checked(olga, campaign, outputs=outputs, items="")
    refused.refresh_from_db()
    assert (refused.state, "Sys0/item-0" in refused.error) == ("failed", True)


def test_names_in_files_stay_text(olga, campaign):
    evil = "system,item,output\n<script>alert(1)</script>,<b>1</b>,<img src=x>\n"
    found = checked(olga, campaign, outputs=evil, items="")
    page = olga.get(address("campaign-import", campaign, found.pk)).text
    assert "<script>alert" not in page and "<img src=x>" not in page
    assert "&lt;img src=x&gt;" in page


def test_judgements_from_elsewhere_become_an_archive(olga):
    answer = olga.post(reverse("rankme:campaign-archive"), {"title": "Ratings of 2017"})
    archive = Campaign.objects.get()
    assert answer["Location"] == address("campaign-material", archive)
    assert archive.is_archive
    page = olga.get(answer["Location"]).text
    assert "Upload judgements" in page
    assert address("campaign-launch", archive) not in page
    assert olga.post(reverse("rankme:campaign-archive"), {"title": ""}).status_code == 422


JUDGEMENTS = (
    "rater,item,system,criterion,value,screen\n"
    "ada,1,A,fluency,50,1\nada,1,B,fluency,70,1\nben,1,A,fluency,40,2\nben,1,B,fluency,60,2\n"
)


def test_an_archive_offers_the_formats_of_judgements_only(olga):
    olga.post(reverse("rankme:campaign-archive"), {"title": "Ratings of 2017"})
    archive = Campaign.objects.get()
    page = olga.get(address("campaign-material", archive))
    offered = [name for name, _ in page.context["form"].fields["format"].choices]
    assert offered == ["", *JUDGEMENT_READERS]
    for reader in JUDGEMENT_READERS.values():
        assert f"<strong>{reader.title}</strong>" in page.text
        assert escape(reader.help) in page.text
    upload(olga, archive, outputs=JUDGEMENTS, items="", format="e2e")
    assert execute_import(archive.material_imports.get().pk, "tester")
    assert archive.material_imports.get().problems


def test_the_preview_warns_of_items_without_their_pictures(olga):
    definition = slider_definition(input_kind="images")
    campaign = campaigns.create_campaign(make_owner(), definition)
    found = checked(olga, campaign, items="item,input\n1,im19.jpg\n2,im20.jpg\n")
    page = olga.get(address("campaign-import", campaign, found.pk)).text
    assert "its input is “im19.jpg”" in page and "1 more item has no pictures" in page


def test_the_pages_of_an_archive_do_not_speak_of_launches(olga):
    olga.post(reverse("rankme:campaign-archive"), {"title": "Ratings of 2017"})
    archive = Campaign.objects.get()
    pages = [olga.get(address("campaign", archive)).text]
    found = checked(olga, archive, outputs=JUDGEMENTS, items="")
    assert "<bdi>fluency</bdi>" in olga.get(address("campaign-import", archive, found.pk)).text
    olga.post(address("campaign-import-take", archive, found.pk))
    assert execute_import(found.pk, "tester")
    archive.refresh_from_db()
    assert archive.state == Campaign.State.CLOSED
    assert archive.participants.count() == 2
    rater = archive.participants.first().label
    for name in ("campaign", "campaign-edit", "campaign-material", "campaign-raters"):
        pages.append(olga.get(address(name, archive)).text)
    pages.append(olga.get(address("campaign-rater", archive, rater)).text)
    for page in pages:
        found = re.search("launch|Upload outputs|Working|Delete draft", page, re.IGNORECASE)
        assert not found, page[found.start() - 300 : found.end() + 100]
    answer = upload(olga, archive, outputs=JUDGEMENTS, items="")
    assert "create a new archive" in answer.text
