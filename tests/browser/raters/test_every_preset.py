"""Every preset with the mouse, from the link to the code, on a laptop and on a phone."""

import pytest
from playwright.sync_api import Page

from rankme.models import Judgement, Participant, Submission
from rankme.protocols.files import preset, preset_names
from tests.browser.access import PHONE
from tests.browser.chat import campaign_with_real_answers
from tests.browser.rating import begin, come_in, rate_to_the_end
from tests.browser.widths import BothWidths


@pytest.mark.parametrize("name", preset_names())
def test_every_preset_from_the_link_to_the_code_for_everybody(page: Page, name):
    """The answers arrive; axe finds nothing on any screen; and a phone never scrolls sideways.

    Every screen is answered on a laptop and on a phone, and checked at both widths. The way in is
    a phone's; by keyboard it is a laptop's.
    """
    page.set_viewport_size(PHONE)
    campaign = campaign_with_real_answers(name)
    come_in(page, campaign, id="w1")
    begin(page)
    widths = BothWidths(len(preset(name).screens))
    rate_to_the_end(page, name, answer=widths.answer)
    assert len(widths.answered) == len(preset(name).screens)
    assert set(map(len, widths.answered.values())) == {2}, widths.answered
    screens = preset(name).screens_in_all(2, documents=1)
    assert Submission.objects.count() == screens
    assert Submission.objects.filter(surplus=False, late=False).count() == screens
    assert Judgement.objects.filter(submission__assignment__campaign=campaign).exists()
    assert Participant.objects.get().state == "completed"
