"""A worker's VCODE is the one that Microworkers computes."""

import pytest
from django.urls import reverse

from rankme.actions.campaign.campaigns import refuse_without_code
from rankme.errors import RefusedAction
from rankme.panel_links.microworkers import vcode
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater.visits import begin, complete

# printf 'c0ffee1234w-77s3cret' | sha256sum
PUBLISHED = "mw-5ee7dd1dc8d95fe252379019c40487eba6441401f8569fb4ab52d5d0e7f4dbe3"
# printf 'c0ffee1234w-77rk9s3cret' | sha256sum
WITH_RANDOM_KEY = "mw-be4013e89ab1a5316395c991a30efe4a88dc78b72461397a0fd53bd4b1fd3496"
LINK = {"mw_id": "w-77", "campaign_id": "c0ffee1234"}


@pytest.fixture
def secret(settings):
    settings.CODE_SECRETS = {"microworkers": "s3cret"}


def definition(**crowd):
    return slider_definition(crowd={"panel": "microworkers", "open_link": False} | crowd)


def code_shown(client, campaign, **link):
    """What the last page shows, which is what the record has."""
    complete(client, campaign, begin(client, campaign, **link))
    page = client.get(reverse("rankme:work", args=[campaign.code]), follow=True)
    rater = campaign.participants.get()
    assert rater.completion_code in page.content.decode()
    return rater.completion_code


def test_the_hash_is_the_published_one():
    assert vcode("s3cret", worker="w-77", campaign="c0ffee1234") == PUBLISHED


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("crowd", "link", "expected"),
    [
        ({}, LINK | {"slot_id": "5"}, PUBLISHED),
        ({"session_parameter": "rand_key"}, LINK | {"rand_key": "rk9"}, WITH_RANDOM_KEY),
        ({"completion_codes": {"completed": "OWN"}}, LINK, "OWN"),
    ],
)
def test_a_worker_who_has_finished_gets_it(client, secret, crowd, link, expected):
    campaign = make_campaign(definition(**crowd))
    assert code_shown(client, campaign, **link) == expected


@pytest.mark.django_db
@pytest.mark.parametrize("missing", ["campaign_id", "rand_key"])
def test_a_link_without_all_parts_gives_no_vcode(client, secret, missing):
    link = LINK | {"rand_key": "rk9"}
    del link[missing]
    campaign = make_campaign(definition(session_parameter="rand_key"))
    assert not code_shown(client, campaign, **link).startswith("mw-")


@pytest.mark.django_db
def test_whom_microworkers_did_not_send_gets_no_vcode(client, secret):
    campaign = make_campaign(definition(open_link=True))
    assert not code_shown(client, campaign).startswith("mw-")


def test_without_a_secret_the_campaign_needs_a_code_of_its_own(settings, secret):
    refuse_without_code(definition())
    settings.CODE_SECRETS = {"microworkers": ""}
    refuse_without_code(definition(completion_codes={"completed": "OWN"}))
    with pytest.raises(RefusedAction, match="completion code"):
        refuse_without_code(definition())
