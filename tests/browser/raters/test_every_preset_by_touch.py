"""Every preset by finger, with the texts of its demonstration."""

import pytest
from playwright.sync_api import Page

from rankme.demonstration.material import MATERIAL
from rankme.management.commands.demo import launched
from rankme.models import Submission
from rankme.protocols.files import preset_names
from tests.browser.rating import begin, come_in, rate_to_the_end, small
from tests.browser.widths import assert_fits
from tests.campaigns import make_owner
from tests.chromium import TOUCH_PHONE
from tests.live import wait_for

# A phone's Safari enlarges the page when one of them gets the focus, and leaves it like that.
FIELDS_WITH_SMALL_LETTERS = """() => {
  const fields = "select, textarea, input:not([type=radio], [type=checkbox], [type=range])";
  return [...document.querySelectorAll(fields)]
    .filter((field) => parseFloat(getComputedStyle(field).fontSize) < 16)
    .map((field) => field.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize("page", [pytest.param(TOUCH_PHONE, id="phone")], indirect=True)
@pytest.mark.parametrize("name", preset_names())
def test_every_preset_by_touch_with_texts_of_real_size(page: Page, name):
    """A phone with a touch screen, from the consent to the first answers that are stored.

    TUNA turns phones away as it is shipped; its organiser may let them in.
    """
    crowd = small(name).crowd.model_copy(update={"devices": "any"})
    definition = small(name, practice=[], crowd=crowd)
    campaign = launched(definition, list(MATERIAL[name].paths), make_owner())
    come_in(page, campaign, id="w1")
    assert_fits(page)
    begin(page)
    assert page.evaluate(FIELDS_WITH_SMALL_LETTERS) == []
    screens = len(definition.screens)
    assert rate_to_the_end(page, f"touch-{name}", end=screens) == screens
    wait_for(lambda: Submission.objects.count() == screens, "the answers")
    assert_fits(page)
