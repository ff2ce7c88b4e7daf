"""A campaign as the start of the next one: by page, API and command, with and without material."""

import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from rankme.actions.campaign import campaigns, duplicates, launches
from rankme.actions.imports.judgement_imports import start_archive
from rankme.errors import RefusedAction
from rankme.models import Campaign, Output
from tests.api.conftest import client_of
from tests.campaigns import make_campaign, make_owner, slider_definition

pytestmark = pytest.mark.django_db


def texts(campaign: Campaign) -> set[tuple[str, str, str]]:
    outputs = Output.objects.filter(item__campaign=campaign)
    return set(outputs.values_list("item__key", "system__name", "text"))


def test_a_copy_has_the_definition_and_the_texts_but_neither_seed_nor_codes():
    crowd = {"completion_codes": {"completed": "PAID"}, "pay_per_batch": 3}
    first = make_campaign(slider_definition(crowd=crowd))
    mia = make_owner("mia")
    copy = duplicates.duplicate_campaign(first, by=mia, with_material=True)
    assert (copy.owner, copy.title, copy.is_draft) == (mia, "Copy of Fluency", True)
    assert copy.seed != first.seed
    definition = campaigns.definition_of(copy)
    assert definition.crowd.completion_codes.completed == ""
    assert definition.crowd.pay_per_batch == 3
    before = campaigns.definition_of(first)
    same = {"title": before.title, "seed": before.seed, "crowd": before.crowd}
    assert definition.model_copy(update=same) == before
    assert texts(copy) == texts(first) and len(texts(copy)) > 4
    assert [item.key for item in copy.items.all()] == [item.key for item in first.items.all()]
    campaigns.launch_campaign(copy, by=mia)
    assert not copy.participants.exists() and copy.audit_events.filter(verb__contains="dupl").get()


def test_a_copy_without_material_is_empty_and_one_of_very_much_is_refused(monkeypatch):
    first = make_campaign()
    assert not duplicates.duplicate_campaign(first, by=first.owner).items.exists()
    monkeypatch.setattr(launches, "MOST_OUTPUTS_IN_A_REQUEST", 1)
    with pytest.raises(RefusedAction, match="upload the files again"):
        duplicates.duplicate_campaign(first, by=first.owner, with_material=True)
    assert Campaign.objects.count() == 2


def test_an_archive_is_not_duplicated():
    with pytest.raises(RefusedAction, match="archive"):
        duplicates.duplicate_campaign(start_archive(make_owner(), title="Old"), by=make_owner())


def test_an_earlier_campaign_is_on_the_start_page_and_duplicated_from_there(client):
    first = make_campaign(slider_definition(title="Last year"))
    start_archive(first.owner, title="An archive")
    other = make_campaign(slider_definition(title="Not mine"), owner=make_owner("stan"))
    client.force_login(first.owner)
    page = client.get(reverse("rankme:campaign-start")).content.decode()
    address = reverse("rankme:campaign-duplicate", args=[first.code])
    assert address in page and "An archive" not in page and other.code not in page
    assert 'value="Copy of Last year"' in client.get(address).content.decode()
    answer = client.post(address, {"title": "This year", "material": "on"})
    copy = Campaign.objects.get(title="This year")
    assert answer["Location"] == reverse("rankme:campaign", args=[copy.code])
    assert texts(copy) == texts(first)
    assert client.post(address, {"title": ""}).status_code == 422


def test_a_script_duplicates_a_campaign():
    first = make_campaign()
    olga = client_of("olga")
    asked = {"copy_of": first.code, "title": "Again", "material": True}
    answer = olga.post("/api/v1/campaigns/", asked)
    assert answer.status_code == 201, answer.content
    assert texts(Campaign.objects.get(code=answer.json()["code"])) == texts(first)
    assert olga.post("/api/v1/campaigns/", asked | {"preset": "e2e-quality"}).status_code == 400
    lone = {"preset": "e2e-quality", "material": True}
    assert olga.post("/api/v1/campaigns/", lone).status_code == 400
    stranger = client_of("stan")
    assert stranger.post("/api/v1/campaigns/", asked).status_code == 404


def test_a_command_duplicates_a_campaign():
    first = make_campaign()
    said = io.StringIO()
    call_command("campaign", "copy", first.code, "--material", "--title", "Again", stdout=said)
    copy = Campaign.objects.get(title="Again")
    assert copy.code in said.getvalue() and texts(copy) == texts(first)
