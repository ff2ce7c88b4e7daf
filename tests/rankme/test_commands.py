"""Accounts, campaigns and the demonstration at the command line."""

import io
import re

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.core.management import CommandError, call_command

from rankme.actions.campaign import campaigns
from rankme.management.commands.demo import FOLDER
from rankme.models import AuditEvent, Campaign
from rankme.models.campaigns import new_code
from rankme.protocols.files import preset
from tests.campaigns import make_campaign, make_owner, slider_definition
from tests.live import free_port

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_uploads")]


def said(*arguments: str, **options) -> str:
    printed = io.StringIO()
    call_command(*arguments, stdout=printed, **options)
    return printed.getvalue()


def password_in(printed: str) -> str:
    found = re.search(r"Password: +(\S+)   \(shown only once\)", printed)
    assert found, printed
    return found[1]


# --- Organisers ---------------------------------------------------------------------------------


def test_an_organiser_gets_a_password_that_is_kept_only_as_a_hash():
    password = password_in(said("organiser", "petra"))
    user = authenticate(username="petra", password=password)
    assert user is not None and not user.is_superuser and not user.is_staff
    assert password not in user.password
    assert len(password) == 22, "128 bits in letters that carry six each"
    assert not any(password in str(event.detail) for event in AuditEvent.objects.all())


def test_an_account_is_not_made_twice_and_can_get_a_new_password():
    first = password_in(said("organiser", "petra"))
    with pytest.raises(CommandError, match="already"):
        said("organiser", "petra")
    second = password_in(said("organiser", "petra", "--reset-password"))
    assert first != second
    assert authenticate(username="petra", password=second)
    assert not authenticate(username="petra", password=first)
    with pytest.raises(CommandError, match="no account"):
        said("organiser", "paula", "--reset-password")


# --- Campaigns ----------------------------------------------------------------------------------


def test_a_file_is_loaded_with_its_material_and_launched():
    make_owner()
    folder = FOLDER / "sentences"
    files = [str(folder / "outputs.csv"), str(folder / "items.csv")]
    printed = said("campaign", "load", "sr11-deep", "--material", *files, "--launch")
    campaign = Campaign.objects.get()
    assert campaign.is_running and campaign.systems.count() == 5 and campaign.items.count() == 20
    assert f"/r/{campaign.code}/" in printed


def test_what_is_exported_makes_the_same_campaign_again(tmp_path):
    owner = make_owner()
    campaign = campaigns.create_campaign(owner, preset("tuna08-identification"))
    file = tmp_path / "campaign.yaml"
    file.write_text(said("campaign", "export", campaign.code), encoding="utf-8")
    said("campaign", "load", str(file))
    copy = Campaign.objects.exclude(pk=campaign.pk).get()
    assert (copy.definition, copy.seed) == (campaign.definition, campaign.seed)


def test_material_that_is_wrong_leaves_no_campaign_behind(tmp_path):
    make_owner()
    bad = tmp_path / "bad.csv"
    bad.write_text("system,item,output\nA,1,x\nA,1,y\n", encoding="utf-8")
    with pytest.raises(CommandError, match=r"bad\.csv, line 3"):
        said("campaign", "load", "e2e-quality", "--material", str(bad))
    assert not Campaign.objects.exists()


def test_an_operator_deletes_a_campaign_and_changes_their_mind():
    campaign = make_campaign()
    with pytest.raises(CommandError, match="Close the campaign first"):
        said("campaign", "delete", campaign.code, "--title", campaign.title)
    campaigns.close_campaign(campaign, by=campaign.owner)
    printed = said("campaign", "delete", campaign.code, "--title", campaign.title)
    assert f"{campaign.code} will be deleted on" in printed
    assert "is kept" in said("campaign", "keep", campaign.code)
    with pytest.raises(CommandError, match="not to be deleted"):
        said("campaign", "keep", campaign.code)


def test_whose_campaign_it_is_must_be_clear():
    with pytest.raises(CommandError, match="no accounts yet"):
        said("campaign", "load", "e2e-quality")
    make_owner("olga")
    make_owner("mia")
    with pytest.raises(CommandError, match="--owner NAME"):
        said("campaign", "load", "e2e-quality")
    said("campaign", "load", "e2e-quality", "--owner", "mia")
    assert Campaign.objects.get().owner.username == "mia"


def test_a_file_with_problems_is_refused_with_their_places(tmp_path):
    make_owner()
    file = tmp_path / "campaign.yaml"
    file.write_text("title: Nothing else\n", encoding="utf-8")
    with pytest.raises(CommandError, match="criteria"):
        said("campaign", "load", str(file))
    with pytest.raises(CommandError, match="cannot be read"):
        said("campaign", "load", str(tmp_path / "not-there.yaml"))
    with pytest.raises(CommandError, match="no campaign"):
        said("campaign", "export", "nothing")


# --- The demonstration --------------------------------------------------------------------------


def test_the_demonstration_is_there_once_however_often_it_is_asked_for(client):
    first = said("demo")
    password = password_in(first)
    assert authenticate(username="organiser", password=password)
    second = said("demo")
    assert "shown only once" not in second
    links = re.findall(r"Raters: +http://[^/]+(/r/\S+)", second)
    assert links == re.findall(r"Raters: +http://[^/]+(/r/\S+)", first)
    assert Campaign.objects.count() == len(links) == 2
    for link in links:
        assert client.get(link).status_code == 200
    renewed = password_in(said("demo", "--reset-password"))
    assert authenticate(username="organiser", password=renewed)
    assert not authenticate(username="organiser", password=password)
    assert get_user_model().objects.count() == 1
    for campaign in Campaign.objects.all():
        definition = campaigns.definition_of(campaign)
        assert definition.crowd.open_link and not definition.entry_questions
        spread = campaign.plan.balance["per_system"]
        assert spread["min"] == spread["max"]
        assert campaign.plan.balance["notes"] == []


def test_a_half_made_demonstration_is_completed():
    said("demo")
    kept = Campaign.objects.get(title__contains="restaurant")
    title, owner = kept.title, kept.owner
    Campaign.objects.exclude(pk=kept.pk).update(title="Another's")
    definition = slider_definition(title="Demonstration: sentences in context")
    draft = campaigns.create_campaign(owner, definition)
    said("demo")
    draft.refresh_from_db()
    assert draft.is_running and draft.items.count() == 20
    assert Campaign.objects.filter(title=title).count() == 1


def test_no_code_looks_like_an_option_of_a_command():
    assert all(new_code().isalnum() for _ in range(2_000))


def test_raters_are_not_sent_to_an_address_where_nothing_answers():
    port = free_port()
    with pytest.raises(CommandError, match=rf"No site answers at http://127.0.0.1:{port}/"):
        call_command("simulate_raters", f"http://127.0.0.1:{port}/r/abc/")
