"""A work page loads the scripts and stylesheets that its screens need, and no others."""

import re
from pathlib import Path

import pytest
from django.urls import reverse

from rankme.pages.work_files import work_scripts, work_stylesheets
from rankme.protocols.files import preset, preset_names
from rankme.protocols.instruments import INSTRUMENTS
from tests.campaigns import make_campaign, slider_definition
from tests.pages.rater import arrive

PROJECT = Path(__file__).resolve().parents[2]
STYLES = PROJECT / "static/css"
TEMPLATES = PROJECT / "templates/participant/instruments"


def classes_of(stylesheet: Path) -> set[str]:
    rules = re.sub(r"/\*.*?\*/", "", stylesheet.read_text(), flags=re.DOTALL)
    return set(re.findall(r"\.([a-z][\w-]*)", rules))


def names_of(addresses: list[str]) -> set[str]:
    return {Path(address).stem for address in addresses}


def test_every_stylesheet_of_instruments_is_there_and_used():
    named = {sheet for instrument in INSTRUMENTS.values() for sheet in instrument.stylesheets}
    assert named == {path.stem for path in (STYLES / "instruments").iterdir()}


@pytest.mark.parametrize("name", INSTRUMENTS)
def test_an_instrument_names_every_stylesheet_that_its_template_needs(name):
    text = (TEMPLATES / f"{name}.html").read_text()
    if "_ends.html" in text:
        text += (TEMPLATES / "_ends.html").read_text()
    used = {word for words in re.findall(r'class="([^"]*)"', text) for word in words.split()}
    sheets = {path.stem: classes_of(path) for path in (STYLES / "instruments").iterdir()}
    own = set().union(*(sheets[sheet] for sheet in INSTRUMENTS[name].stylesheets))
    everywhere = classes_of(STYLES / "base.css") | classes_of(STYLES / "work.css")
    assert (used & set().union(*sheets.values())) - everywhere <= own


@pytest.mark.parametrize(
    ("name", "sheets", "scripts"),
    [
        ("direct-assessment", {"line", "slider"}, set()),
        (
            "chat-arena",
            {"preference", "formatted", "columns", "difference"},
            {"formatted", "columns", "difference"},
        ),
        ("chat-likert", {"likert", "formatted", "columns"}, {"formatted", "columns"}),
        ("e2e-elicitation", {"pictorial"}, {"pictorial"}),
        ("rotowire-facts", {"tables", "counter", "count"}, set()),
        ("tuna08-identification", {"pictures", "timed"}, {"timed", "bell", "device"}),
    ],
)
def test_a_campaign_loads_what_its_screens_need(name, sheets, scripts):
    definition = preset(name)
    assert names_of(work_stylesheets(definition)) == {"work"} | sheets
    optional = {"timed", "bell", "device", "pictorial", "formatted", "columns", "difference"}
    assert names_of(work_scripts(definition)) & optional == scripts


def test_a_pictorial_block_brings_its_script_and_stylesheet():
    definition = preset("e2e-elicitation")
    screen = definition.screens[0]
    show = [block.model_copy(update={"pictorial": True}) for block in screen.show]
    screens = [screen.model_copy(update={"show": show})]
    pictorial = definition.model_copy(update={"screens": screens})
    assert "pictorial" in names_of(work_scripts(pictorial))
    assert "pictorial" in names_of(work_stylesheets(pictorial))


@pytest.mark.parametrize("name", preset_names())
def test_the_gallery_links_the_stylesheets_of_the_preset(client, db, name):
    page = client.get(reverse("rankme:gallery-preset", args=[name]), {"page": "work"})
    linked = re.findall(r'<link rel="stylesheet" href="([^"]+)"', page.content.decode())
    expected = work_stylesheets(preset(name))
    assert linked[-len(expected) :] == expected
    assert names_of(linked) - names_of(expected) == {"base", "participant", "preview", "no_script"}


def test_the_work_page_links_the_stylesheets_of_its_campaign(client, db):
    campaign = make_campaign(slider_definition(), items=1, systems=1)
    arrive(client, campaign, id="w1")
    client.post(reverse("rankme:instructions", args=[campaign.code]))
    work = client.get(reverse("rankme:work", args=[campaign.code])).content.decode()
    for name in ("work", "instruments/line", "instruments/slider"):
        assert f'<link rel="stylesheet" href="/static/css/{name}.css">' in work
    assert "instruments/likert.css" not in work and "timed.css" not in work
