"""Sounds and pictures in a real browser: what must be played, what fails, and what may not run."""

import base64
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from playwright.sync_api import Page, expect

from rankme.importing.limits import LIMITS
from rankme.importing.media.media_types import checked_media
from rankme.models import Submission
from tests.browser.rating import (
    answer_with_mouse,
    await_screen,
    campaign_of,
    next_screen,
    open_work,
    play_with_mouse,
)

HOSTILE = """<svg xmlns="http://www.w3.org/2000/svg" onload="top.stolen=1"
 width="9" height="9"><script>top.stolen=1;fetch("ELSEWHERE/a")</script>
<style>@import "ELSEWHERE/b";</style><image href="ELSEWHERE/c" width="9" height="9"/>
<foreignObject width="9" height="9"><img xmlns="http://www.w3.org/1999/xhtml"
 src="ELSEWHERE/d" onerror="top.stolen=1"/></foreignObject><rect width="9" height="9"/></svg>"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """Another site, which nobody may visit."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        listener.settimeout(0.5)
        with pytest.raises(TimeoutError):
            listener.accept()


def test_a_hostile_picture_runs_nothing_and_loads_nothing_from_elsewhere(
    page: Page, elsewhere: str
):
    """Even one that got into the storage as it was: neither in its place nor opened on its own."""
    campaign = campaign_of("image-captions", items=1)
    media = campaign.items.get().media
    hostile = HOSTILE.replace("ELSEWHERE", elsewhere).encode().ljust(media.size)
    assert len(hostile) == media.size
    default_storage.delete(media.stored)
    default_storage.save(media.stored, ContentFile(hostile))
    open_work(page, campaign)
    picture = page.locator("img.file")
    assert picture.evaluate("picture => picture.naturalWidth") > 0
    assert page.evaluate("window.stolen") is None
    address = picture.get_attribute("src")
    # A window of its own: here the policy has something to complain about.
    alone = page.context.new_page()
    alone.goto(urljoin(page.url, address))
    alone.wait_for_timeout(300)
    assert alone.evaluate("window.stolen") is None
    assert alone.evaluate("document.documentElement.localName") == "svg"
    alone.close()


def test_a_sound_is_played_to_the_end_and_its_log_outlives_a_reload(page: Page):
    open_work(page, campaign_of("audio-quality", items=1))
    page.get_by_role("radio").first.check()
    page.locator("[data-next]").click()
    expect(page.locator("[data-problem]")).to_have_text(
        "Please play it to the end before you go on."
    )
    expect(page.locator("audio")).to_be_focused()
    play_with_mouse(page)
    page.wait_for_timeout(1_200)  # a draft is kept a second after a change
    page.reload()
    await_screen(page)
    next_screen(page)
    page.wait_for_selector("#completion-code")
    (log,) = Submission.objects.get().payload["times"]["files"]
    assert log["events"][0][0] == "play" and log["ended"] is True
    assert log["played"][0][0] == 0 and log["played"][-1][1] > 1


def test_a_file_that_does_not_load_can_be_tried_again_and_keeps_nobody(page: Page):
    campaign = campaign_of("audio-quality", items=2)
    page.route("**/media/**", lambda route: route.abort())
    open_work(page, campaign)
    expect(page.get_by_text("This file could not be loaded.")).to_be_visible()
    page.unroute("**/media/**")
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_text("This file could not be loaded.")).to_be_hidden()
    answer_with_mouse(page)
    page.route("**/media/**", lambda route: route.abort())
    next_screen(page)
    await_screen(page)
    expect(page.get_by_text("This file could not be loaded.")).to_be_visible()
    page.get_by_role("radio").first.check()
    next_screen(page)
    page.wait_for_selector("#completion-code")
    flagged = [row.flags for row in Submission.objects.order_by("pk")]
    assert all("a file did not load" in flags for flags in flagged)


REAL_FILES = Path(__file__).parents[2] / "data" / "media"
PLAYS_AAC = "document.createElement('audio').canPlayType('audio/mp4; codecs=mp4a.40.2')"
PLAYED = """
async ([kind, content]) => {
  const bytes = Uint8Array.from(atob(content), (character) => character.charCodeAt(0));
  const player = document.body.appendChild(document.createElement(kind));
  const ended = new Promise((resolve) => {
    player.addEventListener("ended", () => resolve(player.duration));
    player.addEventListener("error", () => resolve(player.error.message));
  });
  player.muted = true;
  player.src = URL.createObjectURL(new Blob([bytes]));
  await player.play().catch(() => undefined);
  return ended;
}
"""


@pytest.mark.parametrize(
    "names",
    [
        ["film.webm", "sound.flac", "sound.mp3", "sound.ogg", "sound.opus"],
        ["film.mp4", "sound.m4a"],
    ],
    ids=["open", "H.264 and AAC"],
)
def test_real_files_without_their_notes_play_to_their_ends(page: Page, names: list[str]):
    for name in names:
        media = checked_media((REAL_FILES / name).read_bytes(), name.rpartition(".")[2], LIMITS)
        kind = "video" if media.kind == "film" else "audio"
        if "mp4" in media.media_type and not page.evaluate(PLAYS_AAC):
            pytest.skip("this Chromium was built without H.264 and AAC")
        content = base64.b64encode(media.content).decode()
        played = page.evaluate(PLAYED, [kind, content])
        assert played == pytest.approx(0.6, abs=0.15), name
