"""The gallery shows every preset's screens with our own material, and stores nothing."""

import pytest
from django.templatetags.static import static
from django.urls import reverse

from rankme.demonstration.material import MATERIAL
from rankme.importing import read_material
from rankme.models import Campaign, Participant
from rankme.pages.previews.gallery import pictures_of, sample
from rankme.protocols.files import preset, preset_names
from tests.pages.rater.visits import document_of

pytestmark = pytest.mark.django_db


def test_the_gallery_names_every_preset_and_pictures_each_of_its_screens(client):
    page = client.get(reverse("rankme:gallery")).text
    for name in preset_names():
        assert reverse("rankme:gallery-preset", args=[name]) in page
        pictures = pictures_of(name, preset(name))
        assert len(pictures) == len(preset(name).screens), name
        assert all(static(picture) in page for picture in pictures), name


@pytest.mark.parametrize("name", preset_names())
@pytest.mark.slow
def test_every_station_is_shown_with_trials_of_our_own_and_nothing_stored(client, name):
    address = reverse("rankme:gallery-preset", args=[name])
    for station in ("consent", "questions", "instructions", "done", "work"):
        answer = client.get(address, {"page": station})
        assert answer.status_code == 200, station
    document = document_of(answer)
    assert document["preview"] is True
    assert len(document["trials"]) == len(sample(name)) > 0
    assert len(document["screens"]) == len(preset(name).screens)
    assert not Campaign.objects.exists()
    assert not Participant.objects.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", preset_names())
def test_the_systems_of_our_material_say_different_things(name):
    ours = MATERIAL[name]
    texts: dict[str, list[tuple[str, str]]] = {}
    with read_material(ours.paths, ours.format) as read:
        files = {row.number: row.sha256 for row in read.media()}
        for output in read.outputs():
            shown = (output.text, "" if output.media is None else files[output.media])
            texts.setdefault(output.system, []).append(shown)
    assert len(set(map(tuple, texts.values()))) == len(texts)


def test_an_unknown_preset_is_not_found(client):
    assert client.get(reverse("rankme:gallery-preset", args=["nothing"])).status_code == 404
