"""A script waits for a look at a campaign while it runs."""

import pytest
from rankme_client.errors import ApiError

from tests.client.in_process import site_of
from tests.looking import ANYTIME, looked_at

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def test_a_script_waits_for_a_look():
    site = site_of()
    campaign = site.campaign(looked_at(12, **ANYTIME).code)
    look = campaign.look()
    assert (look["number"], look["raters"], look["proposes_to_stop"]) == (1, 12, True)
    with pytest.raises(ApiError, match="No further rater has ended"):
        campaign.look()
