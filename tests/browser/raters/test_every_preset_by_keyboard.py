"""Every preset with the keys alone, from the link to the code."""

import pytest
from playwright.sync_api import Page

from rankme.models import Submission
from rankme.protocols.files import preset_names
from tests.browser.access import PHONE
from tests.browser.chat import CHATS, campaign_with_real_answers
from tests.browser.keyboard import rate_by_keyboard


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_by_keyboard_alone(page: Page, name):
    if name in CHATS:  # whose long answers are below each other then
        page.set_viewport_size(PHONE)
    campaign = campaign_with_real_answers(name, items=1)
    page.goto(f"/r/{campaign.code}/?id=w1")
    rate_by_keyboard(page)
    assert Submission.objects.count() == len(campaign.definition["screens"])
