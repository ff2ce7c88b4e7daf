"""A campaign's copy opens from a disk, without the site, and has the values of the export."""

import base64
import csv
import io
import re
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.urls import reverse
from playwright.sync_api import Browser, Page, expect

from rankme.actions.sitting.settling import settle
from rankme.exporting.judgements import judgements_csv
from rankme.models import Campaign, MediaFile, Output
from rankme.pages.previews import static_copy
from rankme.pages.previews.gallery import sample
from rankme.protocols.files import definition_to_document, preset, preset_names
from rankme.queries.items.answers import codes_of
from tests.browser.access import assert_never_scrolls_sideways
from tests.chromium import LAPTOP, TOUCH_PHONE
from tests.disagreeing import disagreeing_campaign

pytestmark = pytest.mark.django_db

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
CHOICES = {0.0: "Good", 1.0: "Bad"}
OUTPUT = "article[id^=output]"


def add_picture(campaign: Campaign) -> None:
    stored = default_storage.save("dot", ContentFile(PICTURE))
    media = MediaFile.objects.create(
        campaign=campaign,
        name="a1b2c3",
        stored=stored,
        path="picture-of-system-1.png",
        kind="picture",
        media_type="image/png",
        size=len(PICTURE),
        sha256="0" * 64,
    )
    Output.objects.filter(item__campaign=campaign).update(media=media, alt="A dot")


@pytest.fixture
def judged(own_uploads) -> Campaign:
    campaign = disagreeing_campaign(add_picture)
    output = Output.objects.filter(item__campaign=campaign, item__position=0).latest("pk")
    reason = "Compared with the source."
    settle(campaign, output.item, output, {"points": 2}, reason=reason, by=campaign.owner)
    return campaign


def unpacked(client, campaign: Campaign, folder: Path, **asked: object) -> Path:
    address = reverse("rankme:export-judgements", args=[campaign.code])
    answered = client.get(address, {"format": "copy"} | asked)
    content = io.BytesIO(b"".join(answered.streaming_content))
    with zipfile.ZipFile(content) as archive:
        assert archive.testzip() is None
        archive.extractall(folder)
    return folder


def values_on(page: Page, item: str) -> Counter[tuple[str, ...]]:
    """Every value on an item's page, by rater, item, system and criterion."""
    found: Counter[tuple[str, ...]] = Counter()
    for article in page.locator(OUTPUT).all():
        system = article.locator("h3").inner_text()
        criteria = article.locator("thead th").all_inner_texts()[1:-2]
        for row in article.locator("tbody tr").all():
            rater = row.locator("th").inner_text()
            cells = row.locator("td").all_inner_texts()
            for criterion, value in zip(criteria, cells, strict=False):
                found[rater, item, system, criterion, value] += 1
    return found


def values_exported(campaign: Campaign, codes: dict[str, str]) -> Counter[tuple[str, ...]]:
    rows = csv.DictReader(io.StringIO(b"".join(judgements_csv(campaign)).decode()))
    found: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        value = float(row["value"])
        said = CHOICES[value] if row["criterion"] == "verdict" else f"{value:g}"
        found[row["rater"], row["item"], codes[row["system"]], row["criterion"], said] += 1
    return found


def test_a_copy_has_every_value_of_the_export_without_network_and_scripts(
    olga, browser: Browser, judged, tmp_path
):
    folder = unpacked(olga, judged, tmp_path / "copy")
    names = dict(judged.systems.values_list("pk", "name"))
    codes = {names[pk]: code for pk, code in codes_of(judged).items()}
    for device in (LAPTOP, TOUCH_PHONE):
        assert values_in(folder, browser, judged, device) == values_exported(judged, codes)


def values_in(
    folder: Path, browser: Browser, judged: Campaign, device: dict[str, Any]
) -> Counter[tuple[str, ...]]:
    """Every value in a copy, from item to item, none of which scrolls sideways."""
    with browser.new_context(offline=True, java_script_enabled=False, **device) as context:
        page = context.new_page()
        page.goto(f"file://{folder}/index.html")
        items = page.locator("section:last-of-type tbody a").all_inner_texts()
        assert len(items) == judged.items.count()
        page.get_by_role("link", name=items[0]).click()
        found: Counter[tuple[str, ...]] = Counter()
        for item in items:
            expect(page.get_by_role("heading", level=2)).to_have_text(item)
            assert_never_scrolls_sideways(page)
            found += values_on(page, item)
            if item == items[0]:
                look_at_the_first(page)
            if item != items[-1]:
                page.get_by_role("link", name="Next").click()
    return found


