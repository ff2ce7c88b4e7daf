"""Pictures, sounds and films from the upload to the rater, in a storage without a folder."""

import hashlib
import io
import json
import wave
import zipfile
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import DatabaseError, connection, transaction
from django.urls import reverse
from PIL import Image

from rankme.actions.campaign import campaigns
from rankme.actions.campaign.duplicates import duplicate_campaign
from rankme.actions.material import material_rows, materials
from rankme.errors import RefusedAction
from rankme.exporting.judgements import judgements_jsonl
from rankme.models import Campaign, Item, MediaFile, Output, Submission
from rankme.protocols.files import preset
from rankme.verification import verify_campaign
from tests.campaigns import make_owner
from tests.imports import work_on
from tests.pages.rater.visits import begin, payload_for, send

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def bucket(settings):
    """To ask this storage for a path on a disk is an error."""
    settings.STORAGES = settings.STORAGES | {"default": {"BACKEND": "tests.actions.buckets.Bucket"}}


@pytest.fixture(autouse=True)
def commits(monkeypatch):
    """What waits for the end of the transaction is done at once."""
    monkeypatch.setattr(transaction, "on_commit", lambda work, **_: work())


def picture(colour: str = "red", **options: object) -> bytes:
    content = io.BytesIO()
    Image.new("RGB", (30, 20), colour).save(content, "PNG", **options)
    return content.getvalue()


def sound(level: int = 90, seconds: float = 0.2) -> bytes:
    content = io.BytesIO()
    with wave.open(content, "wb") as written:
        written.setnchannels(1)
        written.setsampwidth(1)
        written.setframerate(8000)
        written.writeframes(bytes([128, level] * int(4000 * seconds)))
    return content.getvalue()


