"""What the pages of the browser tests share, and what they do not."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.chromium import opened_page
from tests.live import LiveSite

pytestmark = pytest.mark.browser

KEEP = """async () => {
  document.cookie = "kept=1";
  localStorage.setItem("kept", "1");
  sessionStorage.setItem("kept", "1");
  await new Promise((resolve) => (indexedDB.open("kept").onsuccess = resolve));
}"""
KEPT = """async () => [
  document.cookie, localStorage.length, sessionStorage.length,
  (await indexedDB.databases()).length, navigator.onLine,
]"""


def test_the_next_page_finds_nothing_that_the_one_before_has_kept(
    opener: Page, live_site: LiveSite
):
    with opened_page(opener) as first:
        first.goto("/login/")
        first.evaluate(KEEP)
        kept = first.evaluate(KEPT)
        first.context.set_offline(True)
    assert kept[1:] == [1, 1, 1, True] and "kept=1" in kept[0]
    with opened_page(opener) as second:
        second.goto("/login/")
        assert second.evaluate(KEPT) == ["", 0, 0, 0, True]
        assert second.viewport_size == {"width": 1366, "height": 768}
        assert second.evaluate("[innerWidth, innerHeight]") == [1366, 768]


def test_a_page_that_is_just_leaving_for_another_is_closed(opener: Page, live_site: LiveSite):
    """Every second or third of them is still open after it was asked once."""
    for _ in range(8):
        with opened_page(opener) as leaving:
            leaving.goto("/login/")
            leaving.evaluate("void setTimeout(() => location.assign('/login/?again'))")
            opener.wait_for_timeout(8)
        assert leaving.is_closed()
