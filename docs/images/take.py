"""Takes the pictures of the gallery, and the README's, from a running site.

Run: python docs/images/take.py [http://127.0.0.1:8000]

Each screen of each preset is answered with the mouse in the gallery and taken at a laptop's width:
`static/images/gallery/PRESET-SCREEN.webp`. Needs what the tests need (requirements-dev.txt).
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
os.environ |= {"DJANGO_SETTINGS_MODULE": "evalsite.settings", "ENVIRONMENT": "local"}

import django  # noqa: E402

django.setup()

from PIL import Image  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402

from rankme.protocols.files import preset, preset_names  # noqa: E402
from tests.browser.rating import (  # noqa: E402
    answer_with_mouse,
    await_screen,
    go_on,
    next_screen,
)
from tests.chromium import CHROMIUM_FLAGS, installed_chromium  # noqa: E402

GALLERY = ROOT / "static" / "images" / "gallery"
LAPTOP = {"width": 1366, "height": 840}
WIDTH = 1024
SOMETHING = "form.screen[data-onset], [data-go-on]:not([hidden])"
PRACTICE = "#progress:has-text('Practice')"  # material has the sizes of real texts, examples do not
EDGES = """() => [
  document.querySelector(".preview-bar").getBoundingClientRect().bottom,
  Math.max(...["form.screen", "form.screen [data-next]"]
    .map((part) => document.querySelector(part).getBoundingClientRect().bottom)),
]"""


def main() -> None:
    site = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8000"
    GALLERY.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed_chromium(), args=CHROMIUM_FLAGS
        )
        for name in preset_names():
            page = browser.new_page(viewport=LAPTOP)
            page.goto(f"{site}/gallery/{name}/?page=work")
            take_screens(page, name)
            page.close()


def take_screens(page: Page, name: str) -> None:
    """Every screen of one trial, in its order, after the examples."""
    pass_messages(page)
    await_screen(page)
    while page.locator(PRACTICE).count():
        answer_and_go_on(page, name)
    for number, screen in enumerate(preset(name).screens):
        pass_messages(page)
        await_screen(page)
        go_to(page, name, screen.title or screen.name)
        if screen.timed is not None:
            take(page, f"{name}-{screen.name}")
            answer_with_mouse(page)
            continue
        answer_with_mouse(page)
        page.mouse.move(0, 0)
        take(page, f"{name}-{screen.name}")
        if number + 1 < len(preset(name).screens):
            go_to_next(page, name)


def go_to_next(page: Page, name: str) -> None:
    """Not before the time that the preset wants everybody to take."""
    crowd = preset(name).crowd
    page.wait_for_timeout(1_000 * crowd.least_seconds_per_screen * crowd.wait_least_seconds)
    next_screen(page)


def answer_and_go_on(page: Page, name: str) -> None:
    is_timed = page.locator("form.screen.timed").count() > 0
    answer_with_mouse(page)
    if not is_timed:  # they go by themselves
        go_to_next(page, name)
    pass_messages(page)
    await_screen(page)


def go_to(page: Page, name: str, title: str) -> None:
    """Answer until this screen comes: those about a document come after all of its segments, and
    an example is a document of one segment.
    """
    while not is_at(page, title):
        answer_and_go_on(page, name)


def pass_messages(page: Page) -> None:
    page.wait_for_selector(SOMETHING)
    while page.locator("[data-go-on]:visible").count():
        go_on(page)
        page.wait_for_selector(SOMETHING)


def is_at(page: Page, title: str) -> bool:
    is_this = page.locator("form.screen .screen-title").text_content().strip() == title
    return is_this and page.locator(".segment").count() != 1


def take(page: Page, name: str) -> None:
    """From below the preview's bar to the end of the screen."""
    page.evaluate("window.scrollTo(0, 0)")
    top, end = page.evaluate(EDGES)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    picture = picture.crop((0, round(top), picture.width, min(round(end) + 16, picture.height)))
    height = round(picture.height * WIDTH / picture.width)
    picture.resize((WIDTH, height)).save(GALLERY / f"{name}.webp", quality=80, method=6)
    print(GALLERY / f"{name}.webp")


if __name__ == "__main__":
    main()