def look_at_the_first(page: Page) -> None:
    shown = page.locator("img.shown-file").first
    shown.scroll_into_view_if_needed()
    assert shown.evaluate("image => image.complete && image.naturalWidth") == 1
    expect(page.get_by_text("Compared with the source.")).to_be_visible()
    assert page.locator("tfoot").get_by_text("Settled").count() == 1


def test_the_screens_of_a_copy_are_those_of_raters(olga, browser: Browser, judged, tmp_path):
    folder = unpacked(olga, judged, tmp_path / "copy")
    for device in (LAPTOP, TOUCH_PHONE):
        assert_screens_are_those_of_raters(folder, browser, judged, device)


def assert_screens_are_those_of_raters(
    folder: Path, browser: Browser, judged: Campaign, device: dict[str, Any]
) -> None:
    problems: list[str] = []
    with browser.new_context(offline=True, **device) as context:
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("requestfailed", lambda request: problems.append(request.url))
        texts = set(judged.items.get(position=0).outputs.values_list("text", flat=True))
        for number in (1, 2):
            page.goto(f"file://{folder}/items/1.html")
            page.get_by_role("link", name=f"Screen {number} of raters").click()
            expect(page.locator(".output")).to_have_count(1)
            texts.discard(page.locator(".output [data-fill=output]").inner_text())
            page.locator(".likert label").first.click()
            expect(page.locator(".likert input:checked")).to_have_count(1)
            assert page.locator(".output img").evaluate("image => image.naturalWidth") == 1
            assert_never_scrolls_sideways(page)
        assert not texts
    assert problems == []


def test_a_copy_names_nobody_and_leads_nowhere_else(olga, judged, tmp_path):
    blind = unpacked(olga, judged, tmp_path / "blind")
    named = unpacked(olga, judged, tmp_path / "named", names="yes")
    names = list(judged.systems.values_list("name", flat=True))
    pages = {path: path.read_text() for path in blind.rglob("*.html")}
    assert len(pages) == 1 + 3 * judged.items.count()
    for path, text in pages.items():
        assert not any(re.search(rf"\\b{name}\\b", text) for name in ("ann", "ben", "cem", "olga"))
        assert not any(name in text for name in (*names, "picture-of")), path
        assert not re.search(r"(href|src|action)=\"(/|http)", text), path
        assert judged.code not in text
    assert all(name in (named / "items/1.html").read_text() for name in names)


def test_a_large_campaign_is_copied_in_parts(olga, judged, tmp_path, monkeypatch):
    monkeypatch.setattr(static_copy, "ITEMS_IN_A_PART", 4)
    address = reverse("rankme:export-judgements", args=[judged.code])
    assert olga.get(address).content.decode().count("format=copy") == 4
    second = unpacked(olga, judged, tmp_path / "two", part=2)
    assert sorted(path.name for path in (second / "items").iterdir()) == ["5.html", "6.html"]
    assert "Part 2 of 2" in (second / "index.html").read_text()
    assert 'rel="prev"' not in (second / "items/5.html").read_text()
    for part in ("0", "3", "x", "9" * 30):
        assert olga.get(address, {"format": "copy", "part": part}).status_code == 404


def test_the_screens_of_every_preset_open_from_a_disk(browser: Browser, tmp_path):
    problems: list[str] = []
    with browser.new_context(offline=True, **LAPTOP) as context:
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: problems.append(f"{page.url}: {error}"))
        for name in preset_names():
            document = definition_to_document(preset(name))
            campaign = Campaign(title=name, definition=document)
            folder = static_copy.Folder(campaign, {}, 1, 1)
            (tmp_path / name / "screens").mkdir(parents=True)
            (tmp_path / name / "code.js").write_text(static_copy.code_of(folder.definition))
            for number, screen in enumerate(folder.definition.screens):
                only = folder.definition.model_copy(update={"screens": [screen]})
                text = static_copy.screen_page(folder, only, sample(name)[0], 1)
                path = tmp_path / name / "screens" / f"{number}.html"
                path.write_text(text)
                page.goto(f"file://{path}")
                page.wait_for_selector("#stage > :not(.needs-scripts)")
    assert problems == []
