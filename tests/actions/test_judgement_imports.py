"""Judgements collected elsewhere: an archive that is analysed like any other campaign."""

import io
import re
from pathlib import Path

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from analysis.table import JudgementTable
from analysis.table_files import write_table
from rankme.actions.imports.archive_definitions import criterion_name, guessed_definition
from rankme.actions.imports.judgement_imports import import_judgements, start_archive
from rankme.actions.material import materials
from rankme.errors import RefusedAction
from rankme.importing import ImportRefused, read_judgement_material
from rankme.models import AuditEvent, Campaign, Judgement, Participant, Submission
from rankme.queries.judgement_table import judgement_table
from tests.campaigns import (
    make_campaign,
    make_owner,
    make_rater,
    rankme_definition,
    slider_definition,
)
from tests.imports import work_on
from tests.sittings import sit

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("the_record_holds")]

LONG = """rater,item,system,criterion,value,screen,time_ms,late,excluded,domain,mood
ann,1,alpha,fluency,70,s1,1500,0,0,food,good
ann,1,beta,fluency,30,s1,1200,0,0,food,good
ann,2,alpha,fluency,55.5,s2,,0,0,drink,bad
bob,1,beta,fluency,10,s9,900,1,1,food,bad
bob,1,beta,clarity,20,s9,,1,1,food,bad
somebody-with-a-very-long-name,2,beta,fluency,0,s1,,0,0,drink,good
"""


@pytest.fixture
def owner():
    return make_owner()


@pytest.fixture
def long_file(tmp_path) -> Path:
    path = tmp_path / "ratings.csv"
    path.write_text(LONG)
    return path


def test_an_archive_is_a_closed_campaign_with_all_of_the_record(owner, long_file):
    campaign = import_judgements(owner, long_file, title="Old")
    assert (campaign.state, campaign.is_archive, campaign.title) == ("closed", True, "Old")
    assert campaign.items.count() == campaign.systems.count() == 2
    assert Submission.objects.count() == 4
    assert Judgement.objects.count() == 6
    assert campaign.items.get(key="1").factors == {"domain": "food"}


def test_the_archives_table_says_what_the_file_said(owner, long_file):
    table = judgement_table(import_judgements(owner, long_file, title="Old"))
    rows = sorted(
        zip(
            np.array(table.item.labels)[table.item.codes].tolist(),
            np.array(table.system.labels)[table.system.codes].tolist(),
            np.array(table.criterion.labels)[table.criterion.codes].tolist(),
            table.value.tolist(),
            strict=True,
        )
    )
    assert rows == [
        ("1", "alpha", "fluency", 70),
        ("1", "beta", "clarity", 20),
        ("1", "beta", "fluency", 10),
        ("1", "beta", "fluency", 30),
        ("2", "alpha", "fluency", 55.5),
        ("2", "beta", "fluency", 0),
    ]
    assert table.late.sum() == table.excluded.sum() == 2
    assert np.nansum(table.time_ms) == 3600


def test_values_of_one_screen_stay_on_one_screen(owner, long_file):
    campaign = import_judgements(owner, long_file, title="Old", keep_rater_names=True)
    ann = campaign.participants.get(label="ann")
    sizes = [
        submission.judgements.count()
        for submission in Submission.objects.filter(assignment__participant=ann)
    ]
    assert sizes == [2, 1]


KEYED = re.compile(r"r[0-9a-f]{16}")
PRIVATE_NAMES = ["jane.doe@uni.example", "A3FJKX9Q2LMNO1", "5f00aabbccddeeff00112233", "Ada"]


def ratings_by(names: list[str]) -> str:
    rows = "".join(f"{name},1,alpha,fluency,70,s1,1500,0,0,food,good\n" for name in names)
    return LONG.splitlines()[0] + "\n" + rows


