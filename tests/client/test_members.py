"""Members of a campaign and its end, from a script."""

import pytest
from rankme_client import ApiError

from rankme.actions.campaign.campaigns import close_campaign
from rankme.actions.campaign.members import accept_invitation
from rankme.models import CampaignDeletion
from tests.accounts import make_account
from tests.campaigns import make_campaign
from tests.client.in_process import site_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def theirs():
    """The campaign on the site, and as a script sees it."""
    site = site_of("olga")
    made = make_campaign()
    return made, site.campaign(made.code)


def test_members_come_by_a_link_change_their_role_and_go(theirs):
    _made, campaign = theirs
    unused = campaign.invite_member("viewer", days=3)
    link = campaign.invite_member("editor")
    assert unused != link and list(campaign.member_invitations()["role"]) == ["editor", "viewer"]
    accept_invitation(link.split("/")[-2], by=make_account("mia"))
    campaign.revoke_invitation(campaign.member_invitations()["id"][0])
    assert campaign.member_invitations().empty
    (member,) = campaign.members()["id"]
    campaign.change_role(member, "analyst")
    assert list(campaign.members()["role"]) == ["analyst"]
    campaign.remove_member(member)
    assert campaign.members().empty


def test_a_campaign_is_handed_over(theirs):
    made, campaign = theirs
    accept_invitation(campaign.invite_member("editor").split("/")[-2], by=make_account("mia"))
    campaign.hand_over(campaign.members()["id"][0])
    made.refresh_from_db()
    assert made.owner.username == "mia"
    with pytest.raises(ApiError):
        campaign.invite_member("viewer")


def test_a_closed_campaign_is_deleted_with_its_title_after_a_wait_and_can_be_kept(theirs):
    made, campaign = theirs
    assert campaign.deletion()["reason"] == "Close the campaign first."
    with pytest.raises(ApiError, match="Close the campaign"):
        campaign.ask_to_delete(made.title)
    close_campaign(made, by=made.owner)
    with pytest.raises(ApiError, match="not the title"):
        campaign.ask_to_delete("Another")
    asked = campaign.ask_to_delete(made.title)
    waiting = CampaignDeletion.objects.get()
    assert (waiting.due_at - waiting.asked_at).days == 14
    assert campaign.deletion()["due_at"] == asked["due_at"] is not None
    campaign.keep()
    assert campaign.deletion()["due_at"] is None
    with pytest.raises(ApiError, match="not to be deleted"):
        campaign.keep()
