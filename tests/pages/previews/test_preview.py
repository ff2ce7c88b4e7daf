"""The organiser's preview: the rater's own screens, over a draft, and nothing stored."""

import pytest

from rankme.models import Assignment, Participant, Slot
from rankme.pages.previews.preview import sample_trials
from rankme.protocols.files import preset
from tests.campaigns import make_campaign, rankme_definition, slider_definition
from tests.pages.addresses import address
from tests.pages.rater.visits import document_of

pytestmark = pytest.mark.django_db


def open_preview(client, campaign, page=""):
    client.force_login(campaign.owner)
    return client.get(address("preview", campaign), {"page": page})


def test_a_draft_is_shown_as_a_launch_would_draw_it(client):
    campaign = make_campaign(rankme_definition(), launch=False)
    document = document_of(open_preview(client, campaign, "work"))
    assert document["preview"] is True
    assert len(document["trials"]) == 4
    assert all(len(trial["outputs"]) == 3 for trial in document["trials"])
    assert campaign.is_draft
    assert not (
        Slot.objects.exists() or Participant.objects.exists() or Assignment.objects.exists()
    )


def test_a_running_campaign_shows_its_stored_plan(client):
    campaign = make_campaign(rankme_definition())
    document = document_of(open_preview(client, campaign, "work"))
    stored = {
        frozenset(place.output.text for place in trial.places.all())
        for trial in campaign.batches.first().trials.all()
    }
    assert {frozenset(trial["outputs"]) for trial in document["trials"]} <= stored


def test_the_preview_names_no_system(client):
    campaign = make_campaign(rankme_definition(), launch=False)
    page = open_preview(client, campaign, "work").text
    assert not [system for system in campaign.systems.all() if system.name in page]


@pytest.mark.parametrize("page", ["consent", "instructions", "done", "nonsense"])
def test_every_station_can_be_seen(client, page):
    campaign = make_campaign(launch=False)
    answer = open_preview(client, campaign, page)
    assert answer.status_code == 200
    assert "Preview: nothing is stored" in answer.text


def test_entry_questions_are_a_station_where_there_are_any(client):
    campaign = make_campaign(preset("e2e-quality"), launch=False)
    assert "native speaker" in open_preview(client, campaign, "questions").text
    plain = make_campaign(slider_definition(), launch=False)
    assert "Entry questions" not in open_preview(client, plain).text


def test_without_material_practice_is_shown_and_without_that_a_hint(client):
    empty = make_campaign(launch=False, items=0, systems=0)
    page = open_preview(client, empty, "work").text
    assert "Import material" in page
    practised = make_campaign(preset("e2e-quality"), launch=False, items=0, systems=0)
    document = document_of(open_preview(client, practised, "work"))
    assert document["trials"] == [] and len(document["practice"]) == 1


def test_a_sample_is_the_same_each_time():
    campaign = make_campaign(rankme_definition(), launch=False)
    definition = rankme_definition()
    assert sample_trials(campaign, definition) == sample_trials(campaign, definition)