def test_names_of_raters_are_kept_only_on_request(owner, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(ratings_by(PRIVATE_NAMES))
    campaigns = [import_judgements(owner, path, title=title) for title in ("One", "Two")]
    labels = [set(campaign.participants.values_list("label", flat=True)) for campaign in campaigns]
    assert all(KEYED.fullmatch(label) for label in labels[0] | labels[1])
    assert len(labels[0]) == 4
    assert not labels[0] & labels[1], "labels would tell that two archives share a rater"
    for campaign in campaigns:
        exported = io.BytesIO()
        write_table(judgement_table(campaign), exported)
        assert not [name for name in PRIVATE_NAMES if name.encode() in exported.getvalue()]
    for rows in (Participant, Submission, AuditEvent):
        stored = str(list(rows.objects.values()))
        assert not [name for name in PRIVATE_NAMES if name in stored]


def test_every_way_in_can_keep_the_names(owner, settings, client, tmp_path, capsys):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    client.force_login(owner)
    path = tmp_path / "ratings.csv"
    path.write_text(ratings_by(["Ada", "Bea"]))
    call_command("import_judgements", str(path), "--owner", "olga", "--keep-rater-names")
    for address, more in (
        ("/campaigns/{}/material/", {}),
        ("/api/v1/campaigns/{}/imports/", {"kind": "judgements"}),
    ):
        archive = start_archive(owner, title="Old")
        with path.open("rb") as file:
            sent = {"outputs": file, "keep_rater_names": "true"} | more
            answer = client.post(address.format(archive.code), sent)
        assert answer.status_code in (202, 302), answer.content
        row = work_on(archive.material_imports.get())
        materials.take_import(row, by=owner)
        work_on(row)
    for campaign in Campaign.objects.all():
        labels = set(campaign.participants.values_list("label", flat=True))
        assert labels == {"Ada", "Bea"}, campaign


def test_long_names_of_raters_give_way_to_keyed_labels(owner, long_file):
    import_judgements(owner, long_file, title="Old", keep_rater_names=True)
    labels = set(Participant.objects.values_list("label", flat=True))
    assert {"ann", "bob"} < labels
    assert [bool(KEYED.fullmatch(label)) for label in labels - {"ann", "bob"}] == [True]


def test_names_of_raters_that_no_address_can_hold_give_way_to_keyed_labels(client, owner, tmp_path):
    """A link to the page of a rater "a/b" cannot be made, and one to ".." leads elsewhere."""
    names = ["a/b", "..", "a b", "a?b#c", "<b>"]
    path = tmp_path / "ratings.csv"
    path.write_text(ratings_by(names))
    campaign = import_judgements(owner, path, title="Old", keep_rater_names=True)
    labels = set(campaign.participants.values_list("label", flat=True))
    assert {"a b", "a?b#c", "<b>"} < labels
    assert sum(bool(KEYED.fullmatch(label)) for label in labels) == 2
    client.force_login(owner)
    page = client.get(f"/campaigns/{campaign.code}/raters/").content.decode()
    links = set(re.findall(rf'href="(/campaigns/{campaign.code}/raters/[^"]+)"', page))
    assert len(links) == 5
    assert all(client.get(link).status_code == 200 for link in links)


def test_excluded_raters_come_in_as_excluded(owner, long_file):
    campaign = import_judgements(owner, long_file, title="Old", keep_rater_names=True)
    assert [str(found.participant) for found in campaign.rater_exclusions.all()] == ["bob"]


def test_values_without_a_column_are_kept_in_the_payload(owner, long_file):
    import_judgements(owner, long_file, title="Old")
    first = Submission.objects.order_by("id").first()
    assert first.payload == {
        "imported": "s1",
        "factors": [{"mood": "good"}, {"mood": "good"}],
        "judgements": [["fluency", 0, 70, "", 1500], ["fluency", 1, 30, "", 1200]],
    }


def test_a_faulty_file_leaves_no_campaign(owner, tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text(LONG + "ann,1,alpha,fluency,much,s1,,0,0,food,good\n")
    with pytest.raises(ImportRefused):
        import_judgements(owner, path, title="Old")
    assert not Campaign.objects.exists()


def test_the_campaign_file_of_the_collection_may_be_given(owner, long_file):
    fitting = slider_definition(
        criteria=[
            {"name": name, "question": "?", "instrument": "slider"}
            for name in ("fluency", "clarity")
        ],
        screens=[{"name": "one", "show": ["outputs"], "ask": ["fluency", "clarity"]}],
    )
    campaign = import_judgements(owner, long_file, title="Old", definition=fitting)
    assert campaign.title == "Fluency"
    with pytest.raises(RefusedAction, match="clarity"):
        import_judgements(owner, long_file, title="Old", definition=slider_definition())


@pytest.mark.parametrize(
    ("given", "name"),
    [("Overall Quality", "overall_quality"), ("3rd", "c_3rd"), ("Größe", "gr_sse"), ("a-b", "a-b")],
)
def test_names_of_criteria_become_names_of_a_campaign_file(given, name):
    assert criterion_name(given) == name


def test_our_own_export_comes_back_as_the_same_judgements(owner, tmp_path):
    campaign = make_campaign(rankme_definition(raters_per_trial=3), owner=owner)
    for number in range(3):
        sit(make_rater(campaign, f"w{number}"))
    exported = judgement_table(campaign)
    path = tmp_path / "export.csv"
    with path.open("wb") as file:
        write_table(exported, file)
    again = judgement_table(import_judgements(owner, path, title="Again", keep_rater_names=True))
    assert content(again) == content(exported)


def content(table: JudgementTable) -> list[tuple]:
    """The rows without the names of screens, which are ours to give."""
    columns = [table.rater, table.item, table.system, table.criterion]
    named = [np.array(column.labels)[column.codes].tolist() for column in columns]
    return sorted(zip(*named, table.value.tolist(), table.time_ms.tolist(), strict=True))


def test_an_archive_is_filled_by_an_upload_too(owner, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "uploads"
    campaign = start_archive(owner, title="Old")
    upload = SimpleUploadedFile("ratings.csv", LONG.encode())
    row = work_on(materials.start_import(campaign, [upload], kind="judgements", by=owner))
    assert (row.state, row.phase, row.preview["n_judgements"]) == ("done", "previewed", 6)
    materials.take_import(row, by=owner)
    work_on(row)
    campaign.refresh_from_db()
    assert (row.phase, campaign.state, Judgement.objects.count()) == ("taken", "closed", 6)
    assert set(campaign.criteria.values_list("name", flat=True)) == {"fluency", "clarity"}


def test_judgements_go_into_archives_alone(owner):
    campaign = make_campaign(owner=owner, launch=False)
    upload = SimpleUploadedFile("ratings.csv", LONG.encode())
    with pytest.raises(RefusedAction, match="archive"):
        materials.start_import(campaign, [upload], kind="judgements", by=owner)
    with pytest.raises(RefusedAction, match="archive"):
        materials.start_import(start_archive(owner, title="Old"), [upload], by=owner)


def test_the_command_makes_an_archive(owner, long_file, capsys):
    call_command("import_judgements", str(long_file), "--owner", "olga")
    code, title = capsys.readouterr().out.split()
    assert (title, Campaign.objects.get().code) == ("ratings", code)


@pytest.mark.parametrize(
    ("text", "instrument"),
    [
        ("_worker_id,inf1,inf2,mr,team1,team2\nw1,100,60,name[A],S,T\n", "rankme"),
        ("_worker_id,inf,mr,team\nw1,6,name[A],S\nw2,2,name[A],S\n", "likert"),
        ("_worker_id,inf,mr,team\nw1,100,name[A],S\nw2,250,name[A],S\n", "slider"),
    ],
    ids=["relative magnitudes", "points", "magnitudes one by one"],
)
def test_published_ratings_get_the_instrument_that_fits(tmp_path, text, instrument):
    path = tmp_path / "ratings.csv"
    path.write_text(text)
    with read_judgement_material(path) as material:
        (criterion,) = guessed_definition("Ratings", material.preview).criteria
    assert (criterion.name, criterion.instrument) == ("informativeness", instrument)