def zipped(path: Path, files: dict[str, bytes | str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path


CAPTIONS = {
    "items.csv": "item,image,alt\na,pictures/a.png,A red field\nb,pictures/b.png,\n",
    "outputs.csv": "system,item,output\nx,a,red\nx,b,blue\ny,a,rot\ny,b,blau\n",
    "pictures/a.png": picture("red"),
    "pictures/b.png": picture("blue"),
}
SOUNDS = {
    "outputs.csv": "system,item,audio\nx,a,x/a.wav\ny,a,y/a.wav\n",
    "x/a.wav": sound(90),
    "y/a.wav": sound(200),
}


def uploaded(campaign: Campaign, path: Path):
    return work_on(materials.start_import(campaign, [path], by=campaign.owner))


def taken(campaign: Campaign, path: Path):
    row = uploaded(campaign, path)
    assert row.phase == "previewed", (row.error, row.problems)
    materials.take_import(row, by=campaign.owner)
    assert work_on(row).state == "done", row.error
    campaign.refresh_from_db()
    return row


def draft_of(name: str) -> Campaign:
    return campaigns.create_campaign(make_owner(), preset(name))


@pytest.fixture
def captions(db, tmp_path: Path) -> Campaign:
    campaign = draft_of("image-captions")
    taken(campaign, zipped(tmp_path / "captions.zip", CAPTIONS))
    return campaign


@pytest.fixture
def sounds(db, tmp_path: Path) -> Campaign:
    campaign = draft_of("audio-quality")
    taken(campaign, zipped(tmp_path / "sounds.zip", SOUNDS))
    return campaign


def stored_names() -> set[str]:
    return set(default_storage.listdir("media")[1])


def test_a_zip_brings_the_files_that_its_rows_name(captions: Campaign):
    first, second = captions.items.order_by("position")
    assert (first.media.path, first.alt) == ("pictures/a.png", "A red field")
    assert second.media.media_type == "image/png"
    with default_storage.open(first.media.stored) as content:
        assert hashlib.sha256(content.read()).hexdigest() == first.media.sha256
    names = captions.media_files.values_list("name", flat=True)
    assert stored_names() == set(names) and all(len(name) == 40 for name in names)
    assert not default_storage.listdir("imports")[1], "the upload itself is of no more use"


def test_a_column_called_input_names_files_where_the_upload_has_them(db, tmp_path: Path):
    files = CAPTIONS | {"items.csv": "item,input\na,pictures/a.png\nb,pictures/b.png\n"}
    campaign = draft_of("image-captions")
    taken(campaign, zipped(tmp_path / "captions.zip", files))
    first, second = campaign.items.order_by("position")
    assert (first.media.path, first.input, second.media.path) == (
        *("pictures/a.png", ""),
        "pictures/b.png",
    )


def test_the_preview_counts_files_and_pictures_without_a_description(db, tmp_path: Path):
    row = uploaded(draft_of("image-captions"), zipped(tmp_path / "captions.zip", CAPTIONS))
    assert "With 2 pictures" in row.preview["notes"][0]
    assert any("1 pictures have no description" in note for note in row.preview["notes"])
    assert not MediaFile.objects.exists() and not stored_names()


def test_another_upload_and_a_deleted_draft_leave_no_file(captions, tmp_path: Path):
    old = stored_names()
    taken(captions, zipped(tmp_path / "again.zip", CAPTIONS))
    assert len(stored_names()) == 2 and not old & stored_names()
    campaigns.delete_draft(captions, by=captions.owner)
    assert not MediaFile.objects.exists() and not stored_names()


def test_a_failed_import_leaves_no_file(db, tmp_path: Path, monkeypatch):
    campaign = draft_of("image-captions")
    row = uploaded(campaign, zipped(tmp_path / "captions.zip", CAPTIONS))
    materials.take_import(row, by=campaign.owner)

    def broken(*_: object) -> None:
        raise RefusedAction("the rows could not be stored")

    monkeypatch.setattr(material_rows, "copy_systems", broken)
    work_on(row)
    assert not MediaFile.objects.exists() and not stored_names()


def test_files_without_a_row_are_swept_and_no_others(captions: Campaign, monkeypatch):
    kept = stored_names()
    monkeypatch.setattr(
        "rankme.actions.rows.stored_files.ORPHANED_AFTER", -materials.KEPT_FOR_CORRECTION
    )
    default_storage.save("media/left-over", ContentFile(b"x"))
    assert materials.sweep_uploads() == 1
    assert stored_names() == kept


def test_a_copy_of_the_campaign_has_separate_files(captions: Campaign):
    copy = duplicate_campaign(captions, by=captions.owner, with_material=True)
    first, again = captions.items.first(), copy.items.first()
    assert (first.media.sha256, first.alt) == (again.media.sha256, again.alt)
    assert first.media.name != again.media.name
    assert len(stored_names()) == 4
    campaigns.delete_draft(copy, by=captions.owner)
    assert default_storage.exists(captions.items.first().media.stored)


def test_a_campaign_that_shows_files_needs_them(db, tmp_path: Path):
    campaign = draft_of("image-captions")
    without = {"items.csv": "item,input\na,A\n", "outputs.csv": "system,item,output\nx,a,1\n"}
    taken(campaign, zipped(tmp_path / "without.zip", without))
    with pytest.raises(RefusedAction, match="“a” has no picture"):
        campaigns.launch_campaign(campaign, by=campaign.owner)
    campaign = draft_of("audio-quality")
    taken(campaign, zipped(tmp_path / "without.zip", without))
    with pytest.raises(RefusedAction, match="output of “x” for item “a” has no"):
        campaigns.launch_campaign(campaign, by=campaign.owner)


FROZEN = [
    "UPDATE rankme_mediafile SET sha256 = 'x'",
    "UPDATE rankme_mediafile SET stored = 'x'",
    "DELETE FROM rankme_mediafile",
    "UPDATE rankme_output SET media_id = NULL",
    "UPDATE rankme_item SET alt = 'x'",
]


def test_files_are_frozen_with_the_launch(sounds: Campaign):
    campaigns.launch_campaign(sounds, by=sounds.owner)
    for statement in FROZEN:
        with (
            pytest.raises(DatabaseError, match=r"refused|violates"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_new_systems_come_with_their_files_and_old_files_stay(sounds: Campaign, tmp_path: Path):
    sounds = campaigns.launch_campaign(sounds, by=sounds.owner)
    before = set(sounds.media_files.values_list("name", flat=True))
    table = SOUNDS["outputs.csv"] + "z,a,z/a.wav\n"
    more = SOUNDS | {"outputs.csv": table, "z/a.wav": sound(60)}
    taken(sounds, zipped(tmp_path / "more.zip", more))
    assert Output.objects.get(system__name="z").media.path == "z/a.wav"
    assert len(set(sounds.media_files.values_list("name", flat=True)) - before) == 1
    changed = uploaded(sounds, zipped(tmp_path / "changed.zip", more | {"x/a.wav": sound(30)}))
    assert "x/a" in changed.error
    assert len(stored_names()) == 3


def test_a_rater_gets_names_that_say_nothing(client, sounds: Campaign):
    campaigns.launch_campaign(sounds, by=sounds.owner)
    document = begin(client, sounds, id="w1")
    texts = json.dumps(document["trials"])
    assert "x/a" not in texts and ".wav" not in texts
    file = document["trials"][0]["output_files"][0]
    assert set(file) == {"address", "kind", "alt", "seconds"}
    answer = client.get(file["address"])
    assert answer.status_code == 200
    told = str(answer.headers).lower()
    assert "last-modified" not in told and "a.wav" not in told
    own = {name.lower() for name in answer.headers}
    assert own <= {
        *("content-type", "content-length", "content-disposition", "content-security-policy"),
        *("accept-ranges", "etag", "cache-control", "x-content-type-options", "referrer-policy"),
        *("cross-origin-opener-policy", "cross-origin-embedder-policy", "x-frame-options"),
        *("cross-origin-resource-policy", "permissions-policy", "vary", "content-language"),
        "x-request-id",
    }


def test_only_raters_and_organisers_of_the_campaign_get_a_file(client, sounds: Campaign):
    campaigns.launch_campaign(sounds, by=sounds.owner)
    file = sounds.media_files.first()
    address = reverse("rankme:media", args=[sounds.code, file.name])
    assert client.get(address).status_code == 404
    other = campaigns.create_campaign(make_owner("stranger"), preset("audio-quality"))
    assert client.get(reverse("rankme:media", args=[other.code, file.name])).status_code == 404
    begin(client, sounds, id="w1")
    assert client.get(address).status_code == 200
    client.cookies.clear()
    client.force_login(sounds.owner)
    assert client.get(address).status_code == 200
    client.force_login(other.owner)
    assert client.get(address).status_code == 404
    assert Item.objects.exists()


def test_a_sound_that_was_not_played_to_the_end_is_asked_for_again(client, sounds: Campaign):
    campaigns.launch_campaign(sounds, by=sounds.owner)
    document = begin(client, sounds, id="w1")
    answers = [{"criterion": "quality", "place": 0, "value": 4, "time_ms": 1}]
    payload = payload_for(sounds, document, 0) | {"answers": answers}
    refused = send(client, sounds, payload)
    assert refused.status_code == 422
    assert "play it to the end" in refused.json()["problems"][0]["message"]
    log = {"place": 0, "kind": "sound", "events": [["play", 10, 0], ["ended", 210, 0.2]]}
    files = [log | {"played": [[0, 0.2]], "ended": True}]
    assert send(client, sounds, payload | {"times": {"files": files}}).status_code == 201
    (submission,) = Submission.objects.all()
    assert submission.payload["times"]["files"] == files
    assert "a file did not load" not in submission.flags
    (line,) = judgements_jsonl(sounds)
    assert json.loads(line)["payload"]["times"]["files"] == files
    failed = [{"place": 0, "events": [["error", 10, 0]], "played": [], "ended": False}]
    second = payload_for(sounds, document, 1) | {"answers": answers, "times": {"files": failed}}
    assert send(client, sounds, second).status_code == 201
    assert "a file did not load" in Submission.objects.latest("pk").flags


def test_verify_finds_files_that_are_missing_or_changed(sounds: Campaign):
    campaigns.launch_campaign(sounds, by=sounds.owner)
    assert verify_campaign(sounds).files == 2
    file = sounds.media_files.first()
    with default_storage.open(file.stored) as content:
        right = content.read()
    default_storage.delete(file.stored)
    assert "x/a.wav: it is missing" in verify_campaign(sounds).fault
    default_storage.save(file.stored, ContentFile(right[:-1] + b"\0"))
    assert "x/a.wav: it does not match its hash" in verify_campaign(sounds).fault
