"""Every preset by finger, with the texts of its demonstration: all is light and can be reached."""

import pytest
from playwright.sync_api import Page, Request

from rankme.demonstration.material import MATERIAL
from rankme.management.commands.demo import launched
from rankme.models import Submission
from rankme.protocols.definition import Definition
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


class Line:
    """What comes over the line to a page, and from where."""

    def __init__(self, page: Page) -> None:
        self.bytes = 0
        self.hosts: set[str] = set()
        self.scripts: set[str] = set()
        session = page.context.new_cdp_session(page)
        session.send("Network.enable")
        session.on("Network.loadingFinished", self._ended)
        page.on("request", self._asked)

    def _ended(self, event: dict[str, float]) -> None:
        self.bytes += event["encodedDataLength"]

    def _asked(self, request: Request) -> None:
        self.hosts.add(request.url.split("/")[2])
        self.scripts.add(request.url.rpartition("/")[2].partition(".")[0])


def assert_the_way_was_light(page: Page, line: Line, definition: Definition) -> None:
    """On a slow line, too: nothing comes from elsewhere, and no script that no screen needs."""
    page.wait_for_load_state("networkidle")
    marks_texts = any(criterion.tool.marks_outputs for criterion in definition.criteria)
    print(f"{definition.title}: {line.bytes / 1024:.1f} KiB")
    assert line.bytes <= (120 if marks_texts else 80) * 1024
    assert line.hosts == {page.url.split("/")[2]}
    screens = definition.screens
    needed = {"timed", "bell"} if any(screen.timed for screen in screens) else set()
    if any(block.pictorial for screen in screens for block in screen.show):
        needed.add("pictorial")
    assert {"timed", "bell", "pictorial"} & line.scripts == needed


@pytest.mark.parametrize("page", [pytest.param(TOUCH_PHONE, id="phone")], indirect=True)
@pytest.mark.parametrize("name", preset_names())
def test_every_preset_by_touch_with_texts_of_real_size(page: Page, name):
    """A phone with a touch screen, from the consent to the first answers that are stored.

    TUNA turns phones away as it is shipped; its organiser may let them in.
    """
    crowd = small(name).crowd.model_copy(update={"devices": "any"})
    definition = small(name, practice=[], crowd=crowd, seed=1)
    campaign = launched(definition, list(MATERIAL[name].paths), make_owner())
    line = Line(page)
    come_in(page, campaign, id="w1")
    assert_fits(page)
    begin(page)
    assert_the_way_was_light(page, line, definition)
    assert page.evaluate(FIELDS_WITH_SMALL_LETTERS) == []
    screens = len(definition.screens)
    assert rate_to_the_end(page, f"touch-{name}", end=screens) == screens
    wait_for(lambda: Submission.objects.count() == screens, "the answers")
    assert_fits(page)
